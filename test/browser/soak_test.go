package browser

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// held is what a tab holds after everything that can be freed was freed.
type held struct{ bytes, nodes, listeners int64 }

func (t *tab) held() (h held) {
	t.Helper()
	t.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			return err
		}
		used, err := cdp.Call(ctx, target, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			return err
		}
		counted, err := cdp.Call(ctx, target, memory.GetDOMCounters, cdp.Empty{})
		h = held{bytes: int64(used.UsedSize + used.EmbedderHeapUsedSize), nodes: counted.Nodes, listeners: counted.JsEventListeners}
		return err
	}))
	return h
}

// grown reports whether it is more than what was held when the tab was full.
func (h held) grown(full held) bool {
	return h.bytes > full.bytes*5/4+(1<<20) || h.nodes > full.nodes*5/4+200 || h.listeners > full.listeners+20
}

// pace is how fast the story is told, at most: others need the processors as well.
const pace = 80 * time.Millisecond

// A tab stays open all day. It is shown the same story again and again, for the time in
// PARLEY_SOAK or a minute, and must not hold more at the end than once it was full.
func TestATabDoesNotGrow(t *testing.T) {
	span := time.Minute
	if s := os.Getenv("PARLEY_SOAK"); s != "" {
		var err error
		if span, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	t.Parallel()
	w := newWorldBeside(t, team)
	page := w.signIn()
	rounds := 0
	pace := time.NewTicker(pace)
	defer pace.Stop()
	play := func(until time.Time) {
		for ; time.Now().Before(until); <-pace.C {
			w.ended(w.contact("ask", "CoordinatorBot", "Prepare the report.").Task.ID)
			inbox, err := w.Inbox(t.Context(), 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range inbox.Items {
				if err := w.MarkSeen(t.Context(), m.ID); err != nil {
					t.Fatal(err)
				}
			}
			rounds++
		}
	}
	begin := time.Now()
	play(begin.Add(span / 4))
	page.see("#feed", "CoordinatorBot answers Mira")
	full := page.held()
	play(begin.Add(span))
	page.see("#feed", "CoordinatorBot answers Mira")
	end := page.held()
	// The page is still reading its parts anew, and holds the new ones beside the old until it has
	// taken them over. What has leaked stays.
	for deadline := time.Now().Add(patience); end.grown(full) && time.Now().Before(deadline); <-pace.C {
		end = page.held()
	}
	t.Logf("%d rounds: %+v after a quarter, %+v at the end", rounds, full, end)
	if end.grown(full) {
		t.Errorf("the tab grew from %+v to %+v within %d rounds", full, end, rounds)
	}
}
