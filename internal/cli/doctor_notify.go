package cli

import (
	"fmt"

	"parley/api"
	"parley/internal/app"
)

// notify looks at the commands and addresses through which people are told. It tells
// nobody.
func (e *examination) notify() {
	for _, c := range app.CheckNotify(e.team) {
		if c.Problem != "" {
			e.wrong("notify", c.Target+": "+c.Problem+".", "Until then nobody is told through it what waits for them.")
			continue
		}
		e.ok("notify", "%s", c.Target)
	}
}

// told says what the running hub could not tell.
func (e *examination) told(targets []api.NotifyTarget) {
	for _, t := range targets {
		if t.Problem != "" {
			detail := t.Target + ": people could not be told: " + t.Problem + "."
			if t.Next != nil {
				detail += " It is tried again at " + t.Next.Local().Format("15:04:05") + "."
			}
			e.wrong("notify", detail, "The log of the hub says more. What waits is in the inbox all the same.")
		}
		if t.GivenUp > 0 && t.GivenUpAt != nil {
			e.note("notify", fmt.Sprintf("%s: %d were given up, the last one at %s.", t.Target, t.GivenUp, t.GivenUpAt.Local().Format("2006-01-02 15:04:05")), "")
		}
	}
}
