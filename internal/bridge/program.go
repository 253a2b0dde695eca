// Package bridge brings a team into chat programs. It is a door: what comes from a
// program is decoded, one use case is called as the person whose account it is, and what
// came of it is posted. No rule is here.
//
// A Program is what a chat program has to be able to do; each has a package of its own
// below this one. A Bridge does everything else for one team and one program:
//
//   - It follows the event record and turns what people should see into posts: rows in
//     the store, written together with the place in the record that they come from.
//   - It posts them, one after the other in each conversation, and tries again.
//   - It takes what comes in. The id of an event is the key of the use case that it
//     calls, so that an event that is repeated does nothing twice.
//   - It knows which account is which person.
//
// Of several hubs on one database, the one that holds the bridge's lease does all this.
package bridge

import (
	"context"
	"time"

	"parley/internal/bridge/markup"
)

// Program is a chat program, with the bot that a team has there. Its methods may be
// called from several goroutines. No error that it returns says anything secret.
type Program interface {
	// Name is that of the program's section in parley.yaml, such as telegram.
	Name() string
	// Limits are fixed.
	Limits() Limits
	// Receive holds the connection until the context is done or the connection is lost,
	// and gives each event to the inbox, one after the other. It acknowledges an event to
	// the program only after Take has returned without an error. After an error it is
	// called again, with a pause. A program that keeps no events for those who are away
	// first reads what was said meanwhile, from Inbox.Position on.
	Receive(ctx context.Context, in Inbox) error
	// Post posts one message and returns what the program calls it. A *Failure says that
	// it was not posted; after any other error that is not known.
	Post(ctx context.Context, p Post) (id string, err error)
	// Edit replaces the text and the buttons of a post; one without any text is to be
	// taken away. If nothing is different, or the post is gone, that is no error.
	Edit(ctx context.Context, id string, p Post) error
	// Settle finds out what became of a post whose outcome is not known.
	Settle(ctx context.Context, p Post) (Settled, error)
}

// Limits are what a program can take.
type Limits struct {
	// Form is how the program writes, and how long a text may be.
	Form markup.Form
	// Parts is into how many posts a long text is split. What is longer is attached.
	Parts int
	// Every is the least time between two posts, and PerConversation that between two
	// in the same conversation. What the program says itself counts besides.
	Every, PerConversation time.Duration
}

// Place is where something is said: a conversation, and a thread in it.
type Place struct {
	Conversation string
	Thread       string // empty for none
}

// Author is whose words a post has.
type Author struct {
	Name string
	Kind AuthorKind
}

// AuthorKind says how an author is shown. No text may look as if it had another one.
type AuthorKind int

const (
	ByHub AuthorKind = iota
	ByAgent
	ByPerson
)

// Post is one message in a chat program.
type Post struct {
	// Key is the same at every try, and no other post has it: 25 letters and digits at
	// most.
	Key     string
	To      Place
	ReplyTo string // what it answers; empty for nothing
	From    Author
	// Text is in the program's markup. It does not say whose it is: the program does, in
	// a way that the text cannot.
	Text string
	// Part counts from 1 if a text takes several posts; Parts is 1 otherwise.
	Part, Parts int
	Buttons     []Button
	// Prompt says that an answer to this post is wanted, if the program can show that.
	Prompt bool
	// File is attached; nil for none.
	File *File
	// Again says that the post may be there already. Tried is when it was first tried.
	Again bool
	Tried time.Time
	// Known reports whether a message in the program is another post that is there, for
	// Settle. If it is nil, nothing is known.
	Known func(ctx context.Context, id string) (bool, error)
}

// Button is under a post. Whoever presses it sends Data.
type Button struct {
	Label string
	Data  string // 64 bytes at most
	// Prompt asks for a text that comes with the press; empty for none.
	Prompt string
}

// File is a text that is attached.
type File struct {
	Name string
	Text string
}

// Failure says that something was not posted.
type Failure struct {
	// Reason is for people.
	Reason string
	// Refused says that it is of no use to try again.
	Refused bool
	// After is how long to wait before the next try; 0 leaves it to the bridge.
	// Everywhere says that this is about all conversations.
	After      time.Duration
	Everywhere bool
}

func (f *Failure) Error() string { return f.Reason }

// Settled is what became of a post.
type Settled int

const (
	// Unknown: nobody can say. It is posted again, marked as perhaps a repeat.
	Unknown Settled = iota
	// Absent: it is not there. It is posted again.
	Absent
	// Harmless: it may be there, and posting it again under the same key makes no second
	// one.
	Harmless
)

// Found is returned by Settle, as an error, for a post that is there.
type Found struct{ ID string }

func (f *Found) Error() string { return "it is posted" }

// Inbox takes what comes from a program.
type Inbox interface {
	// Up says that the connection works.
	Up(ctx context.Context)
	// Take deals with an event. If it returns an error, the event has to be given again.
	// The answer is for whoever pressed a button, to be shown for a moment if the program
	// can; it may be empty.
	Take(ctx context.Context, e Event) (answer string, err error)
	// Conversations are those that concern the bridge: mapped channels, and people's own.
	Conversations(ctx context.Context) ([]string, error)
	// Position is that of the last event of a conversation; empty if there was none.
	Position(ctx context.Context, conversation string) (string, error)
}

// EventKind is what happened in a chat program.
type EventKind int

const (
	Said EventKind = iota
	Edited
	Deleted
	Pressed
)

// Event is something that happened in a chat program. What bots do is none, and the
// program's own bot least of all.
type Event struct {
	// ID is the same whenever the program repeats the event: 200 bytes at most.
	ID   string
	Kind EventKind
	// Account is who did it. Of a deletion it is who wrote the message: programs do not say
	// who deleted it.
	Account Account
	Place   Place
	// Private says that nobody but the account and the bot reads the conversation.
	Private bool
	// Message is the chat message that was said, edited or deleted, or that has the
	// button.
	Message string
	// ReplyTo is the chat message that it answers; empty for none.
	ReplyTo string
	// Text is plain, without the name of the bot. A command begins with a slash.
	Text string
	// Addressed says that the bot was mentioned.
	Addressed bool
	// Quoted says that the text is somebody else's, such as one that was forwarded. It
	// is no command then.
	Quoted bool
	// Left names what came along and does not come through, such as photo.
	Left string
	// Data is that of the button. Text is then what its prompt asked for.
	Data string
	// Position is where the event is in the history of its conversation, for a program
	// that can be asked for it; empty otherwise.
	Position string
}

// Account is an account of a chat program.
type Account struct {
	ID   string
	Name string // what it calls itself, whatever that is
}
