package rules

import (
	"fmt"
	"sort"

	"parley"
)

var stats = map[string]int{}

func (w *world) tally(m *machine) {
	stats["runs"]++
	stats["stages"] += w.stage
	stats["lives"] += len(m.lives)
	for _, t := range w.tasks {
		stats["tasks"]++
		stats["state "+t.state.String()]++
		if t.turns > 1 {
			stats["turns>1"]++
			if t.state == parley.Completed {
				stats["turns>1 completed"]++
			}
		}
		stats["inbox"] += len(t.inbox)
		stats[fmt.Sprint("callback ", t.callback, t.pattern)]++
		stats[fmt.Sprint("asks ", t.asks)]++
		stats[fmt.Sprint("hops ", t.hops)]++
		if t.rescues > 0 {
			stats["rescued"]++
		}
		if t.retryOf != nil {
			stats["retried"]++
		}
	}
	for _, th := range w.dms {
		stats["messages"] += len(th.messages)
	}
}

func printStats() {
	var keys []string
	for k := range stats {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Printf("%-30s %d\n", k, stats[k])
	}
}
