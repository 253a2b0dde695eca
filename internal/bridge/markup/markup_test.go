package markup

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/markdown/markdowntest"
)

// counted is a form that writes Markdown-like marks, and counts what it was given to write.
func counted(longest int) (f Form, written *int) {
	written = new(int)
	mark := func(m string) func(string) string { return func(s string) string { return m + s + m } }
	return Form{
		Escape:  func(s string) string { *written += len(s); return strings.ReplaceAll(s, "*", `\*`) },
		Bold:    mark("**"),
		Italic:  mark("*"),
		Strike:  mark("~"),
		Quote:   func(s string) string { return "> " + s },
		Code:    mark("`"),
		Block:   func(language, s string) string { *written += len(s); return "```" + language + "\n" + s + "\n```" },
		Link:    func(text, address string) string { return text + "<" + address + ">" },
		Longest: longest,
	}, written
}

func TestTextsAreSplit(t *testing.T) {
	words := strings.Repeat("word ", 30)
	for name, c := range map[string]struct {
		pieces []Piece
		want   []string
	}{
		"nothing":                        {nil, []string{"(nothing)"}},
		"only space":                     {[]Piece{{Plain: strings.Repeat(" \n", 100)}}, []string{"(nothing)"}},
		"what fits stays together":       {[]Piece{{Markdown: "**one**\n\ntwo"}, {Plain: "3*"}}, []string{"**one**\n\ntwo\n\n3\\*"}},
		"between paragraphs":             {[]Piece{{Markdown: strings.Repeat("a", 30) + "\n\n" + strings.Repeat("b", 30)}}, []string{strings.Repeat("a", 30), strings.Repeat("b", 30)}},
		"between words":                  {[]Piece{{Plain: words}}, []string{words[:39], words[40:79], words[80:119], words[120:149]}},
		"between lines":                  {[]Piece{{Plain: strings.Repeat("a", 25) + "\n" + strings.Repeat("b", 12) + " cc dd"}}, []string{strings.Repeat("a", 25), strings.Repeat("b", 12) + " cc dd"}},
		"what is written longer":         {[]Piece{{Plain: strings.Repeat("*", 50)}}, []string{strings.Repeat(`\*`, 20), strings.Repeat(`\*`, 20), strings.Repeat(`\*`, 10)}},
		"each part of code is in blocks": {[]Piece{{Code: strings.Repeat("x", 50)}}, []string{"```\n" + strings.Repeat("x", 32) + "\n```", "```\n" + strings.Repeat("x", 18) + "\n```"}},
		"characters of several bytes":    {[]Piece{{Plain: strings.Repeat("ß", 50)}}, []string{strings.Repeat("ß", 40), strings.Repeat("ß", 10)}},
	} {
		f, _ := counted(40)
		if got := f.Split(100, c.pieces...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
		if got := f.Split(1, c.pieces...); len(got) != 1 || got[0] != c.want[0] {
			t.Errorf("%s: the first part alone is %q", name, got)
		}
	}
}

// A text as long as an agent may send takes as much work as the parts that are wanted of it.
func TestLongTextsTakeNoLonger(t *testing.T) {
	for name, text := range map[string]string{
		"words":        strings.Repeat("some words ", 24_000),
		"one word":     strings.Repeat("x", 256<<10),
		"paragraphs":   strings.Repeat("a paragraph of some words\n\n", 10_000),
		"escaped ones": strings.Repeat("*", 256<<10),
	} {
		for _, piece := range []Piece{{Markdown: text}, {Plain: text}, {Code: text}} {
			f, written := counted(2000)
			if parts := f.Split(5, piece); len(parts) != 5 || *written > 1<<20 {
				t.Errorf("%s: %d parts of %d bytes, for which %d bytes were written", name, len(parts), len(text), *written)
			}
		}
	}
}

// Nothing becomes many times as long as it was, or takes minutes.
func TestHardTextsAreShownAsTheyAre(t *testing.T) {
	for name, text := range markdowntest.Hard {
		f, written := counted(2000)
		out := 0
		for _, part := range f.Split(1<<20, Piece{Markdown: text}) {
			out += len(part)
		}
		if out > 3*len(text) || *written > 100*len(text) {
			t.Errorf("%s: %d bytes became %d, for which %d were written", name, len(text), out, *written)
		}
	}
}

func TestTextsAreCleaned(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\nb\tc":                   "a\nb\tc",
		"safe\u202etxt.exe":           "safetxt.exe",
		"\u061cx\u00ad\u200b\u2060":   "x",
		"a\U000E0101b\ufe00\u180bc":   "abc",
		"a\u034f\u2800\u17b4\uffa0":   "a",
		"a\u200db\ufe0fc":             "abc",
		"+\ufe0f=\u200d=":             "+==",
		"🤖 A 👤 B ⚙ C":                 "▫ A ▫ B ▫ C",
		"👥 A 🧑 B ⛭ C":                 "▫ A ▫ B ▫ C",
		"❤\ufe0f\u200d🔥 👩🏽\u200d🚀":    "❤\ufe0f\u200d🔥 👩🏽\u200d🚀",
		"1\ufe0f\u20e3 ⚠\ufe0f\ufe0f": "1\ufe0f\u20e3 ⚠\ufe0f",
		"a\xffb":                      "a�b",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%+q: %+q, not %+q", text, got, want)
		}
	}
}

func TestLinksLeadToWebPages(t *testing.T) {
	f, _ := counted(1000)
	for text, want := range map[string]string{
		"[here](https://example.com/a)":            "here<https://example.com/a>",
		"<https://example.com/>":                   "<https://example.com/>",
		"[https://bank.example](https://evil.com)": "https://bank.example<https://evil.com>",
		"[x](javascript:alert(1))":                 "x (javascript:alert(1))",
		"[x](https://bank.example@evil.com/)":      "x (https://bank.example@evil.com/)",
		"[x](tg://user?id=1)":                      "x (tg://user?id=1)",
		"![x](https://example.com/a.png)":          "x<https://example.com/a.png>",
		"<mailto:a@example.com>":                   "mailto:a@example.com",
	} {
		if got := f.Split(1, Piece{Markdown: text}); got[0] != want {
			t.Errorf("%s: %s, not %s", text, got[0], want)
		}
	}
}
