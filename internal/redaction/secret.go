package redaction

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"parley"
)

// distinctive is the least length of a text that is looked for within others. A
// shorter one, such as yes, stands in many that have nothing to do with it.
const distinctive = 8

// secrets are texts to be taken out of others, the longest first, with those of them
// that can be quoted in part.
type secrets struct {
	texts []string
	parts []*parts
}

func newSecrets(texts ...string) (s secrets) {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(s.texts, text) {
			s.texts = append(s.texts, text)
		}
	}
	slices.SortStableFunc(s.texts, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, text := range s.texts {
		if p := newParts(text); p != nil {
			s.parts = append(s.parts, p)
		}
	}
	return s
}

// asArguments is how texts stand among the arguments of a call that somebody was
// shown.
func asArguments(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, parley.ShownArgs(withinJSON(text, false)), parley.ShownArgs(withinJSON(text, true)))
	}
	return list
}

// scrub puts the mark in the place of each secret. A short one is taken out only
// where it is the whole text, or all that follows a colon, as in the text of a
// reply. Then parts of the long ones are taken out.
func (s secrets) scrub(text, mark string) string {
	for _, secret := range s.texts {
		switch before, short := strings.CutSuffix(text, ": "+secret); {
		case len(secret) >= distinctive:
			text = strings.ReplaceAll(text, secret, mark)
		case strings.TrimSpace(text) == secret:
			text = mark
		case short:
			text = before + ": " + mark
		}
	}
	for _, p := range s.parts {
		text = p.scrub(text, mark)
	}
	return text
}

// scrubJSON is scrub for every text within a JSON document. A document without a
// secret stays as it is.
func (s secrets) scrubJSON(document, mark string) (out string, changed bool) {
	decoder := json.NewDecoder(strings.NewReader(document))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		out = s.scrub(document, mark)
		return out, out != document
	}
	value = s.walk(value, mark, &changed)
	if !changed {
		return document, false
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return "{}", true // it was read from JSON, so this does not happen
	}
	return strings.TrimSpace(b.String()), true
}

func (s secrets) walk(value any, mark string, changed *bool) any {
	switch v := value.(type) {
	case string:
		text := s.scrub(v, mark)
		*changed = *changed || text != v
		return text
	case []any:
		for i := range v {
			v[i] = s.walk(v[i], mark, changed)
		}
	case map[string]any:
		for key := range v {
			v[key] = s.walk(v[key], mark, changed)
		}
	}
	return value
}

// withinJSON is how a text stands within a JSON document, which may have been
// written for a page or not.
func withinJSON(text string, escapeHTML bool) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(escapeHTML)
	if encoder.Encode(text) != nil {
		return text // every text can be written
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}
