package parley

// ChannelKind says whether a channel belongs to a pair or to a named group.
type ChannelKind string

const (
	DM    ChannelKind = "dm"
	Group ChannelKind = "group"
)

// Channel holds messages. A dm has two participants, A < B; a group has a name
// and members.
type Channel struct {
	ID   ChannelID
	Team TeamID
	Kind ChannelKind
	A, B AgentID
	Main ThreadID

	Name  string // of a group, shown as #name
	Topic string
	// Home is the team folder whose files define the group. It is empty for one
	// that was made while the hub ran.
	Home    string
	Removed bool // kept for the record; its name may be used again
}

// Peer is the other participant of a dm.
func (c Channel) Peer(of AgentID) AgentID {
	if of == c.A {
		return c.B
	}
	return c.A
}

// Thread is a conversation within a channel. Its messages form a list linked
// backwards from Last and numbered 1 to Count. So reading the newest twenty
// costs twenty look-ups however long the history is, and storing a message
// changes no index.
type Thread struct {
	ID      ThreadID
	Channel ChannelID
	Last    MessageID
	Count   int
	// First is participant A of a dm. Read is how far A and B have read, as message
	// numbers.
	First AgentID
	Read  [2]int
	// Kept says that the hub has put parts of it into keepers.
	Kept bool
}

// ReadBy is how far a participant of a dm has read.
func (t Thread) ReadBy(id AgentID) int { return t.Read[t.side(id)] }

// SetRead records that a participant has read up to message n. It never goes
// back.
func (t *Thread) SetRead(id AgentID, n int) {
	side := t.side(id)
	t.Read[side] = max(t.Read[side], n)
}

func (t Thread) side(id AgentID) int {
	if id == t.First {
		return 0
	}
	return 1
}

// MessageKind says what a message is in its conversation.
type MessageKind string

const (
	AskMessage          MessageKind = "ask"
	DelegateMessage     MessageKind = "delegate"
	SentMessage         MessageKind = "message" // starts work in a thread of its own; no result comes back
	NotificationMessage MessageKind = "notification"
	PostMessage         MessageKind = "post"  // in a channel, for whoever reads it; starts work for those it mentions
	ReplyMessage        MessageKind = "reply" // the closing text of a turn
	ResultMessage       MessageKind = "delegation_result"
	FailureMessage      MessageKind = "delegation_failed"
	QuestionMessage     MessageKind = "question"
	AnswerMessage       MessageKind = "answer"
	// UnansweredMessage tells an asker that nobody answered. Its author is the
	// asker itself.
	UnansweredMessage MessageKind = "question_unanswered"
	// NoticeMessage is what the hub says in a channel. Its author is whose message
	// gave rise to it.
	NoticeMessage MessageKind = "notice"
	// ApprovalRequestMessage asks a manager whose turns the hub runs to decide about
	// an approval. Only the hub writes it; its author is the manager itself.
	ApprovalRequestMessage MessageKind = "approval_request"
	// TaskEndedMessage tells a client that a task which it was handed was cancelled or
	// given up. Only the hub writes it; its author is the client itself.
	TaskEndedMessage MessageKind = "task_ended"
	// ReminderMessage tells somebody of a task that is still open. Only the hub writes it;
	// its author is whoever reads it.
	ReminderMessage MessageKind = "reminder"
)

// Message is one stored message.
type Message struct {
	ID      MessageID
	Team    TeamID
	Thread  ThreadID
	N       int       // its number in the thread
	Prev    MessageID // the one before it in the thread
	Author  AgentID
	Kind    MessageKind
	Body    string
	Context string
	// Priority is set for a delegation; 0 otherwise.
	Priority Priority
	// Task is the task that a request opened, or that a reply or result belongs
	// to. It is 0 for a post, which may open several.
	Task TaskID
	// Origin is the task whose turn made the contact and Key is its step. Together
	// with the author they make a contact idempotent.
	Origin TaskID
	Key    string
	At     Micros
	// Question is set for a question and for an answer to one; 0 otherwise.
	Question QuestionID
}

// FromHub reports whether the message is in the hub's own words. Its author is then
// the one who reads it.
func (m Message) FromHub() bool {
	return m.Kind == UnansweredMessage || m.Kind == TaskEndedMessage || m.Kind == ReminderMessage || m.AsksForDecision()
}

// AsksForDecision reports whether the message asks a manager to decide about an
// approval. A task that began with it is for that alone.
func (m Message) AsksForDecision() bool { return m.Kind == ApprovalRequestMessage }

// Delivery records how far a message has come with one recipient. The time when
// it was accepted is the message's own.
type Delivery struct {
	Message   MessageID
	Recipient AgentID
	// Pull marks a recipient that fetches its messages.
	Pull bool
	// Mail marks what starts no turn of the recipient's: its next turn shows it.
	Mail      bool
	Delivered Micros // given to the agent's runtime
	Seen      Micros // part of a stored model request, acknowledged, or displayed
	Answered  Micros
}

// Unread reports whether the message still waits for its recipient to look.
func (d Delivery) Unread() bool { return (d.Mail || d.Pull) && d.Seen == 0 }

// State names how far the message has come.
func (d Delivery) State() string {
	switch {
	case d.Answered > 0:
		return "answered"
	case d.Seen > 0:
		return "seen"
	case d.Delivered > 0:
		return "delivered"
	default:
		return "accepted"
	}
}
