package parley_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestChoices(t *testing.T) {
	for _, c := range []struct {
		text, question string
		options        []string
	}{
		{"Blue or red?\n\n1. blue\n2. red", "Blue or red?", []string{"blue", "red"}},
		{"Which?\nSay it.\n\n1. one, two\n2. 2. three\n", "Which?\nSay it.", []string{"one, two", "2. three"}},
		{"Which?\r\n\r\n1. a\r\n2. b", "Which?", []string{"a", "b"}},
		{"It is 1. or 2.", "It is 1. or 2.", nil},
		{"Steps:\n\n1. first\n3. third", "Steps:\n\n1. first\n3. third", nil},
		{"Steps:\n\n1. first\nand more", "Steps:\n\n1. first\nand more", nil},
		{"Steps:\n\n1. first\n\nWell?", "Steps:\n\n1. first\n\nWell?", nil},
		{"Steps:\n\n1. \n2. b", "Steps:\n\n1. \n2. b", nil},
		{"", "", nil},
	} {
		question, options := parley.Choices(c.text)
		if diff := cmp.Diff(c.options, options); diff != "" || question != c.question {
			t.Errorf("%q: the question is %q, the options %s", c.text, question, diff)
		}
	}
}

func TestChosen(t *testing.T) {
	options := []string{"blue", "red"}
	for answer, want := range map[string]string{"1": "blue", " 2 ": "red", "2.": "red", "3": "3", "0": "0", "-1": "-1", "1 please": "1 please", "green": "green"} {
		if got := parley.Chosen(answer, options); got != want {
			t.Errorf("%q is %q, want %q", answer, got, want)
		}
	}
	if got := parley.Chosen("1", nil); got != "1" {
		t.Errorf("without options it is %q", got)
	}
}
