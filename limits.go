package parley

import "time"

// Limits bound what one agent may do. Each can be set for a team or an agent;
// these are the resolved values.
type Limits struct {
	AskDepth           int
	DelegationDepth    int
	Rate               int // contacts an agent may start a minute
	Steps              int // model replies in one turn
	MessageBytes       int
	Turns              int // concurrent turns of a native agent
	Rescues            int // of one task, after crashes
	AskTimeout         time.Duration
	CallTimeout        time.Duration // of call_agent
	DelegationDeadline time.Duration
	ApprovalExpiry     time.Duration // then nobody has approved
	QuestionLifetime   time.Duration // then nobody has answered
	// Budget is that of a tree whose root is asked of the agent.
	Budget Budget
	// Daily is what all turns of the team may spend in a day; tokens and money
	// alone.
	Daily Budget
}

// DefaultLimits are in force where nobody says otherwise.
func DefaultLimits() Limits {
	return Limits{
		AskDepth: 3, DelegationDepth: 10, Rate: 10, Steps: 30, MessageBytes: 256 << 10, Turns: 8, Rescues: 3,
		AskTimeout: 120 * time.Second, CallTimeout: 30 * time.Minute, DelegationDeadline: 7 * 24 * time.Hour,
		ApprovalExpiry: 24 * time.Hour, QuestionLifetime: 10 * time.Minute,
	}
}
