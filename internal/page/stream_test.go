package page

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"parley/internal/bubbletest"
)

// However many events come, each is told within the time in which hints are gathered,
// and steps, of which there are more, do not make them late.
func TestEventsAreToldAtOnceHoweverManyCome(t *testing.T) {
	for name, beside := range map[string]func(*hints){
		"alone":        func(*hints) {},
		"beside steps": func(h *hints) { h.add("step", "") },
	} {
		t.Run(name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				h := newHints()
				out := &paper{ResponseRecorder: httptest.NewRecorder()}
				v := &visit{Door: &Door{assets: assets{}}, w: out}
				ctx, end := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { v.sendHints(ctx, h, nil); close(done) }()
				var stored []time.Time
				for i := range 300 {
					stored = append(stored, time.Now())
					h.add("message", fmt.Sprintf("0.%d", i))
					beside(h)
					time.Sleep(7 * time.Millisecond)
				}
				time.Sleep(time.Second)
				end()
				<-done
				next := 0
				for _, hint := range out.hints {
					for ; next <= hint.upto; next++ {
						if late := hint.at.Sub(stored[next]); late > gather {
							t.Errorf("event %d was told after %v", next, late)
						}
					}
				}
				if next != len(stored) {
					t.Errorf("%d of %d events were told", next, len(stored))
				}
			})
		})
	}
}

// paper is what was told, and when.
type paper struct {
	*httptest.ResponseRecorder
	hints []told
}

type told struct {
	upto int
	at   time.Time
}

func (p *paper) Write(b []byte) (int, error) {
	var upto int
	if _, err := fmt.Sscanf(string(b), "id: 0.%d", &upto); err == nil {
		p.hints = append(p.hints, told{upto, time.Now()})
	}
	return len(b), nil
}
