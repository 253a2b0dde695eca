package browser

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/internal/workspace/sandbox"
)

// chromium is the one browser of all tests, started by the first that needs it.
var chromium = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	quit = cancel
	return ctx, chromedp.Do(ctx)
})

var quit = func() {}

func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child { // what a hub starts for a command
		os.Exit(code)
	}
	if err := os.Setenv(labKey, "x"); err != nil { // what the hub reads, which tests share
		panic(err)
	}
	if err := flag.Set("test.parallel", "1000"); err != nil { // seats say how many run
		panic(err)
	}
	code := m.Run()
	quit()
	os.Exit(code)
}

// tab is a page that a person looks at.
type tab struct {
	*testing.T
	ctx context.Context
	w   *world
}

// newTab opens a tab in a new profile, without anybody signed in.
func (w *world) newTab() *tab {
	w.Helper()
	parent, err := chromium()
	if err != nil {
		w.Fatalf("%v; make setup installs what the tests need", err)
	}
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	w.Cleanup(cancel)
	// The tab lives as long as the context of its first actions, so these have no limit.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1440, 900)); err != nil {
		w.Fatal(err)
	}
	t := &tab{T: w.T, ctx: ctx, w: w}
	return t
}

// another opens a further tab of the same person. It returns the tab and what closes it.
func (t *tab) another(path string) (*tab, func()) {
	t.Helper()
	ctx, cancel := chromedp.NewContext(t.ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1440, 900)); err != nil {
		t.Fatal(err)
	}
	next := &tab{T: t.T, ctx: ctx, w: t.w}
	next.open(path)
	return next, cancel
}

// signIn opens a tab in which the hub's person has signed in.
func (w *world) signIn() *tab {
	w.Helper()
	t := w.newTab()
	t.open(w.link())
	t.see("#needs-h", "")
	return t
}

// do runs actions.
func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatalf("%v\n%s", err, t.text("body"))
	}
}

// open goes to an address: a path of the hub, or a whole one.
func (t *tab) open(path string) {
	t.Helper()
	if strings.HasPrefix(path, "/") {
		path = t.w.url + path
	}
	t.do(chromedp.Navigate(path))
}

// eval runs a script and returns what it makes.
func eval[R any](t *tab, script string, args ...any) (out R) {
	t.Helper()
	quoted := make([]any, len(args))
	for i, a := range args {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		quoted[i] = string(b)
	}
	return evalPlain[R](t, fmt.Sprintf(script, quoted...))
}

// evalPlain is eval for a script without values to be put in. It waits for a promise.
func evalPlain[R any](t *tab, script string) (out R) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[R](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%.200s: %v", script, err)
	}
	return out
}

// until waits until a script's value is true. It survives navigation.
func (t *tab) until(what, script string, args ...any) {
	t.Helper()
	quoted := make([]any, len(args))
	for i, a := range args {
		b, _ := json.Marshal(a)
		quoted[i] = string(b)
	}
	script = fmt.Sprintf(script, quoted...)
	deadline := time.Now().Add(patience)
	for {
		ctx, cancel := context.WithTimeout(t.ctx, patience)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+script+")"))
		cancel()
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("never: %s (%v)\nat %s\n%s", what, err, t.where(), t.text("body"))
		}
		select {
		case <-t.Context().Done():
			t.Fatal(what, t.Context().Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// see waits for an element whose text holds the given one.
func (t *tab) see(selector, text string) {
	t.Helper()
	t.until(fmt.Sprintf("%q in %s", text, selector), `[...document.querySelectorAll(%s)].some(e => e.checkVisibility() && e.textContent.replaceAll("\u00a0", " ").includes(%s))`, selector, text)
}

// unseen waits until no element's text holds the given one.
func (t *tab) unseen(selector, text string) {
	t.Helper()
	t.until(fmt.Sprintf("no %q in %s", text, selector), `![...document.querySelectorAll(%s)].some(e => e.checkVisibility() && e.textContent.replaceAll("\u00a0", " ").includes(%s))`, selector, text)
}

// click presses what matches a selector.
func (t *tab) click(selector string) {
	t.Helper()
	t.until(selector, `document.querySelector(%s)`, selector)
	t.do(chromedp.Click(chromedp.CSS(selector)))
}

// front brings the tab to the front.
func (t *tab) front() {
	t.Helper()
	t.do(chromedp.Func(func(ctx context.Context, on *chromedp.Target) error {
		_, err := cdp.Call(ctx, on, page.BringToFront, cdp.Empty{})
		return err
	}))
}

// ready waits until the page's script has begun.
func (t *tab) ready() {
	t.Helper()
	t.until("the script", `document.documentElement.dataset.script`)
}

// write types into a field.
func (t *tab) write(selector, text string) {
	t.Helper()
	t.focus(selector)
	t.press(text)
}

// press presses keys, wherever the focus is. A key that the page takes writes nothing, as
// on a keyboard.
func (t *tab) press(keys string) {
	t.Helper()
	for _, key := range keys {
		t.do(chromedp.Func(func(ctx context.Context, on *chromedp.Target) error {
			events := kb.Encode(key)
			if len(events) == 3 {
				events[0].Text, events[0].UnmodifiedText = events[1].Text, events[1].UnmodifiedText
				events = []*input.DispatchKeyEventParams{events[0], events[2]}
			}
			for _, e := range events {
				if _, err := cdp.Call(ctx, on, input.DispatchKeyEvent, *e); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// text is what an element says at this moment.
func (t *tab) text(selector string) string {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	out, _ := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ""`, selector)))
	return out
}

// where is the address of the tab.
func (t *tab) where() string { return eval[string](t, `location.href`) }
