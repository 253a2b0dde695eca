package config

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"

	"parley"
	"parley/internal/yamlfile"
)

// SetRule returns an agent's file with another value for a rule. Only the lines
// of that key change. A file without front matter gets one.
func SetRule(file []byte, key string, words []string) ([]byte, error) {
	if err := CheckRuleKey(key); err != nil {
		return nil, err
	}
	words = slices.Clone(words)
	lines, err := ruleLines(key, words)
	if err != nil {
		return nil, err
	}
	return edit(file, key, lines)
}

// UnsetRule returns the file without the rule.
func UnsetRule(file []byte, key string) ([]byte, error) {
	if err := CheckRuleKey(key); err != nil {
		return nil, err
	}
	return edit(file, key, nil)
}

// edit replaces a key's lines; nil removes them. The result is read again: if
// anything but the key has changed, the file is written in a way that only its
// author should change.
func edit(file []byte, key string, lines []string) ([]byte, error) {
	p := splitPage(file)
	before, err := p.values()
	if err != nil {
		return nil, err
	}
	if err := p.replace(key, lines); err != nil {
		return nil, err
	}
	edited := p.bytes()
	after, err := splitPage(edited).values()
	_, has := after[key]
	delete(before, key)
	delete(after, key)
	if err != nil || has != (lines != nil) || !reflect.DeepEqual(before, after) {
		return nil, errByHand()
	}
	return edited, nil
}

func errByHand() error {
	return parley.Errorf(parley.Conflict, "The front matter of this file is written in a way that the hub does not change.").
		WithHint("Change it by hand, one key a line; the hub takes it over by itself.")
}

// page is a file as lines, and where its front matter lies.
type page struct {
	mark  []byte   // a byte order mark
	lines []string // each with its end
	// first and end are the lines of the front matter between the fences; end is
	// 0 if there is none.
	first, end int
	broken     bool // it is never closed
}

func splitPage(file []byte) *page {
	p := &page{}
	rest, marked := bytes.CutPrefix(file, []byte("\uFEFF"))
	if marked {
		p.mark = file[:len(file)-len(rest)]
	}
	p.lines = splitLines(string(rest))
	if len(p.lines) == 0 || !fence(bare(p.lines[0])) {
		return p
	}
	p.first, p.broken = 1, true
	for i := 1; i < len(p.lines); i++ {
		if fence(bare(p.lines[i])) {
			p.end, p.broken = i, false
			break
		}
	}
	return p
}

// splitLines keeps the line ends, whatever system they come from.
func splitLines(s string) (lines []string) {
	for s != "" {
		n := strings.IndexAny(s, "\r\n")
		switch {
		case n < 0:
			n = len(s)
		case strings.HasPrefix(s[n:], "\r\n"):
			n += 2
		default:
			n++
		}
		lines, s = append(lines, s[:n]), s[n:]
	}
	return lines
}

// bare is a line without its line end.
func bare(line string) string { return strings.TrimRight(line, "\r\n") }

func (p *page) bytes() []byte { return append(slices.Clone(p.mark), strings.Join(p.lines, "")...) }

// newline is how lines end in this file.
func (p *page) newline() string {
	if len(p.lines) > 0 {
		if end := p.lines[0][len(bare(p.lines[0])):]; end != "" {
			return end
		}
	}
	return "\n"
}

// yaml is the front matter, after an empty line for each line before it, so
// that the parser counts as the file does.
func (p *page) yaml() string {
	var b strings.Builder
	for i := 0; i < p.end; i++ {
		if i >= p.first {
			b.WriteString(bare(p.lines[i]))
		}
		b.WriteString("\n")
	}
	return readable(b.String())
}

// values are the values of all keys, for a comparison.
func (p *page) values() (map[string]any, error) {
	if p.broken {
		return nil, parley.Errorf(parley.Invalid, "The front matter of this file is never closed: a line --- is missing.")
	}
	v, found := parse(p.yaml())
	if found != nil {
		return nil, parley.Errorf(parley.Invalid, "line %d: %s", found[0].Line, found[0].Text)
	}
	if v.Absent() {
		return map[string]any{}, nil
	}
	values, ok := plainValue(v)
	keys, isMapping := values.(map[string]any)
	if !ok || !isMapping {
		return nil, errByHand()
	}
	return keys, nil
}

// plainValue is a value of any shape as maps, lists, texts and numbers. It
// reports false for what the hub does not change: unsupported YAML, or a key
// that is there twice.
func plainValue(v yamlfile.Value) (any, bool) {
	switch {
	case v.IsList():
		items, _ := v.Items()
		list := make([]any, len(items))
		for i, item := range items {
			plain, ok := plainValue(item)
			if !ok {
				return nil, false
			}
			list[i] = plain
		}
		return list, true
	case v.IsMapping():
		entries, found := v.Entries("")
		m := make(map[string]any, len(entries))
		for _, e := range entries {
			plain, ok := plainValue(e)
			if _, twice := m[e.Key]; !ok || twice {
				return nil, false
			}
			m[e.Key] = plain
		}
		return m, found == nil
	}
	scalar, found := v.Scalar()
	if text, ok := scalar.(string); ok {
		// An edit may change the empty lines after a block of text.
		scalar = strings.TrimSpace(text)
	}
	return scalar, found == nil
}

// replace puts lines in the place of a key's lines, or at the end of the front
// matter if the key is absent.
func (p *page) replace(key string, lines []string) error {
	keys, ok := yamlfile.Places(p.yaml())
	if !ok {
		return errByHand()
	}
	begin, end, indent, comment := p.end, p.end, "", ""
	if k, there := keys[key]; there {
		begin, end, comment = k.Line, p.valueEnd(k, keys), k.Comment
	} else if lines == nil {
		return nil
	}
	for _, k := range keys {
		indent = strings.Repeat(" ", k.Column)
	}
	var made []string
	for i, line := range lines {
		if i == 0 && comment != "" {
			line += " " + comment
		}
		made = append(made, indent+line+p.newline())
	}
	if p.end == 0 {
		fence := "---" + p.newline()
		made = slices.Concat([]string{fence}, made, []string{fence})
		begin, end = 0, 0
	}
	p.lines = slices.Replace(p.lines, begin, end, made...)
	return nil
}

// valueEnd is the line after a key's value. Comments and empty lines before the
// next key do not belong to the value.
func (p *page) valueEnd(k yamlfile.Place, keys map[string]yamlfile.Place) int {
	end := p.end
	for other := range maps.Values(keys) {
		if other.Line > k.Line {
			end = min(end, other.Line)
		}
	}
	for end > k.Line+1 {
		text := bare(p.lines[end-1])
		indent := len(text) - len(strings.TrimLeft(text, " \t"))
		if trimmed := strings.TrimSpace(text); trimmed != "" && (trimmed[0] != '#' || indent > k.Column) {
			break
		}
		end--
	}
	return end
}
