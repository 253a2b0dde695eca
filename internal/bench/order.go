package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/wake"
)

// orders is what the process that measures has the hub's process do.
type orders struct {
	*running
	mu     sync.Mutex
	latest map[int64]time.Time // when mail for somebody was last committed
}

func newOrders(h *running) http.Handler {
	o := &orders{running: h, latest: map[int64]time.Time{}}
	// No mail is stored without waiting for the disk here, so the signal comes right after the
	// commit is on stable storage.
	h.Store.Bus().Listen(wake.Mail, func(id int64) {
		now := time.Now()
		o.mu.Lock()
		defer o.mu.Unlock()
		o.latest[id] = now
	})
	mux := http.NewServeMux()
	mux.HandleFunc("/bench/usage", func(w http.ResponseWriter, _ *http.Request) { answer(w, usedNow(), nil) })
	mux.HandleFunc("/bench/notify", o.notifyOne)
	mux.HandleFunc("/bench/write", o.write)
	return mux
}

func answer(w http.ResponseWriter, v any, err error) {
	if err == nil {
		err = json.NewEncoder(w).Encode(v)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// committed is when a message was.
type committed struct {
	At int64 `json:"at"` // in nanoseconds of the machine's clock
}

// notifyOne has a native agent notify the client with the given place among members.
func (o *orders) notifyOne(w http.ResponseWriter, r *http.Request) {
	to, err := strconv.Atoi(r.URL.Query().Get("to"))
	if err == nil {
		_, err = o.Contacts.Notify(r.Context(), access.Caller{Team: o.team.ID, Agent: o.ids[len(o.ids)-1]},
			contact.Request{Target: o.members[to].Name, Message: "Something for you."})
	}
	if err != nil {
		answer(w, nil, err)
		return
	}
	o.mu.Lock()
	at := o.latest[int64(o.ids[to])]
	o.mu.Unlock()
	answer(w, committed{At: at.UnixNano()}, nil)
}

// written is what writers at a fixed rate did.
type written struct {
	Ops  int     `json:"ops"`
	PerS float64 `json:"per_s"`
	P50  float64 `json:"p50_us"`
	P99  float64 `json:"p99_us"`
	CPU  float64 `json:"cpu_us"` // of the process, a message
	usage
}

// writers is how many write at once.
const writers = 10

// write has native agents notify the clients, so many times a second in all, however
// long each takes. for is in milliseconds.
func (o *orders) write(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	rate, err := strconv.Atoi(q.Get("rate"))
	ms, err2 := strconv.Atoi(q.Get("for"))
	if err != nil || err2 != nil || rate <= 0 {
		answer(w, nil, fmt.Errorf("a rate and a time are needed"))
		return
	}
	n := max(1, rate*ms/1000/writers) // each
	took, errs := make([][]time.Duration, writers), make([]error, writers)
	cpu, begun := processTime(), time.Now()
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			from := access.Caller{Team: o.team.ID, Agent: o.ids[len(o.ids)-1-writer%(len(o.ids)-1-o.clients)]}
			for i := range n {
				place := i*writers + writer
				time.Sleep(time.Until(begun.Add(time.Duration(place) * time.Second / time.Duration(rate))))
				start := time.Now()
				_, errs[writer] = o.Contacts.Notify(r.Context(), from, contact.Request{Target: o.members[1+place%o.clients].Name, Message: "Something for you."})
				if errs[writer] != nil {
					return
				}
				took[writer] = append(took[writer], time.Since(start))
			}
		})
	}
	all.Wait()
	elapsed, times := time.Since(begun), slices.Concat(took...)
	for _, err := range errs {
		if err != nil {
			answer(w, nil, err)
			return
		}
	}
	slices.Sort(times)
	answer(w, written{Ops: len(times), PerS: round(float64(len(times))/elapsed.Seconds(), 1), P50: inMicros(percentile(times, 50)), P99: inMicros(percentile(times, 99)),
		CPU: inMicros((processTime() - cpu) / time.Duration(len(times))), usage: usedNow()}, nil)
}
