package parley

// ChatAccount is an account of a chat program that belongs to a person.
type ChatAccount struct {
	Program string // such as telegram
	Account string // the program's id of it
	Agent   AgentID
	// Name is what the account calls itself there, as one line.
	Name string
	// Conversation is where the person talks with the bot alone.
	Conversation string
	LinkedAt     Micros
}

// ChatPostID numbers what goes out to chat programs.
type ChatPostID int64

// ChatPostKind says what a post shows.
type ChatPostKind string

const (
	ChatMessage  ChatPostKind = "message"  // Message
	ChatQuestion ChatPostKind = "question" // Task, which was asked of Agent by Message
	ChatApproval ChatPostKind = "approval" // Approval, with buttons
	ChatPayload  ChatPostKind = "payload"  // all that Approval is about
	ChatTasks    ChatPostKind = "tasks"    // what is open, for Agent
	ChatSummary  ChatPostKind = "summary"  // what happened in a day, for Agent
	ChatNote     ChatPostKind = "note"     // Text, by the bridge itself
	ChatPrompt   ChatPostKind = "prompt"   // Text is the button whose reason is asked for
)

// ChatPostState is how far a post has come.
type ChatPostState int

const (
	ChatPending ChatPostState = 0 // it is to be posted
	ChatTried   ChatPostState = 1 // it was tried, and what came of it is not known
	ChatPosted  ChatPostState = 2
	ChatGivenUp ChatPostState = 3
)

// ChatPost is something to be posted in a chat program. It names what it shows.
type ChatPost struct {
	ID      ChatPostID
	Team    TeamID
	Program string
	// Key is that of what caused the post: the same cause makes no second one.
	Key          string
	Conversation string
	Thread       string // the program's id of a thread in it; empty for none
	ReplyTo      string // the program's id of what it answers; empty for nothing
	Kind         ChatPostKind
	// Agent is the person whom it is for. It is 0 for a channel.
	Agent    AgentID
	Message  MessageID
	Task     TaskID
	Approval ApprovalID
	Text     string
	// Nonce is the random name under which the program knows it.
	Nonce string

	State ChatPostState
	Part  int // how many parts of it are posted
	Tries int // of the next part
	Due   Micros
	// Tried is when the next part was first tried; 0 if it was not.
	Tried Micros
	// Stale counts the changes of what it shows since it was posted.
	Stale  int
	Reason string // why it was given up
	At     Micros
	Ended  Micros
}

// ChatKeyPrefix begins the keys of what was said in chat programs, which are the bridges' own:
// a key says below which chat message the answer is shown.
const ChatKeyPrefix = "chat/"
