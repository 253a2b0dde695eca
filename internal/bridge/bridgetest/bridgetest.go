// Package bridgetest is the conformance suite that the bridge to every chat program passes,
// against a server that stands in for the program. The tests of a program call Run. What
// only one program does is tested there, in a World of its own.
//
// A conversation has the name of the person whom the bot talks with there, or is Standup.
package bridgetest

import (
	"log/slog"
	"testing"

	"parley/internal/bridge"
)

// Who is in the chat program. Ada and Rutger are people of the team, and Mallory is nobody.
const (
	Ada, Rutger, Mallory = "Ada", "Rutger", "Mallory"
	// MalloryCalled is what Mallory's account calls itself.
	MalloryCalled = "Mallory\n\x1b[31m🤖 Bot"
	// Standup is the channel that the team has too.
	Standup = "standup"
)

// Chat is a chat program as those see it who use it.
type Chat interface {
	Traits() Traits
	// Program is the bot's side, which remembers nothing.
	Program(log *slog.Logger) bridge.Program
	// Until waits until something is so; it looks whenever something has changed.
	Until(what string, so func(View) bool)
	// Taken waits until the bot has taken everything that happened.
	Taken()

	// Say says something, and returns what the program calls the message.
	Say(s Said) string
	// Edit changes what a message says, and Touch changes something else about it.
	Edit(person, in, id, text string)
	Touch(person, in, id string)
	// Thread begins a thread in Standup, at a message if the program has it so.
	Thread(message string) string
	// Command gives a command in the program's own way.
	Command(person, text string)
	// Press presses a button as the post shows it. forge changes what it sends; it may be nil.
	Press(person string, p Post, label string, forge func(data string) string)
	// Submit answers what the bot has asked last after a press.
	Submit(person, text string)

	// Fail has the next posts fail, one after the other, and FailFiles the next files that
	// are attached. Whatever was to fail before does not any more.
	Fail(faults ...Fault)
	FailFiles(faults ...Fault)
	// Break breaks the connection, Forget gives up what nobody has taken if the program
	// does that, and Repeat gives again what was taken.
	Break()
	Forget()
	Repeat()
	// Close ends the program, and returns what it did not like of its bot.
	Close() []string
}

// Deleter is a program that tells when somebody deletes messages.
type Deleter interface {
	Delete(in string, ids ...string)
}

// View is what is to be seen in a moment.
type View interface {
	// Posts are those of the bot in a conversation, in order, without those that are gone.
	Posts(in string) []Post
	// Files are those that are attached.
	Files() []File
	// Shown is what somebody was shown who has pressed a button or given a command.
	Shown(person string) []string
	// Connected is how often a bot has begun to listen.
	Connected() int
}

// Traits are what is known of a program.
type Traits struct {
	// Standup is what it calls the channel, and Accounts what it calls those who are there.
	Standup  string
	Accounts map[string]string
	// Mention is how somebody mentions the bot.
	Mention string
	// Answer is how it writes **Yes**, <b>really</b> & truly.
	Answer string
	// Heard is what somebody is shown who gives a command; empty for nothing.
	Heard string
	// Settles says that it can be found out what became of a post.
	Settles bool
	// Numbered says that the parts of a long text have numbers.
	Numbered bool
	// Own is how many faults the program has besides those of this package.
	Own int
	// Secrets are in no log.
	Secrets []string
	// Block is what a block of code begins and ends with.
	Block [2]string
	// Harm says what is wrong with a text as the program gets it; empty for nothing.
	Harm func(raw string) string
}

// Said is how something is said.
type Said struct {
	Who, In, Text string
	// Answers is the post that it answers, and Thread the thread that it stands in.
	Answers Post
	Thread  string
	// Shared says that it is passed on, and Bot that a bot says it.
	Shared, Bot bool
}

// Post is a message of the bot.
type Post struct {
	ID, In string
	// Answers is the message that it stands below, and Thread its thread.
	Answers, Thread string
	// From is whose words it has, such as 🤖 Bot.
	From string
	// Text is what somebody reads, and Raw how the program got it, both without From.
	Text, Raw string
	// Part is which of how many it says that it is, such as 1/2, and Repeat whether it says
	// that it may be there twice.
	Part    string
	Repeat  bool
	Buttons []string
	Edits   int
	// Own is the post as the program has it.
	Own any
}

// File is one that is attached.
type File struct{ Name, Text string }

// Fault is what goes wrong with a post.
type Fault int

const (
	// Fine is no fault.
	Fine Fault = iota
	// Unheard loses what was asked for, and Unanswered only the answer.
	Unheard
	Unanswered
	// Broken is an error of the program.
	Broken
	// Limited asks for patience.
	Limited
	// Refused is for good.
	Refused
	// Own is the first of those that only this program has.
	Own
)

// Run runs the suite. fresh makes a program with nobody linked.
func Run(t *testing.T, fresh func(t *testing.T) Chat) {
	for _, c := range []struct {
		name string
		test func(w *World)
	}{
		{"A person talks with agents", talk},
		{"A conversation goes on with the same agent", goesOn},
		{"Questions are answered", questions},
		{"A channel is the same on both sides", channel},
		{"Edits and deletions are recorded", edits},
		{"Commands do what the use cases do", commands},

		{"Approvals are decided by buttons", approvals},
		{"A denial may say why", reasons},
		{"A forged button decides nothing", forgedButtons},

		{"A stranger can do nothing", strangers},
		{"Strangers are answered once a day", strangersByDay},
		{"A code links one account, once and for ten minutes", linking},
		{"Unlinking works at once", unlinking},

		{"A post is there once, whatever happens", postedOnce},
		{"A post that is refused holds nothing up", refused},
		{"What comes again does nothing again", comesAgain},
		{"A gap loses nothing", gap},
		{"A connection that breaks loses nothing", brokenConnections},

		{"Long texts are split", longTexts},
		{"Very long texts are attached", attachedTexts},
		{"What is redacted is taken away", redaction},
		{"Hostile texts are harmless", hostileForms},
		{"Hostile texts go out as words", hostileOut},
		{"Hostile texts that come in are only said", hostileIn},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(New(t, fresh(t))) })
	}
}
