package browser

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"parley/api"
)

// axeCore reads the script that scripts/axe gets.
func axeCore(t *testing.T) string {
	t.Helper()
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	script, err := os.ReadFile(filepath.Join(cache, "parley", "axe-core-4.14.0", "axe.min.js"))
	if err != nil {
		t.Fatalf("%v; make setup gets it", err)
	}
	return string(script)
}

// looks are sizes and colours in which the page is looked at. What does not depend on the
// colours is examined once for each size, and colours are those of the wide page, but for
// what only a phone has.
var looks = []struct {
	width  int64
	scheme string
	where  string // what axe looks at
	rules  string // by which rules
}{{1440, "light", "html", ""}, {1440, "dark", "html", "color-contrast"}, {390, "dark", "html", ""}, {390, "light", ".tabs, form", "color-contrast"}}

// narrowest is the width of the smallest phone.
const narrowest = 360

// like shows a tab in a size and a colour scheme, without movement.
func (t *tab) like(width int64, scheme string) {
	t.Helper()
	t.do(chromedp.EmulateViewport(width, 900), chromedp.Func(func(ctx context.Context, on *chromedp.Target) error {
		_, err := cdp.Call(ctx, on, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	}))
}

// findings are what axe finds serious, by all rules or the given one.
func (t *tab) findings(where, rule string) []string {
	t.Helper()
	only := ""
	if rule != "" {
		only = `runOnly: ["` + rule + `"], `
	}
	return evalPlain[[]string](t, `axe.run("`+where+`", {`+only+`resultTypes: ["violations"], iframes: false, preload: false}).then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact))
		.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")))`)
}

// whole is the team with somebody who fails, writes files and puts away, so that every view
// has something to show.
var whole = strings.Replace(team, "agents:\n", `agents:
  WorkBot:
    - match: 'write'
      steps:
        - call: write_file
          args: {path: report/q3.md, content: "# Q3\nRevenue was 4.3 million.\n"}
        - call: shell
          args: {command: 'cat report/q3.md'}
        - say: 'It is written, with **care**.'
    - match: 'put away'
      steps:
        - call: context_offload
          args: {topic: The early remarks, message_count: 2}
        - say: 'Done.'
    - match: 'fail'
      steps: [{fail: 'Rate limit exceeded.'}]
    - steps: [{say: '{{body}}'}]
`, 1) + `
-- agents/WorkBot/agent.md --
---
description: Writes files.
toolsets: [contact, loom, workspace]
profile: open
---
You work.
-- agents/WorkBot/docs/README.md --
# How to ask

Say what to [write](https://example.com/).
`

// fillWhole makes something for every view.
func (w *world) fillWhole() (addresses []string) {
	w.Helper()
	ctx := w.Context()
	worked := w.contact("delegate", "WorkBot", "Please write the report.").Task.ID
	failed := w.contact("delegate", "WorkBot", "Please fail.").Task.ID
	w.contact("delegate", "CoordinatorBot", "Please ask the person Which quarter?")
	w.contact("delegate", "WriterBot", "tell DataBot hello")
	for _, text := range []string{"one", "two", "three", "put away what was said"} {
		w.ended(w.contact("ask", "WorkBot", text).Task.ID)
	}
	if _, err := w.as("Jonas").AskQuestion(ctx, api.QuestionRequest{Question: "Who signs?", Context: "The contract of Acme.", Target: "Mira"}); err != nil {
		w.Fatal(err)
	}
	if _, err := w.Post(ctx, api.PostRequest{Channel: "report", Message: "@Jonas\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\n> It was said.\n\n```go\nfunc main() {} // a comment\n```\n[A link](https://example.com/)."}); err != nil {
		w.Fatal(err)
	}
	w.ended(worked)
	w.ended(failed)
	return append(w.crawl(1), "/tasks/"+worked, "/tasks/"+worked+"/diff", "/tasks/"+worked+"/undo", "/tasks/"+failed, "/agents/WorkBot/docs", "/search?q=report")
}

// Nothing keeps people from using the page who see little, or hear it read, or whose
// screen is small; and nothing moves that should stand still.
func TestNothingKeepsPeopleOut(t *testing.T) {
	axe := axeCore(t)
	w := newWorld(t, whole)
	addresses := w.fillWhole()
	page := w.signIn()
	page.see(".need", "Which quarter?")
	for _, path := range []string{"/", "/c/report", "/tasks/task-1", "/agents"} {
		page.standsStill(path)
	}
	page.until("something moves", `document.getAnimations().length > 0`)
	slices.Sort(addresses)
	for _, path := range slices.Compact(addresses) {
		page.open(path)
		page.inspect(axe)
	}
	page.open("/")
	page.ready()
	for _, key := range []string{"?", "/"} {
		page.press(key)
		page.until("the dialog", `document.querySelector("dialog[open]")`)
		page.inspect(axe)
		eval[bool](page, `(document.querySelector("dialog[open]").close(), true)`)
	}
	page = w.newTab()
	page.open("/signin")
	page.see("h1", "Sign in")
	page.inspect(axe)
}

// standsStill loads a page, in which nothing may move to another place.
func (t *tab) standsStill(path string) {
	t.Helper()
	for _, width := range []int64{390, 1440} {
		t.do(chromedp.EmulateViewport(width, 900))
		t.open(path)
		t.ready()
		t.until("the script has done its part", `document.readyState === "complete" && document.querySelector("#link-state")`)
		moved := evalPlain[float64](t, `new Promise((done) => {
			let sum = 0;
			new PerformanceObserver((list) => { for (const e of list.getEntries()) sum += e.value }).observe({type: "layout-shift", buffered: true});
			setTimeout(() => requestAnimationFrame(() => setTimeout(() => done(sum))), 100);
		})`)
		if moved > 0.01 {
			t.Errorf("%s, %d wide, moves by %.3f while it is loaded", path, width, moved)
		}
	}
}

// inspect looks at the page that is shown, in all looks.
func (t *tab) inspect(axe string) {
	t.Helper()
	evalPlain[bool](t, axe+";true")
	at := t.where()
	for _, look := range looks {
		t.like(look.width, look.scheme)
		for _, found := range t.findings(look.where, look.rules) {
			t.Errorf("%s, %d wide, %s: %s", at, look.width, look.scheme, found)
		}
		if wide := eval[int](t, `document.documentElement.scrollWidth`); int64(wide) > look.width {
			t.Errorf("%s, %d wide, is %d wide", at, look.width, wide)
		}
	}
	t.do(chromedp.EmulateViewport(narrowest, 740))
	if wide := eval[int](t, `document.documentElement.scrollWidth`); wide > narrowest {
		t.Errorf("%s, %d wide, is %d wide", at, narrowest, wide)
	}
	if moving := evalPlain[[]string](t, `document.getAnimations().filter((a) => a.playState === "running").map((a) => a.effect.target.outerHTML.slice(0, 100))`); len(moving) > 0 {
		t.Errorf("%s moves: %s", at, moving)
	}
}
