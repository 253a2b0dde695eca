package markup

import (
	"crypto/sha256"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"parley/internal/markdown/markdowntest"
)

func TestMarkdownBecomesHTML(t *testing.T) {
	for text, want := range map[string]string{
		"Revenue was **4.3 million**.":       "<p>Revenue was <strong>4.3 million</strong>.</p>\n",
		"one\ntwo":                           "<p>one<br>\ntwo</p>\n",
		"- [x] done":                         "<ul>\n<li>☑ done</li>\n</ul>\n",
		"<script>alert(1)</script>":          "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
		"a <b>bold</b> claim":                "<p>a &lt;b&gt;bold&lt;/b&gt; claim</p>\n",
		"![x](https://elsewhere.example/)":   "<p><code>https://elsewhere.example/</code></p>\n",
		"[x](javascript:alert(1))":           "<p>x</p>\n",
		"[x](data:text/html,hello)":          "<p>x</p>\n",
		"safe\u202etxt.exe":                  "<p>safetxt.exe</p>\n",
		"[Unread | 1 message]\nFor you.":     "<p>[Unread | 1 message]<br>\nFor you.</p>\n",
		"[x](/tasks/task-1 \"title\")":       "<p>x</p>\n", // only what is written out leads somewhere
		"<https://example.com/?a=1&b=2> end": `<p><a href="https://example.com/?a=1&amp;b=2" rel="nofollow noreferrer noopener" target="_blank">https://example.com/?a=1&amp;b=2</a> end</p>` + "\n",
	} {
		if got := string(NewDrawn(0).HTML(text)); strings.ReplaceAll(got, `<br/>`, `<br>`) != want {
			t.Errorf("%q:\n%q, not\n%q", text, got, want)
		}
	}
}

// What would take minutes or fill a browser is shown as it is.
func TestTangledTextIsShownAsItIs(t *testing.T) {
	hard := maps.Clone(markdowntest.Hard)
	hard["emphasis within emphasis"] = strings.Repeat("*a _b ", mostDepth) + strings.Repeat("c_ d* ", mostDepth) // quickly read, and deep
	for name, text := range hard {
		if got := string(NewDrawn(0).HTML(text)); !strings.HasPrefix(got, `<div class="code wrap"><pre`) || len(got) > 6*len(text)+100 {
			t.Errorf("%s: %d bytes of %d: %.80s", name, len(got), len(text), got)
		}
	}
	for name, text := range map[string]string{
		"a table of 20 columns": "|" + strings.Repeat("a|", 20) + "\n|" + strings.Repeat("-|", 20) + "\n" + strings.Repeat("|a\n", 300),
		"a rule":                strings.Repeat("*", 200) + "\n\n" + strings.Repeat("-", 200) + "\n",
		"a list in a quote":     "> > - a\n> >   - b\n> >     - c\n",
	} {
		if got := string(NewDrawn(0).HTML(text)); strings.HasPrefix(got, `<div class="code`) {
			t.Errorf("%s is shown as it is: %.80s", name, got)
		}
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	c, made := NewDrawn(10*(entryBytes+101)), 0
	render := func(text string) template.HTML {
		made++
		return template.HTML(strings.Repeat("x", 100) + text)
	}
	for i := range 50 {
		text := fmt.Sprint(i)
		if a, b := c.of(text, render), c.of(text, render); a != b || !strings.HasSuffix(string(a), "x"+text) {
			t.Errorf("%s: %q, %q", text, a, b)
		}
	}
	if made != 50 || c.bytes > c.most || len(c.by) != c.order.Len() || len(c.by) < 5 || len(c.by) > 10 {
		t.Errorf("made %d, %d bytes, %d and %d entries", made, c.bytes, len(c.by), c.order.Len())
	}
	if c.of("0", render); made != 51 {
		t.Error("the oldest is still there")
	}
	c.Forget()
	if c.of("0", render); made != 52 || c.bytes != c.by[sha256.Sum256([]byte("0"))].Value.(entry).size() {
		t.Errorf("what was forgotten is still there: made %d, %d bytes", made, c.bytes)
	}
	c.of("1", func(string) template.HTML { c.Forget(); return "x" })
	if len(c.by) != 0 {
		t.Error("what was being made when everything was forgotten is kept")
	}
}

// An entry takes room even if nothing is made of its text.
func TestTheCacheCountsItsEntries(t *testing.T) {
	c := NewDrawn(1 << 16)
	for i := range 1000 {
		c.of(fmt.Sprint(i), func(string) template.HTML { return "" })
	}
	if len(c.by) > 1<<16/entryBytes {
		t.Errorf("%d entries", len(c.by))
	}
}

// A text of nothing but @ takes four times the work if it is four times as long.
func TestTheWorkForMentionsGrowsWithTheirNumber(t *testing.T) {
	named := func(folded string) (string, bool, bool) { return "A", false, folded == "a" }
	for _, text := range []string{"@", "@a ", "@a\n"} {
		few, many := allocated(t, strings.Repeat(text, 1000), named), allocated(t, strings.Repeat(text, 4000), named)
		if many > 6*few {
			t.Errorf("%q: 1000 take %d bytes, 4000 take %d", text, few, many)
		}
	}
	if got := string(NewDrawn(0).Mentioning(strings.Repeat("@", 20_000), named)); !strings.HasPrefix(got, `<div class="code wrap"><pre`) {
		t.Errorf("20,000 @ are read as Markdown: %.80s", got)
	}
}

// allocated is how many bytes are made while a text is drawn.
func allocated(t *testing.T, text string, named Named) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := string(NewDrawn(0).Mentioning(text, named)); strings.HasPrefix(got, `<div class="code`) {
		t.Fatalf("%.20q is not read as Markdown", text)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzHTML reads what comes out as a browser does: nothing but what is allowed.
func FuzzHTML(f *testing.F) {
	for _, text := range []string{"<script>alert(1)</script>", "[a](javascript:alert(1))", "```go\nfunc main() {}\n```", "| a | b |\n|---|:-:|\n| 1 | 2 |", "<a href=x onclick=y>", "![](x \"onerror=\")",
		"<svg><style><img src=x onerror=1>", "<math><mtext></p><style><!--</style><img src onerror=1>", "[a]: javascript:x\n[a]", "<javascript:x>", "&lt;script&gt;", "\\<script>", "a\u202eb", "- [ ] x", "1000000000. x"} {
		f.Add(text)
	}
	for _, text := range markdowntest.Hard {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := string(NewDrawn(0).HTML(text))
		nodes, err := html.ParseFragment(strings.NewReader(out), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, root := range nodes {
			for n := range root.Descendants() {
				allowed(t, n, out)
			}
		}
	})
}

var attributes = map[string][]string{"a": {"href", "rel", "target"}, "ol": {"start"}, "pre": {"tabindex"}, "span": {"class"}, "div": {"class"}, "td": {"class"}, "th": {"class"}, "table": {"class"}}

func allowed(t *testing.T, n *html.Node, out string) {
	if n.Type != html.ElementNode {
		if n.Type != html.TextNode {
			t.Errorf("a node of type %d in %q", n.Type, out)
		}
		return
	}
	elements := strings.Fields("html head body p br strong em del blockquote ul ol li h1 h2 h3 h4 h5 h6 hr table thead tbody tr th td pre code span div a")
	if !slices.Contains(elements, n.Data) {
		t.Errorf("<%s> in %q", n.Data, out)
	}
	for _, a := range n.Attr {
		if !slices.Contains(attributes[n.Data], a.Key) {
			t.Errorf("<%s %s> in %q", n.Data, a.Key, out)
		}
		if a.Key != "href" {
			continue
		}
		if u, err := url.Parse(a.Val); err != nil || !slices.Contains([]string{"", "http", "https", "mailto"}, u.Scheme) {
			t.Errorf("a link to %q in %q", a.Val, out)
		}
	}
}

func TestMarksAreNotPiledOverOtherLines(t *testing.T) {
	pile := "Z" + strings.Repeat("\u0351", 800) + "a\u0301 שָׁלוֹם ❤\ufe0f"
	want := "Z" + strings.Repeat("\u0351", mostPiled) + "a\u0301 שָׁלוֹם ❤\ufe0f"
	if got := Line(pile, 100); got != want {
		t.Errorf("%q", got)
	}
}
