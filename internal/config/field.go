package config

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/yamlfile"
)

// maxYAML bounds what the YAML parser is given: its time grows with the
// square of the nesting.
const maxYAML = 64 << 10

// decode reads a whole YAML text that is a mapping with the given keys. It
// returns the line of each key that was present.
func decode(text string, keys []yamlfile.Key) (map[string]int, []yamlfile.Mistake) {
	v, found := parse(text)
	if found != nil || v.Absent() {
		return map[string]int{}, found
	}
	fields, found := v.Fields(keys)
	return fields.Lines(), found
}

func parse(text string) (yamlfile.Value, []yamlfile.Mistake) {
	if len(text) > maxYAML {
		return yamlfile.Value{}, wrong(1, "The YAML is longer than %s.", formatSize(maxYAML))
	}
	return yamlfile.Parse(text)
}

// The functions below make the readers of the key tables: each says what one
// kind of value looks like and where it goes.

// textInto accepts any text.
func textInto(dst *string) yamlfile.Reader { return yamlfile.Into(dst, yamlfile.Value.Trimmed) }

// nameInto accepts what parley.CheckName accepts.
func nameInto(dst *string) yamlfile.Reader { return yamlfile.Into(dst, readName) }

func readName(v yamlfile.Value) (string, []yamlfile.Mistake) {
	s, found := v.Trimmed()
	if found != nil {
		return "", found
	}
	if err := parley.CheckName(s); err != nil {
		return "", v.Wrong("%s", parley.Public(err)+nameHint(s))
	}
	return s, nil
}

// nameHint offers the name without the signs beyond ASCII that a name cannot have, such
// as an emoji; empty if what is left is no name. A text that is no name at all, like an
// address in the wrong place, is not shown again.
func nameHint(s string) string {
	kept := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII && parley.CheckName("x"+string(r)+"x") != nil {
			return -1
		}
		return r
	}, s)
	if kept = strings.Join(strings.Fields(kept), " "); kept == s || parley.CheckName(kept) != nil {
		return ""
	}
	return fmt.Sprintf(" Write %s, for example.", kept)
}

// integerInto accepts a whole number within bounds.
func integerInto(dst *int, lowest, highest int) yamlfile.Reader {
	return yamlfile.Into(dst, func(v yamlfile.Value) (int, []yamlfile.Mistake) { return v.Integer(lowest, highest) })
}

// spanInto accepts a time with its unit, within bounds.
func spanInto(dst *time.Duration, lowest, highest time.Duration) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		d, ok := parley.ParseSpan(s)
		if !ok || d < lowest || d > highest {
			return v.Wrong("Expected a time with its unit from %s to %s, like 90s, 30m, 12h or 7d, not %q.",
				parley.SpanText(lowest), parley.SpanText(highest), s)
		}
		*dst = d
		return nil
	}
}

// namesInto accepts a list of names. What it stores is never nil: an empty list
// may mean something other than an absent key.
func namesInto(dst *[]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		if found != nil {
			return found
		}
		*dst = make([]string, 0, len(items))
		for _, item := range items {
			s, wrongs := readName(item)
			found = append(found, wrongs...)
			*dst = append(*dst, s)
		}
		return found
	}
}

// textsInto accepts a list of texts.
func textsInto(dst *[]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		for _, item := range items {
			s, wrongs := item.Trimmed()
			found = append(found, wrongs...)
			*dst = append(*dst, s)
		}
		return found
	}
}

// wordsInto accepts a list, or one text with commas between the items.
func wordsInto(dst *[]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if s, found := v.Trimmed(); found == nil {
			*dst = splitWords(s)
			return nil
		}
		return textsInto(dst)(v)
	}
}

func splitWords(s string) []string {
	words := []string{}
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// parsedInto accepts a text that parse accepts.
func parsedInto[T any](dst *T, parse func(string) (T, error)) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		parsed, err := parse(s)
		if err != nil {
			return v.Wrong("%s", parley.Public(err))
		}
		*dst = parsed
		return nil
	}
}
