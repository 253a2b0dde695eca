package crash

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ticking is an agent that is asked for something every second, twice.
const ticking = `---
limits: {schedule_interval: 1s}
schedule:
  - {name: tick, every: 1s, message: Tick.}
  - {name: tock, every: 1s, message: Tock., missed: skip}
---
You follow a script.
`

// Three hubs keep the same schedules, and are killed again and again, now and then with the
// server or all at once. Each due time has its work once, or is on record as missed.
func TestScheduledWorkOfThreeHubs(t *testing.T) {
	random, _ := newRandom(t)
	g := newGround(t)
	dsn := newDatabase(g)
	var places []*place
	var hubs []*hub
	for _, name := range []string{"first", "second", "third"} {
		p := g.place(name, team{store: dsn, lease: time.Second, files: map[string]string{"agents/Ticker.md": ticking}})
		places = append(places, p)
		hubs = append(hubs, g.start(p))
	}
	g.waitTicks(hubs[0], 102)
	for n := range kills(t) {
		g.killTicking(places, hubs, n, random)
	}
	last := g.ticks(hubs[1])
	g.waitTicks(hubs[1], last+3)
	for _, h := range hubs {
		h.waitUp()
		h.stop()
	}
	db, err := openPostgres(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	for _, entry := range []string{"tick", "tock"} {
		g.checkTicks(db, entry)
	}
}

// killTicking kills one hub at a random moment, and starts it again. Every ninth time it
// kills all of them, and every seventh time the server too.
func (g *ground) killTicking(places []*place, hubs []*hub, n int, random *rand.Rand) {
	g.Helper()
	<-time.After(time.Duration(random.IntN(1500)) * time.Millisecond)
	victims := []int{random.IntN(len(hubs))}
	if n%9 == 8 {
		victims = []int{0, 1, 2}
	}
	for _, v := range victims {
		hubs[v].kill()
	}
	if n%7 == 6 {
		server.crash(g)
	}
	for _, v := range victims {
		hubs[v] = g.start(places[v])
	}
	if n%3 == 0 {
		hubs[victims[0]].waitUp() // otherwise it may be killed while it starts
	}
}

// ticks is how many due times of tick have their work, as the hub says.
func (g *ground) ticks(h *hub) (n int) {
	g.Helper()
	c := h.waitUp()
	list, err := c.Schedules(g.Context(), "Ticker")
	if err != nil {
		return 0 // it is busy with coming up
	}
	for _, s := range list {
		if s.Name == "tick" && s.TaskID != "" {
			n, _ = strconv.Atoi(strings.TrimPrefix(s.TaskID, "task-"))
		}
	}
	return n
}

// waitTicks waits until the number of the last task of tick is beyond a number.
func (g *ground) waitTicks(h *hub, beyond int) {
	g.Helper()
	for end := time.Now().Add(patience); g.ticks(h) <= beyond; {
		if time.Now().After(end) {
			g.Fatalf("no work is made any more\n%s", h.lastWords())
		}
		<-time.After(50 * time.Millisecond)
	}
}

// checkTicks compares the record of one entry with its due times, which are a second apart:
// none is missing, none is there twice, and each that was made has one task of its own.
func (g *ground) checkTicks(db database, entry string) {
	g.Helper()
	made, missed := map[int64]int64{}, map[int64]bool{}
	err := db.each("SELECT kind, detail, task_id FROM event WHERE kind LIKE 'schedule.m%' ORDER BY id", func(c cells) {
		name, rest, _ := strings.Cut(c.Text(1), ": ")
		if name != entry {
			return
		}
		count, from := g.dueTimes(rest)
		for i := range count {
			due := from + i*time.Second.Microseconds()
			if made[due] != 0 || missed[due] {
				g.Errorf("%s is there twice for %d: %s", entry, due, c.Text(1))
			}
			if c.Text(0) == "schedule.made" {
				made[due] = c.Int(2)
			} else {
				missed[due] = true
			}
		}
	})
	if err != nil {
		g.Fatal(err)
	}
	var all []int64
	tasks := map[int64]bool{}
	for due, task := range made {
		all = append(all, due)
		if task == 0 || tasks[task] {
			g.Errorf("the work of %d is task %d", due, task)
		}
		tasks[task] = true
	}
	for due := range missed {
		all = append(all, due)
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i]-all[i-1] != time.Second.Microseconds() {
			g.Errorf("between %d and %d there is no record", all[i-1], all[i])
		}
	}
	g.checkTickTasks(db, entry, tasks)
	g.Logf("%s: %d due times made, %d missed", entry, len(made), len(missed))
}

// dueTimes reads how many due times an event is about, and the first of them: due TIME, or
// N due from TIME.
func (g *ground) dueTimes(text string) (count, from int64) {
	g.Helper()
	words := strings.Fields(text)
	count = 1
	if n, err := strconv.ParseInt(words[0], 10, 64); err == nil {
		count, words = n, words[2:]
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSuffix(words[1], ":"))
	if err != nil {
		g.Errorf("%q: %v", text, err)
	}
	return count, at.UnixMicro()
}

// checkTickTasks compares the tasks of one entry, by what they were asked, with those on
// record: none was made besides, and all have ended.
func (g *ground) checkTickTasks(db database, entry string, recorded map[int64]bool) {
	g.Helper()
	message := map[string]string{"tick": "Tick.", "tock": "Tock."}[entry]
	n := 0
	err := db.each("SELECT t.id, t.state FROM task t JOIN message m ON m.id = t.request_id JOIN agent a ON a.id = t.agent_id WHERE a.name = 'Ticker' AND m.body = '"+message+"'", func(c cells) {
		n++
		if !recorded[c.Int(0)] {
			g.Errorf("task %d is work that no due time has", c.Int(0))
		}
	})
	if err != nil || n != len(recorded) {
		g.Errorf("%s has %d tasks for %d due times: %v", entry, n, len(recorded), err)
	}
}
