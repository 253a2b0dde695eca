package config

import (
	"slices"
	"strings"
	"time"

	"parley"
)

// The functions here make the readers of the key tables: each says what one
// kind of value looks like and where it goes.

// textInto accepts any text.
func textInto(dst *string) func(value) []mistake {
	return func(v value) []mistake {
		s, found := v.text()
		*dst = s
		return found
	}
}

// nameInto accepts what parley.CheckName accepts.
func nameInto(dst *string) func(value) []mistake {
	return func(v value) []mistake {
		s, found := v.name()
		*dst = s
		return found
	}
}

func (v value) name() (string, []mistake) {
	s, found := v.text()
	if found != nil {
		return "", found
	}
	if err := parley.CheckName(s); err != nil {
		return "", v.wrong("%s", parley.Public(err))
	}
	return s, nil
}

// choiceInto accepts one of a closed set of words.
func choiceInto(dst *string, words ...string) func(value) []mistake {
	return func(v value) []mistake {
		s, found := v.text()
		if found != nil {
			return found
		}
		if !slices.Contains(words, s) {
			return v.wrong("%q is not a choice here. %s", s, suggest(s, words))
		}
		*dst = s
		return nil
	}
}

// integerInto accepts a whole number within bounds.
func integerInto(dst *int, lowest, highest int) func(value) []mistake {
	return func(v value) []mistake {
		n, found := v.integer(lowest, highest)
		if found == nil {
			*dst = n
		}
		return found
	}
}

// spanInto accepts a time with its unit, within bounds.
func spanInto(dst *time.Duration, lowest, highest time.Duration) func(value) []mistake {
	return func(v value) []mistake {
		d, found := v.span(lowest, highest)
		if found == nil {
			*dst = d
		}
		return found
	}
}

func (v value) span(lowest, highest time.Duration) (time.Duration, []mistake) {
	s, found := v.text()
	if found != nil {
		return 0, found
	}
	d, ok := parseSpan(s)
	if !ok || d < lowest || d > highest {
		return 0, v.wrong("Expected a time with its unit from %s to %s, like 90s, 30m, 12h or 7d, not %q.",
			formatSpan(lowest), formatSpan(highest), s)
	}
	return d, nil
}

// namesInto accepts a list of names. What it stores is never nil: an empty
// list may mean something else than an absent key.
func namesInto(dst *[]string) func(value) []mistake {
	return func(v value) []mistake {
		items, found := v.items()
		if found != nil {
			return found
		}
		*dst = make([]string, 0, len(items))
		for _, item := range items {
			s, wrongs := item.name()
			found = append(found, wrongs...)
			*dst = append(*dst, s)
		}
		return found
	}
}

// wordsInto accepts a list, or its items in one text with commas between.
func wordsInto(dst *[]string) func(value) []mistake {
	return func(v value) []mistake {
		if s, found := v.text(); found == nil {
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

// modelInto accepts what ParseModel accepts.
func modelInto(dst *Model) func(value) []mistake {
	return func(v value) []mistake {
		s, found := v.text()
		if found != nil {
			return found
		}
		m, err := ParseModel(s)
		if err != nil {
			return v.wrong("%s", parley.Public(err))
		}
		*dst = m
		return nil
	}
}

// storeInto accepts what ParseStore accepts.
func storeInto(dst *Store) func(value) []mistake {
	return func(v value) []mistake {
		s, found := v.text()
		if found != nil {
			return found
		}
		st, err := ParseStore(s)
		if err != nil {
			return v.wrong("%s", parley.Public(err))
		}
		*dst = st
		return nil
	}
}

// limitsInto accepts a mapping of the limits in a table.
func limitsInto(dst *overlay, keys func(*overlay) []key) func(value) []mistake {
	return func(v value) []mistake {
		_, found := v.fields(keys(dst))
		return found
	}
}
