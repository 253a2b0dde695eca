package join

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/internal/yamlfile"
)

// setExtension puts a mapping below a key of a YAML file, by lines, so that
// comments stay. The result is read again: if anything else has changed, the file
// is written in a way that only its author should change.
func setExtension(text, parent, name string, lines []string) (string, error) {
	before, err := readYAML(text)
	if err != nil {
		return "", err
	}
	all := splitLines(text)
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	if len(all) > 0 && !strings.HasSuffix(all[len(all)-1], "\n") {
		all[len(all)-1] += newline
	}
	begin, end, indent, err := extensionPlace(all, before, parent, name)
	if err != nil {
		return "", err
	}
	var made []string
	if begin < 0 {
		begin, end = len(all), len(all)
		made = append(made, parent+":"+newline)
	}
	made = append(made, indent+name+":"+newline)
	for _, line := range lines {
		made = append(made, indent+"  "+line+newline)
	}
	edited := strings.Join(slices.Replace(all, begin, end, made...), "")
	after, err := readYAML(edited)
	if err != nil || !reflect.DeepEqual(withoutExtension(before, parent, name), withoutExtension(after, parent, name)) {
		return "", fmt.Errorf("%s is written in a way that is not understood", parent)
	}
	return edited, nil
}

// extensionPlace finds the lines of the mapping, or where it can be added: begin is
// negative if the parent has to be made, too.
func extensionPlace(lines []string, values map[string]any, parent, name string) (begin, end int, indent string, err error) {
	if values[parent] == nil {
		if _, there := values[parent]; there {
			return 0, 0, "", fmt.Errorf("%s has no value", parent)
		}
		return -1, -1, "  ", nil
	}
	if _, ok := values[parent].(map[string]any); !ok {
		return 0, 0, "", fmt.Errorf("%s is not a mapping", parent)
	}
	top := slices.IndexFunc(lines, func(l string) bool {
		return strings.TrimSpace(strings.SplitN(l, "#", 2)[0]) == parent+":" && l[0] != ' '
	})
	if top < 0 {
		return 0, 0, "", fmt.Errorf("%s is not written one key a line", parent)
	}
	begin, end = top+1, top+1
	found := false
	for i := top + 1; i < len(lines); i++ {
		body := strings.TrimRight(lines[i], "\r\n")
		trimmed := strings.TrimLeft(body, " ")
		depth := len(body) - len(trimmed)
		switch {
		case trimmed == "" || trimmed[0] == '#':
			continue
		case depth == 0:
			return begin, end, orTwo(indent), nil
		case indent == "":
			indent = body[:depth]
		}
		if depth == len(indent) {
			if found {
				return begin, end, indent, nil
			}
			found = isKey(trimmed, name)
			if found {
				begin = i
			}
		}
		end = i + 1
		if !found {
			begin = end
		}
	}
	return begin, end, orTwo(indent), nil
}

// isKey reports whether a line is a key whose value is below it.
func isKey(line, key string) bool {
	rest, ok := strings.CutPrefix(line, key+":")
	behind := strings.TrimLeft(rest, " \t\r\n")
	return ok && (behind == "" || behind[0] == '#' && behind != rest)
}

func orTwo(indent string) string {
	if indent == "" {
		return "  "
	}
	return indent
}

func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

func withoutExtension(values map[string]any, parent, name string) map[string]any {
	rest := map[string]any{}
	for k, v := range values {
		if m, ok := v.(map[string]any); ok && k == parent {
			others := map[string]any{}
			for name2, v := range m {
				if name2 != name {
					others[name2] = v
				}
			}
			if len(others) == 0 {
				continue // made for us
			}
			v = others
		}
		rest[k] = v
	}
	return rest
}

// readYAML reads a file with one mapping.
func readYAML(text string) (map[string]any, error) {
	v, found := yamlfile.Parse(text)
	if len(found) > 0 {
		return nil, fmt.Errorf("line %d: %s", found[0].Line, found[0].Text)
	}
	if v.Absent() {
		return map[string]any{}, nil
	}
	plain, err := plainYAML(v)
	m, ok := plain.(map[string]any)
	if err == nil && !ok {
		err = fmt.Errorf("it is not a mapping")
	}
	return m, err
}

func plainYAML(v yamlfile.Value) (any, error) {
	var found []yamlfile.Mistake
	switch {
	case v.IsList():
		items, _ := v.Items()
		list := make([]any, len(items))
		for i, item := range items {
			var err error
			if list[i], err = plainYAML(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case v.IsMapping():
		var entries []yamlfile.Value
		entries, found = v.Entries("")
		m := make(map[string]any, len(entries))
		for _, e := range entries {
			plain, err := plainYAML(e)
			if _, twice := m[e.Key]; err == nil && twice {
				err = fmt.Errorf("line %d: the key %s is there twice", e.Line(), e.Key)
			}
			if err != nil {
				return nil, err
			}
			m[e.Key] = plain
		}
		if found == nil {
			return m, nil
		}
	default:
		var scalar any
		scalar, found = v.Scalar()
		if found == nil {
			return scalar, nil
		}
	}
	return nil, fmt.Errorf("line %d: %s", found[0].Line, found[0].Text)
}
