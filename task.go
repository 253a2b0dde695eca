package parley

import "time"

// Pattern is how one participant contacts another.
type Pattern string

const (
	Ask      Pattern = "ask"      // the caller waits for the reply
	Delegate Pattern = "delegate" // the caller goes on; the result is pushed into its task
	Notify   Pattern = "notify"   // a message, no work

	// Mention is how a post in a channel asks its members: each mentioned one for
	// itself, and nobody waits. It is written into a text, not chosen.
	Mention Pattern = "mention"
	// QuestionPattern is how a question reaches each of those who are asked. It is routed,
	// not chosen as an action.
	QuestionPattern Pattern = "question"
	// AnswerPattern is how the answer to a question, or the news that there is none,
	// reaches an asker whose own task has ended.
	AnswerPattern Pattern = "answer"
)

// ParsePattern reads an action as a model or a person spells it.
func ParsePattern(s string) (Pattern, error) {
	switch p := Pattern(FoldName(s)); p {
	case Ask, Delegate, Notify:
		return p, nil
	}
	return "", Errorf(Invalid, "Unknown action %q.", s).WithHint("Use 'ask', 'delegate' or 'notify'.")
}

// Priority orders the queue of one agent; higher goes first.
type Priority int

const (
	Low    Priority = 1
	Normal Priority = 2
	High   Priority = 3
	Urgent Priority = 4
)

var priorityNames = [...]string{Low: "low", Normal: "normal", High: "high", Urgent: "urgent"}

func (p Priority) String() string {
	if p < Low || p > Urgent {
		return "normal"
	}
	return priorityNames[p]
}

// ParsePriority reads a priority; the empty string is normal.
func ParsePriority(s string) (Priority, error) {
	if s == "" {
		return Normal, nil
	}
	for p := Low; p <= Urgent; p++ {
		if FoldName(s) == priorityNames[p] {
			return p, nil
		}
	}
	return 0, Errorf(Invalid, "Unknown priority %q.", s).WithHint("Use 'low', 'normal', 'high' or 'urgent'.")
}

// State is where a task is. The open states come first, so that "open" is a
// comparison; an end is final. docs/state-machine.md draws the transitions.
type State int

const (
	Queued     State = 1 // claimable when Due is zero, else delayed until Due
	Running    State = 2 // a worker holds the lease Token
	Waiting    State = 3 // its turn ended with something still open
	Completed  State = 4
	TaskFailed State = 5
	Cancelled  State = 6
)

var stateNames = [...]string{Queued: "queued", Running: "running", Waiting: "waiting",
	Completed: "completed", TaskFailed: "failed", Cancelled: "cancelled"}

func (s State) String() string {
	if s < Queued || s > Cancelled {
		return "unknown"
	}
	return stateNames[s]
}

// Open reports whether the task can still change.
func (s State) Open() bool { return s <= Waiting }

// Callback says who gets the result of a task besides the conversation it
// belongs to.
type Callback int

const (
	// CallbackNone: the reply message in the dm is all, as for a person's task.
	CallbackNone Callback = 0
	// CallbackReply: the asking turn waits and takes the result as tool result.
	CallbackReply Callback = 1
	// CallbackResult: a delegation; the parent counts it among its open children.
	CallbackResult Callback = 2
	// CallbackLate: an ask whose time ran out; the parent is told if it is still
	// open, and does not wait.
	CallbackLate Callback = 3
	// CallbackCall: a tool call of the parent's turn waits for it, for as long as
	// it takes and without a worker; the call is run again then and finds the end.
	// The parent counts it among its open children.
	CallbackCall Callback = 4
	// CallbackAnswer: a question. The end of the task is the answer to it, unless it
	// was answered or forwarded before; the parent does not wait for it.
	CallbackAnswer Callback = 5
)

// Task is work that one participant asked of another, and its own queue entry.
type Task struct {
	ID      TaskID
	Team    TeamID
	Parent  TaskID // 0: a root
	Root    TaskID
	RetryOf TaskID
	// Cause is the task whose turn wrote the mention that asked for this one; 0 for
	// a person's, and for every other pattern.
	Cause TaskID

	Pattern   Pattern
	Requester AgentID
	Agent     AgentID
	Thread    ThreadID  // the conversation it is worked on in
	Request   MessageID // the message that asked for it
	Title     string
	Priority  Priority

	State    State
	Callback Callback
	Due      Micros // not before; 0 is now
	Deadline Micros // a delegation fails past it
	// WaitUntil is when the asker stops waiting; 0 when nobody waits.
	WaitUntil Micros

	AskDepth        int
	DelegationDepth int
	OpenChildren    int // children with CallbackResult or CallbackCall that have not ended
	Approvals       int // that are pending; a task that waits for one is woken by nothing else
	// Budget is the root whose budget the task draws on; 0 if its tree has none.
	Budget     TaskID
	Waits      Wait // for a budget, or for what it depends on; WaitNone if for neither
	Dependents int  // tasks that have waited, or wait, for its end
	InboxCount int  // items ever put into the inbox
	InboxRead  int  // items that a turn has taken

	Turns   int   // turns begun
	Worker  int64 // who holds the lease while running
	Token   int64 // grows with each claim; a stale one changes nothing
	Rescues int   // times a dead worker's turn was taken over

	Result  MessageID // the last closing text
	Error   string    // why it failed
	EndedBy AgentID   // who cancelled it

	CreatedAt Micros
	StartedAt Micros
	EndedAt   Micros
}

// LeasedTo reports whether the task runs under this lease. A turn whose lease was
// taken over changes nothing any more: every check of a lease is this one.
func (t *Task) LeasedTo(token int64) bool { return t.State == Running && t.Token == token }

// Awaited reports whether somebody waits for the end of the task: it is an ask
// whose time is not over.
func (t *Task) Awaited(now Micros) bool {
	return t.Pattern == Ask && t.Callback != CallbackResult && t.WaitUntil > now
}

// Wait says for what a task waits besides its children and approvals: a budget, or
// other tasks.
type Wait int

const (
	WaitNone Wait = 0
	// WaitTree: its tree's is spent. The task waits until somebody raises it.
	WaitTree Wait = 1
	// WaitDay: the team's of today is spent. The task is queued for tomorrow.
	WaitDay Wait = 2
	// WaitDependency: it has not begun, and begins when all that it depends on is
	// completed.
	WaitDependency Wait = 3
)

// Stuck reports whether a waiting task is woken by nothing that comes back to
// it: somebody has to decide first.
func (t *Task) Stuck() bool { return t.Approvals > 0 || t.Waits != WaitNone }

// Pushed reports whether the end of the task comes to its parent's inbox.
func (t *Task) Pushed() bool {
	return t.Callback == CallbackResult || t.Callback == CallbackLate
}

// Counted reports whether the task's parent does not end before it.
func (t *Task) Counted() bool {
	return t.Callback == CallbackResult || t.Callback == CallbackCall
}

// Lease is the right to run one task, fenced by its token.
type Lease struct {
	Task   TaskID
	Parent TaskID
	Team   TeamID
	Agent  AgentID
	Worker int64
	Token  int64
	Budget TaskID // as in the task
}

// Handover is a claimed task with what its turn begins with. That of a task that
// was stored just now need not be read.
type Handover struct {
	Task    Task
	Request Message
	Channel Channel
	Thread  Thread // with the request
}

// Lease is the right to run the task under its present token.
func (t *Task) Lease() Lease {
	return Lease{Task: t.ID, Parent: t.Parent, Team: t.Team, Agent: t.Agent, Worker: t.Worker, Token: t.Token, Budget: t.Budget}
}

// StepKind names what a stored step holds.
type StepKind string

const (
	StepPrompt StepKind = "prompt" // what was put before the model at the start of the turn
	StepReply  StepKind = "reply"  // one model reply; a quick first one holds the prompt too
	StepCall   StepKind = "call"   // a tool call is about to start
	StepResult StepKind = "result" // the tool call's result
	StepInbox  StepKind = "inbox"  // what arrived between two steps
	StepHeld   StepKind = "held"   // a tool call waits for approval
	StepAway   StepKind = "away"   // what no longer fitted was put into a keeper
)

// Step is one stored piece of a turn. Content is JSON, owned by package turn.
type Step struct {
	Task    TaskID
	Turn    int
	N       int
	Kind    StepKind
	Content []byte
	At      Micros
	Spent   Spending // since the step before
}

// Clock is passed in everywhere, so that tests can set it.
type Clock func() time.Time

// Now is the clock's time as stored.
func (c Clock) Now() Micros { return Micros(c().UnixMicro()) }

// Time is the point in time as the standard library has it.
func (m Micros) Time() time.Time { return time.UnixMicro(int64(m)) }

// Add moves a point in time.
func (m Micros) Add(d time.Duration) Micros { return m + Micros(d.Microseconds()) }

// Since is how long it is from before to m.
func (m Micros) Since(before Micros) time.Duration { return m.Until(before) }

// Until is how long it is from now to m.
func (m Micros) Until(now Micros) time.Duration {
	return time.Duration(m-now) * time.Microsecond
}
