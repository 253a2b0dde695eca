package crash

import (
	"strings"
	"time"

	"parley"
	"parley/internal/claim"
)

// readClaims reads who holds what.
func (r *record) readClaims(db database) error {
	return db.each("SELECT path, from_line, to_line, agent_id, task_id, until FROM claim", func(c cells) {
		r.claims = append(r.claims, parley.Claim{Path: c.Text(0), Lines: parley.Lines{From: int(c.Int(1)), To: int(c.Int(2))},
			Agent: parley.AgentID(c.Int(3)), Task: parley.TaskID(c.Int(4)), Until: parley.Micros(c.Int(5))})
	})
}

// checkClaims: no line is held by two at the same time. A claim is held from when
// it was taken or renewed until its time is over, while its task is open.
func (c *check) checkClaims() {
	open := map[parley.TaskID]bool{}
	for _, t := range c.tasks {
		open[parley.TaskID(t.id)] = t.state.Open()
	}
	for i, a := range c.claims {
		for _, b := range c.claims[:i] {
			apart := a.Until.Since(b.Until)
			if a.Path == b.Path && a.Lines.Overlaps(b.Lines) && !a.HeldBy(b.Agent, b.Task) && open[a.Task] && open[b.Task] &&
				max(apart, -apart) < claim.Duration-time.Second {
				c.wrong("%s is held by %s and %s", a.Region(), a.Task, b.Task)
			}
		}
	}
}

// tellsOfClaim reports whether a message tells whoever works on a file of somebody else's
// claim there. Who is told depends on who works there at that moment.
func (m message) tellsOfClaim() bool {
	return m.kind == string(parley.NotificationMessage) && (strings.HasPrefix(m.body, "Claimed: ") || strings.HasPrefix(m.body, "Released: "))
}
