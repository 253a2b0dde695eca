package parley

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// AgentKind says who runs an agent's turns.
type AgentKind string

const (
	Native AgentKind = "native" // the hub, with a model
	Client AgentKind = "client" // an outside program that joins with a token
	Remote AgentKind = "remote" // an A2A agent elsewhere
	Person AgentKind = "person" // a human
)

// Agent is a named participant, as stored.
type Agent struct {
	ID   AgentID
	Team TeamID
	Name string
	Kind AgentKind
	// Turns is how many turns the agent may run at once. 1 means strictly one,
	// even while that one waits for somebody.
	Turns int
	// Home is the team folder whose files define the agent.
	Home string
	// Removed says that the team's files no longer define the agent. It is kept
	// for the record and stays offline.
	Removed       bool
	Offline       bool
	SleepingUntil Micros
	// ConnectedUntil is until when a client counts as connected, and until when what it
	// was handed is its own. Each of its calls renews it.
	ConnectedUntil Micros
	// Rate is the bucket that the agent's own contacts draw on.
	Rate Rate
}

// Rate is a bucket that refills with time: how much was missing from it when it was
// last drawn on. What is missing is measured as the time that refilling it takes, so
// a changed limit needs no conversion.
type Rate struct {
	At   Micros // on the steady clock of the store, which is no time of day
	Debt time.Duration
}

// maxSkew is how far the steady clocks of two hubs on one database may differ.
const maxSkew = 15 * time.Second

// Refilled is the bucket at a later time. One of a time that is yet to come was
// stored by a hub whose clock was ahead, and has been set back since; it counts as
// full. Otherwise its agent would be blocked until that time.
func (r Rate) Refilled(now Micros) Rate {
	switch passed := now.Since(r.At); {
	case passed >= 0:
		return Rate{At: now, Debt: max(0, r.Debt-passed)}
	case passed >= -maxSkew:
		return r // another hub, or a transaction that began later, was first
	default:
		return Rate{At: now}
	}
}

// Pulls reports whether the agent fetches its messages itself, instead of
// having the hub run its turns.
func (a Agent) Pulls() bool { return a.Kind == Person || a.Kind == Client }

func (a Agent) Sleeping(now Micros) bool { return a.SleepingUntil > now }

// Away reports whether the agent is a client that is not connected. It counts as
// sleeping, but nothing that the hub does wakes it.
func (a Agent) Away(now Micros) bool { return a.Kind == Client && a.ConnectedUntil <= now }

// Gone reports whether the agent cannot be contacted at all.
func (a Agent) Gone() bool { return a.Offline || a.Removed }

// NotConnected is why a client sleeps that no person has put to sleep.
const NotConnected = "not connected"

// Status is derived from the agent's row and its open tasks, never stored.
type Status string

const (
	StatusOffline            Status = "offline"
	StatusSleeping           Status = "sleeping"
	StatusWorking            Status = "working"
	StatusAwaitingApproval   Status = "awaiting_approval"
	StatusAwaitingDelegation Status = "awaiting_delegation"
	StatusIdle               Status = "idle"
)

// OpenTasks counts an agent's open tasks by what they are doing.
type OpenTasks struct {
	Queued, Running, Waiting int
	// Children are the open tasks that the waiting ones wait for.
	Children int
	Held     int    // waiting tasks that wait for an approval
	Unfunded int    // waiting tasks that wait for their budget
	Refused  int    // waiting tasks that wait for their provider
	Provider string // one of those that they wait for
}

// StatusAt derives the status: offline > sleeping > working >
// awaiting_approval > awaiting_delegation > idle.
func (a Agent) StatusAt(now Micros, open OpenTasks) Status {
	switch {
	case a.Gone():
		return StatusOffline
	case a.Sleeping(now) || a.Away(now):
		return StatusSleeping
	case open.Running > 0:
		return StatusWorking
	case open.Held > 0:
		return StatusAwaitingApproval
	case open.Waiting > 0:
		return StatusAwaitingDelegation
	default:
		return StatusIdle
	}
}

// ReasonAt explains the status that StatusAt gives. It is empty if there is
// nothing to add.
func (a Agent) ReasonAt(now Micros, open OpenTasks) string {
	switch status := a.StatusAt(now, open); {
	case status == StatusSleeping && a.Away(now):
		return NotConnected
	case status == StatusSleeping:
		return "until " + a.SleepingUntil.Time().UTC().Format(time.RFC3339)
	case status == StatusWorking:
		return fmt.Sprintf("%d running", open.Running)
	case status == StatusAwaitingApproval:
		return fmt.Sprintf("%d held", open.Held)
	case status == StatusAwaitingDelegation:
		return open.awaits()
	case status == StatusIdle && open.Queued > 0:
		return fmt.Sprintf("%d queued", open.Queued)
	}
	return ""
}

// awaits says what the waiting tasks wait for, apart from approvals.
func (o OpenTasks) awaits() string {
	var parts []string
	if o.Children > 0 || o.Unfunded+o.Refused == 0 {
		parts = append(parts, fmt.Sprintf("%d open", o.Children))
	}
	if o.Unfunded > 0 {
		parts = append(parts, fmt.Sprintf("%d for budget", o.Unfunded))
	}
	if o.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%d for %s", o.Refused, o.Provider))
	}
	return strings.Join(parts, ", ")
}

// Because is the status with its reason: sleeping until …, or
// awaiting_delegation (2 open).
func (s Status) Because(reason string) string {
	switch {
	case reason == "":
		return string(s)
	case s == StatusSleeping && reason != NotConnected:
		return string(s) + " " + reason
	default:
		return string(s) + " (" + reason + ")"
	}
}

func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == ' ' || r == '-' || r == '_' || r == '.'
}
