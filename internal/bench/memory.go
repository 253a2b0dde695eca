package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"parley"
	"parley/internal/app"
	"parley/internal/model/scripted"
)

// memory measures what an agent costs that does nothing: the heap of a hub
// with many of them less that of an empty one, and the whole process.
func (b *bench) memory(ctx context.Context) error {
	if !b.wanted.has(memoryName) {
		return nil
	}
	b.say("memory: a hub with %s agents", count(b.plan.idle))
	empty, full, err := beforeAndAfter(ctx, errand{Do: doMemory, Engine: engineSQLite, Address: filepath.Join(b.dir, "memory.db"), Agents: b.plan.idle})
	if err != nil {
		return err
	}
	return b.report.add(Line{Name: memoryName, Agents: b.plan.idle, Heap: full.Heap, RSS: full.RSS,
		Bytes: (full.Heap - empty.Heap) / int64(b.plan.idle)})
}

// beforeAndAfter is the memory of a hub in a process of its own, with nothing and
// with what its errand brings.
func beforeAndAfter(ctx context.Context, e errand) (empty, full usage, err error) {
	c, err := startChild(ctx, e)
	if err != nil {
		return empty, full, err
	}
	err = c.hear(&empty)
	if err == nil {
		err = c.hear(&full)
	}
	return empty, full, errors.Join(err, c.kill())
}

// usage is the memory of a process.
type usage struct {
	Heap int64 `json:"heap"`
	RSS  int64 `json:"rss"`
	// The most that was ever resident, and what runs.
	Peak       int64 `json:"peak"`
	Goroutines int   `json:"goroutines"`
}

// idle runs a hub, first with nobody, then with many who do nothing.
func (e errand) idle(ctx context.Context) error {
	st, err := openStore(ctx, e.Engine, e.Address)
	if err != nil {
		return err
	}
	h, err := start(ctx, st, newCrew(plan{}, 0, nil))
	if err != nil {
		return errors.Join(err, st.Close())
	}
	err = tell(used())
	if err == nil {
		_, err = h.Join(ctx, app.Roster{Team: parley.MainTeam, Members: strangers(e.Agents), Partial: true})
	}
	if err == nil {
		err = tell(used())
	}
	if err == nil {
		<-ctx.Done()
	}
	return errors.Join(err, h.end(), st.Close())
}

// strangers are agents of which each has its own texts, as if read from files.
func strangers(n int) []app.Member {
	list := make([]app.Member, n)
	m := scripted.Noop()
	for i := range list {
		name := fmt.Sprintf("agent-%06d", i)
		list[i] = app.Member{Name: name, Kind: parley.Native, Limits: parley.DefaultLimits(), Model: m,
			Description:  name + " knows one thing and is asked about it now and then.",
			Instructions: name + strings.Repeat(" answers in one sentence and says what it rests on.", 4)}
	}
	return list
}

// used is the memory in use when what is not needed has been given back.
func used() usage {
	debug.FreeOSMemory()
	return usedNow()
}

// usedNow is the memory in use as it is, with what is not needed any more.
func usedNow() usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{Heap: int64(m.HeapAlloc), RSS: resident("VmRSS:", int64(m.Sys)), Peak: resident("VmHWM:", int64(m.Sys)),
		Goroutines: runtime.NumGoroutine()}
}

// resident reads the memory of the process from where Linux shows it. Other
// systems get what the runtime has asked for, which is more.
func resident(field string, elsewhere int64) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return elsewhere
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, field); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			if err == nil {
				return kb << 10
			}
		}
	}
	return elsewhere
}
