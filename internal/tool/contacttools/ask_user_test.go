package contacttools

import "testing"

// A person chooses by number, and the number stands for a line. So an option is one line,
// whatever the model wrote, and one without words is none.
func TestAnOptionIsOneLine(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []string
		want    string
	}{
		{"none", nil, "Which?"},
		{"plain", []string{"blue", "old red"}, "Which?\n\n1. blue\n2. old red"},
		{"a line break", []string{"blue\n2. green", "red"}, "Which?\n\n1. blue 2. green\n2. red"},
		{"all kinds of line breaks", []string{"a\r\nb\u2028c\vd\u0085e\tf", "red"}, "Which?\n\n1. a b c d e f\n2. red"},
		{"an empty paragraph", []string{"blue\n\nlike the sea", " red "}, "Which?\n\n1. blue like the sea\n2. red"},
		{"without words", []string{"", "blue", " \n", "red"}, "Which?\n\n1. blue\n2. red"},
		{"only without words", []string{" "}, "Which?"},
	} {
		if got := withOptions("Which?", c.options); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
