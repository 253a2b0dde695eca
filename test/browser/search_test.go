package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// evil runs, hides or turns around what it can.
const evil = "zebra <script>window.pwned=1</script> \"><img src=x onerror=window.pwned=1> </mark></bdi></section><h1>Owned</h1> \u202efdp.exe\u202c javascript:window.pwned=1"

func TestSearchFindsLinksAndFilters(t *testing.T) {
	w := newWorld(t, keen)
	page := w.signIn()
	asked := w.contact("ask", "DataBot", "What was the revenue of Acme?")
	w.ended(asked.Task.ID)
	w.ended(w.contact("ask", "CoordinatorBot", evil).Task.ID)
	for _, s := range []string{"Remark on Borealis", "Remark on Cygnus"} {
		w.ended(w.contact("ask", "CoordinatorBot", s).Task.ID)
	}
	w.ended(w.contact("ask", "CoordinatorBot", "Now put away the early remarks").Task.ID)

	// As one types, by the keyboard alone, and the address follows.
	page.open("/search")
	page.see("#hits", "Everything")
	page.see(".feed", "Mira asks DataBot What was the revenue of Acme?")
	page.until("the field has the focus", `document.activeElement.id === "q"`)
	page.press("acme")
	page.see("#hits-h", "2 found")
	page.see("mark", "Acme")
	page.until("the address", `location.search === "?q=acme"`)
	page.see("#hits .quiet", "to DataBot, "+asked.Task.ID)
	page.until("links to the message and the task", `["/messages/" + %s, "/tasks/" + %s].every(to => document.querySelector("#hits a[href='" + to + "']"))`, asked.Message, asked.Task.ID)

	// Filters, of which each is in the address.
	page.do(chromedp.SetValue(chromedp.CSS("[name=by]"), "DataBot"))
	eval[bool](page, `document.querySelector("[name=by]").dispatchEvent(new Event("change", {bubbles: true}))`)
	page.see("#hits-h", "1 found")
	page.see("#hits", "Revenue of Acme was 4.3 million.")
	page.open("/search?q=remark&kind=kept")
	page.see("#hits", "kept in keeper-1")
	page.click("#hits .hit-text a")
	page.see("h1", "the early remarks")
	page.see("#kept-3", "Remark on")
	page.click("#kept-head form button")
	page.see("#kept-head", "shared with the team")
	page.unseen("#kept-head", "Share with the team")
	page.open("/search?q=revenue&kind=tasks&order=newest&when=day")
	page.see(".hit-h .id", asked.Task.ID)
	page.open("/search?q=revenue&by=Nobody")
	page.see("[role=alert]", "Nobody")
	page.open("/search?q=revenue&from=1999-01-01&to=1999-12-31")
	page.see("#hits", "Nothing found for “revenue”. Fewer words find more.")

	hostile(page)
	withoutScript(page)
}

// hostile looks for and shows what should do harm.
func hostile(page *tab) {
	page.Helper()
	page.open("/search?q=zebra")
	page.see(".hit-text", `zebra <script>window.pwned=1</script> "><img src=x onerror=window.pwned=1> </mark></bdi></section><h1>Owned</h1> fdp.exe`)
	page.open(`/search?q=%22%3E%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E%3Cimg+src%3Dx+onerror%3Dwindow.pwned%3D1%3E%E2%80%AEabc`)
	page.see("#hits", "found")
	if got := eval[string](page, `document.querySelector("#q").value`); got != "\"><script>window.pwned=1</script><img src=x onerror=window.pwned=1>\u202eabc" {
		page.Errorf("the field has %q", got)
	}
	for _, path := range []string{"/search?q=zebra", "/search", "/questions", "/keepers/keeper-1", "/graph", "/cost?when=today"} {
		page.open(path)
		page.see("main", "")
		if !eval[bool](page, `window.pwned === undefined && !document.querySelector("main img, main script") && ![...document.querySelectorAll("h1")].some(e => e.textContent === "Owned") && !/[\u202a-\u202e\u2066-\u2069]/.test(document.querySelector("main").textContent)`) {
			page.Errorf("%s is not safe: %s", path, page.text("main"))
		}
	}
}

// withoutScript searches by the form alone.
func withoutScript(page *tab) {
	page.Helper()
	page.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	page.open("/search")
	page.write("#q", "revenue"+kb.Enter)
	page.see("#hits-h", "2 found")
	page.open("/graph?when=hour")
	page.see("#pairs", "messages")
	page.open("/questions?agent=DataBot")
	page.see("#asked", "No question is open.")
}
