package parley

// ChannelKind says whether a channel belongs to a pair or to a named group.
type ChannelKind string

const (
	DM    ChannelKind = "dm"
	Group ChannelKind = "group"
)

// Channel is where messages live. A dm has the two participants A < B, a group
// has a name and members.
type Channel struct {
	ID   ChannelID
	Team TeamID
	Kind ChannelKind
	A, B AgentID
	Main ThreadID

	Name  string // of a group; shown as #name
	Topic string
	// Home is the team's folder that names the group; empty for one that was made
	// while the hub ran.
	Home    string
	Removed bool // kept for the record, under a name that is free again
}

// Peer is the other participant of a dm.
func (c Channel) Peer(of AgentID) AgentID {
	if of == c.A {
		return c.B
	}
	return c.A
}

// Thread is a conversation within a channel. Its messages are a list linked
// backwards from Last, numbered 1 to Count: reading the newest twenty costs
// twenty look-ups however long the history is, and storing one dirties no
// index.
type Thread struct {
	ID      ThreadID
	Channel ChannelID
	Last    MessageID
	Count   int
	// First is the dm's participant A, and Read how far A and B have read, as a
	// message number.
	First AgentID
	Read  [2]int
}

// ReadBy is how far a participant of a dm has read.
func (t Thread) ReadBy(id AgentID) int { return t.Read[t.side(id)] }

// SetRead moves a participant's place forward, never back.
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
	SentMessage         MessageKind = "message" // work that nothing comes back of, in a thread of its own
	NotificationMessage MessageKind = "notification"
	PostMessage         MessageKind = "post"  // in a channel, to whoever reads it; work for those it mentions
	ReplyMessage        MessageKind = "reply" // the closing text of a turn
	ResultMessage       MessageKind = "delegation_result"
	FailureMessage      MessageKind = "delegation_failed"
	QuestionMessage     MessageKind = "question"
	AnswerMessage       MessageKind = "answer"
	// UnansweredMessage tells an asker, as a note to itself, that nobody answered.
	UnansweredMessage MessageKind = "question_unanswered"
)

// Message is one stored utterance.
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
	// Priority is that of a delegation; 0 otherwise.
	Priority Priority
	// Task is the task that a request opened, or that a reply or result is of. A
	// post may have opened several; its Task is 0.
	Task TaskID
	// Origin is the task whose turn made the contact, Key its step; together with
	// the author they make a contact idempotent.
	Origin TaskID
	Key    string
	At     Micros
	// Question is what a question or an answer is about; 0 otherwise.
	Question QuestionID
}

// Delivery is what became of a message for one recipient. Accepted is the
// message's own time.
type Delivery struct {
	Message   MessageID
	Recipient AgentID
	// Pull marks a recipient that fetches its messages.
	Pull      bool
	Delivered Micros // given to the agent's runtime
	Seen      Micros // in a stored model request, acked, or displayed
	Answered  Micros
}

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
