package markup

import (
	"strings"
	"testing"
)

func TestExactShowsWhatCannotBeSeen(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain <b>&amp;</b>", "plain &lt;b&gt;&amp;amp;&lt;/b&gt;"},
		{"a\u202eb", `a<span class="esc">\u202e</span>b`},
		{"a\u200bb\u200d\ufeff", `a<span class="esc">\u200b</span>b<span class="esc">\u200d</span><span class="esc">\ufeff</span>`},
		{"a\u00a0b\u3164\u2800", `a<span class="esc">\u00a0</span>b<span class="esc">\u3164</span><span class="esc">\u2800</span>`},
		{"a\x00\x1b[2J\r\x7f", `a<span class="esc">\u0000</span><span class="esc">\u001b</span>[2J<span class="esc">\r</span><span class="esc">\u007f</span>`},
		{"\xff\U000e0041", `<span class="esc">\xff</span><span class="esc">\U000e0041</span>`},
		{"e\u0301\u0301\u0301x", "e\u0301\u0301" + `<span class="esc">\u0301</span>x`},
		{"a\ufe0f", `a<span class="esc">\ufe0f</span>`},
		{"grün שלום 漢字\t.", "grün שלום 漢字\t."},
		{"a\u2028b", `a<span class="esc">\u2028</span>b`},
	} {
		if got := string(Exact(c.text)); got != c.want {
			t.Errorf("%q: %s, not %s", c.text, got, c.want)
		}
	}
}

func TestExactLinesLeavesNothingOut(t *testing.T) {
	text := strings.Repeat("word ", 40000) + "\n\nend"
	got := string(ExactLines(text))
	if n := strings.Count(got, "word "); n != 40000 {
		t.Errorf("%d words", n)
	}
	if strings.Count(got, `class="l"`) != 3 || !strings.Contains(got, "no line end") {
		t.Error(got[len(got)-300:])
	}
	if same := ExactLines("a\n"); strings.Contains(string(same), "no line end") || ExactLines("a\n\n") == same {
		t.Error(same)
	}
}
