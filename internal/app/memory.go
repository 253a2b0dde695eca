package app

import (
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"

	"parley/internal/store"
)

// LimitMemory tells the collector its share of the hub's memory, once the team is
// there. The limit is soft: the collector works harder before it exceeds it. With less
// than twice of what is in use it would do hardly anything else, so a team that needs
// more gets more, and the log says so. Whoever sets GOMEMLIMIT has decided for himself.
func LimitMemory(m store.Memory, log *slog.Logger) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit, used := m.Collector(), liveHeap()
	if least := 2 * used; least > limit {
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
