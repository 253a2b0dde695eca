package parley

import (
	"fmt"
	"math"
	"time"
)

// Pattern is how one participant contacts another.
type Pattern string

const (
	Ask      Pattern = "ask"      // the caller waits for the reply
	Delegate Pattern = "delegate" // the caller goes on; the result is pushed into its task
	Notify   Pattern = "notify"   // a message, no work

	// Mention is how a post in a channel starts work for each member that it
	// mentions. Nobody waits for it. It is written in a text, not chosen as an
	// action.
	Mention Pattern = "mention"
	// QuestionPattern is how a question reaches each agent that is asked. It is
	// routed, not chosen as an action.
	QuestionPattern Pattern = "question"
	// AnswerPattern is how an asker whose own task has ended learns of the answer to
	// its question, or that there is none.
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

// State is the state of a task. The open states come first, so that Open is one
// comparison. The others are final. docs/state-machine.md draws the transitions.
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
	// CallbackNone: nobody. The reply message in the dm is enough, as for a
	// person's task.
	CallbackNone Callback = 0
	// CallbackReply: the asking turn waits and takes the result as a tool result.
	CallbackReply Callback = 1
	// CallbackResult: a delegation. The parent counts it among its open children.
	CallbackResult Callback = 2
	// CallbackLate: an ask whose time ran out. The parent no longer waits, but is
	// told of the result if it is still open.
	CallbackLate Callback = 3
	// CallbackCall: a tool call of the parent's turn waits for the task as long as
	// it takes, without holding a worker. When the task has ended, the call runs
	// again and finds the result. The parent counts it among its open children.
	CallbackCall Callback = 4
	// CallbackAnswer: a question. The closing text of the task is the answer,
	// unless the question was answered or forwarded before. The parent does not
	// wait for it.
	CallbackAnswer Callback = 5
)

// Task is work that one participant asked of another, and its own queue entry.
type Task struct {
	ID      TaskID
	Team    TeamID
	Parent  TaskID // 0: a root
	Root    TaskID
	RetryOf TaskID
	// Resumes is the failed task, RetryOf, whose steps this one takes over; 0 if it
	// begins anew.
	Resumes TaskID
	// Cause is the task whose turn wrote the mention, or asked the question, that
	// led to this one. It is 0 for a person's mention and for the other patterns.
	Cause TaskID

	// Chain is the first task of the chain of causes that led to this one: whose turn
	// asked, delegated or mentioned. A person's contact begins a chain, and so does a
	// person's post: all that it mentions are of the chain of the first.
	Chain TaskID
	// Mentions counts, in the first task of a chain, the tasks that mentions by agents
	// have made along the chain. MentionsTold says that those who read along were told
	// that no more are made.
	Mentions     int
	MentionsTold bool

	Pattern   Pattern
	Requester AgentID
	Agent     AgentID
	Thread    ThreadID  // the conversation in which it is worked on
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
	Approvals       int // pending; nothing else wakes a task that waits for one
	// Budget is the root whose budget the task draws on; 0 if its tree has none.
	Budget TaskID
	Waits  Wait // what it waits for besides children and approvals
	// Provider is whose refusals the task waits out, since ProviderSince; that is 0
	// if it does not. The next try is at Due. It may be running or queued: then it
	// tries.
	Provider      string
	ProviderSince Micros
	Dependents    int // tasks that wait for its end, or have waited
	InboxCount    int // items ever put into the inbox
	InboxRead     int // items that a turn has taken

	Turns   int   // turns begun
	Worker  int64 // who holds the lease while running
	Token   int64 // grows with each claim; an old token can change nothing
	Rescues int   // how often it was taken over from a dead worker

	Result  MessageID // the last closing text
	Error   string    // why it failed
	EndedBy AgentID   // who cancelled it

	CreatedAt Micros
	StartedAt Micros
	EndedAt   Micros
}

// LeasedTo reports whether the task runs under this lease. A turn whose lease was
// taken over must not change anything any more. Every check of a lease is this one.
func (t *Task) LeasedTo(token int64) bool { return t.State == Running && t.Token == token }

// Awaited reports whether somebody waits for the end of the task: it is an ask
// and its time is not over.
func (t *Task) Awaited(now Micros) bool {
	return t.Pattern == Ask && t.Callback != CallbackResult && t.WaitUntil > now
}

// Wait says what a task waits for besides its children and approvals: a budget,
// or other tasks.
type Wait int

const (
	WaitNone Wait = 0
	// WaitTree: the budget of its tree is spent. Somebody has to raise it.
	WaitTree Wait = 1
	// WaitDay: the team's budget of the day is spent. The task is queued for
	// tomorrow.
	WaitDay Wait = 2
	// WaitDependency: it has not begun. It begins when every task that it depends
	// on is completed.
	WaitDependency Wait = 3
	// WaitRate: a mention that the rate of its author has put off. It is queued for
	// when the rate allows it.
	WaitRate Wait = 4
	// WaitProvider: the provider of its agent's model asks for patience. The model is
	// asked again when the task is due.
	WaitProvider Wait = 5
)

// Blocked reports whether a result in its inbox does not wake a waiting task:
// what it waits for has to be settled first.
func (t *Task) Blocked() bool { return t.Approvals > 0 || t.Waits != WaitNone }

// WaitText says in words what an open task waits for; empty if for nothing. now is for
// how long it still is.
func (t *Task) WaitText(now Micros) string {
	switch {
	case t.State != Waiting && t.State != Queued:
		return ""
	case t.Waits == WaitProvider:
		return ProviderWaitText(t.Provider, t.Due.Until(now))
	case t.Approvals > 0:
		return "waiting for approval"
	case t.Waits == WaitTree:
		return "waiting for budget"
	case t.Waits == WaitDay:
		return "waiting for tomorrow's budget"
	case t.Waits == WaitDependency:
		return "waiting for what it depends on"
	case t.Waits == WaitRate:
		return "waiting for the rate of who mentioned it"
	case t.State == Waiting:
		return fmt.Sprintf("waiting for %d", t.OpenChildren)
	}
	return ""
}

// ProviderWaitText is what everybody reads of a task that waits for a provider, such
// as "waiting for anthropic, 40 s".
func ProviderWaitText(provider string, left time.Duration) string {
	return "waiting for " + ProviderAndTime(provider, left)
}

// ProviderAndTime is a provider and how long it is waited for, such as "anthropic, 40 s".
func ProviderAndTime(provider string, left time.Duration) string {
	switch {
	case left <= 0:
		return provider
	case left < 2*time.Minute:
		return fmt.Sprintf("%s, %d s", provider, int(math.Ceil(left.Seconds())))
	case left < 2*time.Hour:
		return fmt.Sprintf("%s, %d min", provider, int(math.Ceil(left.Minutes())))
	}
	return fmt.Sprintf("%s, %d h", provider, int(math.Ceil(left.Hours())))
}

// Pushed reports whether the result of the task goes to its parent's inbox.
func (t *Task) Pushed() bool {
	return t.Callback == CallbackResult || t.Callback == CallbackLate
}

// Counted reports whether the parent cannot end before the task does.
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
	// Mention is the first task of the chain, if a mention made the task; 0 if not.
	// Its closing text may mention others, which is counted there.
	Mention TaskID
}

// Handover is a claimed task together with what its turn needs to begin. A task
// that was stored just now is handed over without reading it again.
type Handover struct {
	Task    Task
	Request Message
	Channel Channel
	Thread  Thread // with the request
	Mail    bool   // the agent has unread mail
	// Quiet reports that nothing has come for the task since; false means that somebody has
	// to look. It is nil where that cannot be known.
	Quiet func() bool
}

// Lease is the right to run the task under its present token.
func (t *Task) Lease() Lease {
	l := Lease{Task: t.ID, Parent: t.Parent, Team: t.Team, Agent: t.Agent, Worker: t.Worker, Token: t.Token, Budget: t.Budget}
	if t.Pattern == Mention {
		l.Mention = t.Chain
	}
	return l
}

// StepKind names what a stored step holds.
type StepKind string

const (
	StepPrompt  StepKind = "prompt" // what the model was shown at the start of the turn
	StepReply   StepKind = "reply"  // one model reply; a quick first one holds the prompt too
	StepCall    StepKind = "call"   // a tool call is about to start
	StepResult  StepKind = "result" // the tool call's result
	StepInbox   StepKind = "inbox"  // what arrived between two steps
	StepHeld    StepKind = "held"   // a tool call waits for approval
	StepOffload StepKind = "away"   // messages that no longer fitted were put into a keeper
	StepLost    StepKind = "lost"   // what model calls consumed that came to nothing; the model is not shown it
)

// Step is one stored piece of a turn. Content is JSON, owned by package turn.
type Step struct {
	Task    TaskID
	Turn    int
	N       int
	Kind    StepKind
	Content []byte
	At      Micros
	Spent   Spending // since the previous step

	Model     string // that was asked; empty if none was
	Cached    int64  // tokens of the input that came from the provider's cache
	Estimated bool   // what was spent is partly a guess
}

// Clock tells the time. It is passed in everywhere, so that tests can set it.
type Clock func() time.Time

// Now is the present time as stored.
func (c Clock) Now() Micros { return Micros(c().UnixMicro()) }

func (m Micros) Time() time.Time { return time.UnixMicro(int64(m)) }

func (m Micros) Add(d time.Duration) Micros { return m + Micros(d.Microseconds()) }

// Since is the time from before to m.
func (m Micros) Since(before Micros) time.Duration { return m.Until(before) }

// Until is the time from now to m.
func (m Micros) Until(now Micros) time.Duration {
	return time.Duration(m-now) * time.Microsecond
}
