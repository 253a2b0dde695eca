package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"parley/client"
)

func TestTheGraphAndTheCostCountWhatHappened(t *testing.T) {
	w := newWorld(t, keen)
	page := w.signIn()
	page.open("/graph")
	page.see("#net", "Nobody has talked today.")
	for range 3 {
		w.ended(w.contact("ask", "DataBot", "What was the revenue?").Task.ID)
	}
	edge := func(count int) {
		t.Helper()
		page.until(fmt.Sprintf("a line with %d messages", count), `[...document.querySelectorAll(".net .ct")].map(e => e.textContent).join() === %s`, fmt.Sprint(count))
		page.see("#pairs .ag", "DataBot and Mira")
		page.see("#pairs b", fmt.Sprint(count))
	}
	edge(6)
	before := eval[string](page, `[...document.querySelectorAll(".net a > g")].map(e => e.getAttribute("transform")).join()`)
	w.contact("notify", "DataBot", "Thank you.")
	edge(7)
	w.ended(w.contact("delegate", "WriterBot", "Write it.").Task.ID)
	page.see("#pairs .ag", "WriterBot and Mira")
	if after := eval[string](page, `[...document.querySelectorAll(".net a > g")].map(e => e.getAttribute("transform")).join()`); after != before || strings.Count(before, "translate") != 5 {
		t.Errorf("they stand at %s, before at %s", after, before)
	}

	cost, err := w.Cost(t.Context(), client.CostQuery{})
	if err != nil || cost.Total.Calls != 4 {
		t.Fatalf("%+v: %v", cost, err)
	}
	var want []string
	for _, l := range cost.Lines {
		want = append(want, fmt.Sprintf("%s $%.2f %d %d %d %d", l.Key, l.Money, l.Input, l.Cached, l.Output, l.Calls))
	}
	page.open("/cost?when=all")
	page.see("#costs", fmt.Sprintf("%d tokens read, 0 of them from a cache, %d written, in 4 calls", cost.Total.Input, cost.Total.Output))
	got := eval[[]string](page, `[...document.querySelectorAll("#costs section:has(#by-Agent) tbody tr")].map(r => [...r.children].map(c => c.textContent.trim()).filter(Boolean).join(" "))`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by agent (-want +got):\n%s", diff)
	}
	page.until("a bar of today", `document.querySelectorAll(".days rect").length === 1`)

	narrow(page)
}

// narrow looks at every view of this part on a phone, where the hub says the longest that it
// says there.
func narrow(page *tab) {
	page.Helper()
	page.do(chromedp.EmulateViewport(390, 844))
	for _, path := range []string{"/questions", "/keepers", "/search", "/search?q=revenue", "/search?q=revenue&when=own&from=2026-01-01", "/graph", "/graph?when=own", "/cost"} {
		page.open(path)
		page.ready() // all of it is there
		eval[int](page, `document.querySelectorAll(".sec-h .says").forEach(e => e.textContent = "2 messages are not in the index yet and were read one by one"), 0`)
		page.until(path+" is as wide as the screen", `document.documentElement.scrollWidth <= 390`)
	}
}
