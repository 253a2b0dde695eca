package parley

import "time"

// Limits bound what one agent may do. A team or an agent can set each of them;
// these are the resolved values.
type Limits struct {
	AskDepth           int
	DelegationDepth    int
	Rate               int // contacts that an agent may start per minute, in the long run
	Burst              int // contacts that it may start at once; 0 is twice the rate
	MentionTurns       int // turns by mentions that agents write, caused by one message of a person or one task
	Rounds             int // rounds of a task that, on results from an agent, only delegate to it again, before people are asked
	Steps              int // model replies in one turn
	MessageBytes       int
	Turns              int // concurrent turns of a native agent
	Rescues            int // how often one task is taken over from a dead worker
	AskTimeout         time.Duration
	CallTimeout        time.Duration // of the tool call_agent
	DelegationDeadline time.Duration
	ApprovalExpiry     time.Duration // an undecided approval expires after it
	QuestionLifetime   time.Duration // an unanswered question expires after it
	// NudgeAfter is how long a task of the agent may be without progress before its
	// requester is told, once; 0 tells nobody.
	NudgeAfter       time.Duration
	Schedules        int           // entries of the agent's schedule
	ScheduleInterval time.Duration // the shortest time between two due times of an entry
	// Budget is for a tree of tasks whose root this agent works on.
	Budget Budget
	// Daily is what all turns of the team may spend in a day. It bounds tokens and
	// money only.
	Daily Budget
}

// AttachmentBytes is the longest text that can be stored beside its message.
const AttachmentBytes = 4 << 20

// Interval is how long an agent's bucket needs to refill by one contact.
func (l Limits) Interval() time.Duration { return time.Minute / time.Duration(max(l.Rate, 1)) }

// Bucket is how many contacts a full bucket holds.
func (l Limits) Bucket() int {
	if l.Burst == 0 {
		return 2 * l.Rate
	}
	return l.Burst
}

// DefaultLimits apply where the files set nothing else.
func DefaultLimits() Limits {
	return Limits{
		AskDepth: 3, DelegationDepth: 10, Rate: 10, MentionTurns: 30, Rounds: 10, Steps: 30, MessageBytes: 256 << 10, Turns: 8, Rescues: 3,
		AskTimeout: 120 * time.Second, CallTimeout: 30 * time.Minute, DelegationDeadline: 7 * 24 * time.Hour,
		ApprovalExpiry: 24 * time.Hour, QuestionLifetime: 10 * time.Minute, Schedules: 20, ScheduleInterval: time.Minute,
	}
}
