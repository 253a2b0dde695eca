package app

import (
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"

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
	TuneCollector(store.Memory(c.Team.Memory), c.Log)
}

// heapGrowth is by how many percent the heap may grow beyond what is in use before the next
// collection, as long as it stays within its limit. A busy hub makes much short-lived garbage and
// keeps little, so with Go's 100 it would collect many times a second with most of its memory unused.
const heapGrowth = 400

const (
	// leastRoom and leastShare are what the collector has at least beside what is in use:
	// so many bytes, and this part of it.
	leastRoom  = 64 << 20
	leastShare = 3
)

// TuneCollector gives the collector its share of the hub's memory, and has it use that, once the
// team is there. The limit is soft: the collector works harder before it exceeds it. With hardly
// any room beside what is in use it would do nothing else, so a team that needs
// more gets more, and the log says so. Whoever sets GOMEMLIMIT or GOGC has decided for himself.
func TuneCollector(m store.Memory, log *slog.Logger) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
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

// liveHeap is what the last collection found in use.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}
