package scripted

import (
	"fmt"
	"regexp"
	"strings"
)

// template is a text with {{...}} in it. The zero template is the empty text.
type template struct {
	parts []part
	where string // the place in the file, for errors while it is filled in
}

// part yields a piece of text for a scene.
type part func(*scene) (string, error)

func literal(text string) part { return func(*scene) (string, error) { return text, nil } }

func (t template) render(sc *scene) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		s, err := p(sc)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t.where, err)
		}
		if len(t.parts) == 1 {
			return s, nil
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

const opening, closing = "{{", "}}"

// compileTemplate reads a text in which {{...}} holds an expression. match is
// the pattern of the rule around it, or nil: it says which groups there are.
func compileTemplate(text string, match *regexp.Regexp) ([]part, error) {
	var parts []part
	for {
		before, after, found := strings.Cut(text, opening)
		if before != "" {
			parts = append(parts, literal(before))
		}
		if !found {
			return parts, nil
		}
		tokens, rest, err := scan(after)
		if err != nil {
			return nil, err
		}
		e := expression{tokens: tokens, match: match}
		p, err := e.parse()
		if err != nil {
			return nil, fmt.Errorf("in {{%s}}: %w", strings.TrimSuffix(after[:len(after)-len(rest)], closing), err)
		}
		parts, text = append(parts, p), rest
	}
}
