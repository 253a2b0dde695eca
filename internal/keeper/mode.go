package keeper

import (
	"slices"
	"strings"
	"unicode"

	"parley"
)

// Mode is how a query is answered.
type Mode string

const (
	Raw   Mode = "raw"   // the messages themselves
	Smart Mode = "smart" // a short answer that a model writes from them
)

// ParseMode reads a mode. The empty mode lets the query decide.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(parley.FoldName(s)); m {
	case "", Raw, Smart:
		return m, nil
	}
	return "", parley.Errorf(parley.Invalid, "Unknown mode %q.", parley.Clip(s, 40)).
		WithHint("Use 'smart' for a short answer or 'raw' for the messages, or leave it out.")
}

func (q Query) mode() Mode {
	switch {
	case q.Mode != "":
		return q.Mode
	case isQuestion(q.Text):
		return Smart
	}
	return Raw
}

var questionWords = []string{"who", "whom", "whose", "what", "which", "when", "where", "why", "how", "is", "are", "was", "were",
	"do", "does", "did", "has", "have", "had", "can", "could", "should", "would", "will"}

// isQuestion reports whether a text asks something: it has a question mark, or begins
// with a question word.
func isQuestion(text string) bool {
	if strings.ContainsAny(text, "?？") {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	return len(words) > 1 && slices.Contains(questionWords, words[0])
}
