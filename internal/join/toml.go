package join

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A TOML file is edited by its lines: one table is added or replaced, and all other
// bytes stay. The reader below knows where statements begin and end, which is all
// that takes; what it cannot follow is refused.

// tomlTable is a table of a TOML file, or what stands before the first one.
type tomlTable struct {
	name       []string
	start, end int // from its header to the end of its last value
	values     []tomlValue
}

type tomlValue struct {
	key []string
	raw string // as it is written
}

type tomlReader struct {
	text string
	at   int
}

func readTOML(text string) ([]tomlTable, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("it is not UTF-8 text")
	}
	r := &tomlReader{text: text}
	tables := []tomlTable{{}}
	for {
		r.blank()
		if r.at >= len(text) {
			return tables, nil
		}
		var err error
		if text[r.at] == '[' {
			var t tomlTable
			t, err = r.header()
			tables = append(tables, t)
		} else {
			last := &tables[len(tables)-1]
			err = r.statement(last)
			last.end = r.at
		}
		if err == nil {
			err = r.lineEnd()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+strings.Count(text[:min(r.at, len(text))], "\n"), err)
		}
	}
}

// blank skips white space, empty lines and comments.
func (r *tomlReader) blank() {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			r.at++
		case c == '#':
			r.comment()
		default:
			return
		}
	}
}

func (r *tomlReader) comment() {
	n := strings.IndexByte(r.text[r.at:], '\n')
	if n < 0 {
		n = len(r.text) - r.at
	}
	r.at += n
}

func (r *tomlReader) inline() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
}

// lineEnd makes sure that nothing but a comment follows.
func (r *tomlReader) lineEnd() error {
	r.inline()
	rest := r.text[r.at:]
	switch {
	case rest == "", rest[0] == '\n', rest[0] == '#', strings.HasPrefix(rest, "\r\n"):
		return nil
	}
	return fmt.Errorf("the end of the line is expected, not %q", excerpt([]byte(rest)))
}

func (r *tomlReader) header() (t tomlTable, err error) {
	t.start = r.at
	brackets := 1
	if strings.HasPrefix(r.text[r.at:], "[[") {
		brackets = 2
	}
	r.at += brackets
	if t.name, err = r.key(); err != nil {
		return t, err
	}
	if !strings.HasPrefix(r.text[r.at:], strings.Repeat("]", brackets)) {
		return t, fmt.Errorf("a table's name is not closed")
	}
	r.at += brackets
	t.end = r.at
	if brackets == 2 {
		t.name = append(t.name, "") // an item of a list, which is never ours
	}
	return t, nil
}

// key reads a key with its dots.
func (r *tomlReader) key() (parts []string, err error) {
	for {
		r.inline()
		start := r.at
		switch {
		case r.at < len(r.text) && (r.text[r.at] == '"' || r.text[r.at] == '\''):
			if err := r.quoted(); err != nil {
				return nil, err
			}
			part, ok := tomlText(r.text[start:r.at])
			if !ok {
				return nil, fmt.Errorf("a key is written in a way that is not understood")
			}
			parts = append(parts, part)
		default:
			for r.at < len(r.text) && bareKey(r.text[r.at]) {
				r.at++
			}
			if r.at == start {
				return nil, fmt.Errorf("a key is expected, not %q", excerpt([]byte(r.text[start:])))
			}
			parts = append(parts, r.text[start:r.at])
		}
		r.inline()
		if r.at >= len(r.text) || r.text[r.at] != '.' {
			return parts, nil
		}
		r.at++
	}
}

func bareKey(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

func (r *tomlReader) statement(t *tomlTable) error {
	key, err := r.key()
	if err != nil {
		return err
	}
	if r.at >= len(r.text) || r.text[r.at] != '=' {
		return fmt.Errorf("= is expected after %s", strings.Join(key, "."))
	}
	r.at++
	r.inline()
	start := r.at
	if err := r.value(); err != nil {
		return err
	}
	raw := strings.TrimRight(r.text[start:r.at], " \t\r")
	if raw == "" {
		return fmt.Errorf("%s has no value", strings.Join(key, "."))
	}
	r.at = start + len(raw)
	t.values = append(t.values, tomlValue{key: key, raw: raw})
	return nil
}

// value goes to the end of a value: of the line, unless a text or a bracket is
// still open.
func (r *tomlReader) value() error {
	var open []byte
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"' || c == '\'':
			if err := r.quoted(); err != nil {
				return err
			}
			continue
		case c == '[' || c == '{':
			open = append(open, c+2) // ] and } are two places further
		case c == ']' || c == '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return fmt.Errorf("%q closes nothing", c)
			}
			open = open[:len(open)-1]
		case c == '#' && len(open) > 0:
			r.comment()
			continue
		case (c == '\n' || c == '#') && len(open) == 0:
			return nil
		}
		r.at++
	}
	if len(open) > 0 {
		return fmt.Errorf("%q is missing", open[len(open)-1])
	}
	return nil
}

// quoted goes to the end of a text in any of the four kinds of quotes.
func (r *tomlReader) quoted() error {
	quote := r.text[r.at : r.at+1]
	long := strings.HasPrefix(r.text[r.at:], strings.Repeat(quote, 3))
	if long {
		quote = strings.Repeat(quote, 3)
	}
	for i := r.at + len(quote); i < len(r.text); i++ {
		switch {
		case r.text[i] == '\\' && quote[0] == '"':
			i++
		case r.text[i] == '\n' && !long:
			return fmt.Errorf("a text is not closed")
		case strings.HasPrefix(r.text[i:], quote):
			r.at = i + len(quote)
			for n := 0; long && n < 2 && r.at < len(r.text) && r.text[r.at] == quote[0]; n++ {
				r.at++ // quotes right before the closing ones belong to the text
			}
			return nil
		}
	}
	return fmt.Errorf("a text is not closed")
}

// tomlText reads a text on one line.
func tomlText(raw string) (string, bool) {
	if len(raw) >= 2 && raw[0] == '\'' && !strings.HasPrefix(raw, "'''") {
		return raw[1 : len(raw)-1], true
	}
	var s string
	return s, !strings.HasPrefix(raw, `"""`) && json.Unmarshal([]byte(raw), &s) == nil
}

// setTable puts a table into a TOML file: in the place of the one of that name and
// those below it, or at the end.
func setTable(text string, name []string, lines []string) (string, error) {
	tables, err := readTOML(text)
	if err != nil {
		return "", err
	}
	if err := onlyAsTable(tables, name); err != nil {
		return "", err
	}
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	block := strings.Join(append([]string{"[" + strings.Join(name, ".") + "]"}, lines...), newline)
	i := slices.IndexFunc(tables, func(t tomlTable) bool { return within(t.name, name) })
	if i < 0 {
		return appended(text, block, newline), nil
	}
	last := i
	for last+1 < len(tables) && within(tables[last+1].name, name) {
		last++
	}
	if slices.ContainsFunc(tables[last+1:], func(t tomlTable) bool { return within(t.name, name) }) {
		return "", fmt.Errorf("the table %s is spread over several places", strings.Join(name, "."))
	}
	return text[:tables[i].start] + block + text[tables[last].end:], nil
}

func appended(text, block, newline string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return text + block + newline
	case !strings.HasSuffix(text, "\n"):
		text += newline
	}
	return text + newline + block + newline
}

func within(table, name []string) bool {
	return len(table) >= len(name) && slices.Equal(table[:len(name)], name)
}

// onlyAsTable refuses a file that has the table in another form, such as a = {…}
// or a.b = …: a second definition would make the whole file invalid.
func onlyAsTable(tables []tomlTable, name []string) error {
	for _, t := range tables {
		if within(t.name, name) && !slices.Contains(t.name, "") {
			continue
		}
		for _, v := range t.values {
			full := slices.Concat(t.name, v.key)
			if within(full, name) || within(name, full) {
				return fmt.Errorf("%s is written as a value, not as the table [%s]", strings.Join(full, "."), strings.Join(name, "."))
			}
		}
		if within(t.name, name) || slices.Equal(t.name, append(slices.Clone(name[:1]), "")) {
			return fmt.Errorf("%s is a list of tables", strings.Join(name, "."))
		}
	}
	return nil
}

// tableValues are the values of a table that are texts, lists of texts, or numbers.
func tableValues(text string, name []string) (map[string]any, error) {
	tables, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(tables, func(t tomlTable) bool { return slices.Equal(t.name, name) })
	if i < 0 {
		return nil, nil
	}
	values := map[string]any{}
	for _, v := range tables[i].values {
		var plain any
		if s, ok := tomlText(v.raw); ok {
			plain = s
		} else if json.Unmarshal([]byte(v.raw), &plain) != nil {
			return nil, fmt.Errorf("the value of %s is written in a way that is not understood", strings.Join(v.key, "."))
		}
		values[strings.Join(v.key, ".")] = plain
	}
	return values, nil
}
