package app

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"parley/internal/store"
)

// largeTeam is how many agents make it worth a collection to have less memory in use.
const largeTeam = 10_000

// settleMemory gives back what reading and joining a large team has left behind, and sets
// the limit anew.
func (c *ServeConfig) settleMemory(agents int) {
	if agents >= largeTeam {
		debug.FreeOSMemory()
	}
	LimitMemory(store.Memory(c.Team.Memory), c.Log)
}

const (
	// leastRoom and leastShare are what the collector has at least beside what is in use:
	// so many bytes, and this part of it.
	leastRoom  = 64 << 20
	leastShare = 3
)

// LimitMemory tells the collector its share of the hub's memory, once the team is
// there. The limit is soft: the collector works harder before it exceeds it. With hardly
// any room beside what is in use it would do nothing else, so a team that needs
// more gets more, and the log says so. Whoever sets GOMEMLIMIT has decided for himself.
func LimitMemory(m store.Memory, log *slog.Logger) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit, used := m.Collector(), liveHeap()
	if least := used + max(leastRoom, used/leastShare); least > limit {
		log.Warn("the team needs more memory than parley.yaml allows; raise memory",
			"allowed_mb", limit>>20, "used_mb", used>>20)
		limit = least
	}
	debug.SetMemoryLimit(limit)
}

// TendCollector lets a small heap hold more garbage until the context is done. A busy hub makes much
// of it and keeps little, and by Go's rule, as much garbage as is in use, it would collect many times
// a second while most of its memory is unused. Whoever sets GOGC has decided for himself.
func TendCollector(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for growth := 0; ; {
		if now := heapGrowth(liveHeap()); now != growth {
			growth = now
			debug.SetGCPercent(growth)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// spareHeap is how much garbage a heap may hold that has less in use.
const spareHeap = 64 << 20

// heapGrowth is how many percent of what is in use may be garbage, in steps of 20: each change stops
// everybody for a moment.
func heapGrowth(live int64) int {
	growth := 100 * spareHeap / max(live, 1)
	return int(min(400, max(100, growth))) / 20 * 20
}

// liveHeap is what the last collection found in use.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}
