// Package step knows what is stored of a turn, step by step, and what a person reads of
// it. The forms are those of the database: turns go on from what earlier versions have
// stored, so they stay.
//
// A row is what a turn has stored at once. What people read of it may be several steps: a
// quick first reply holds also what the turn began with, and every reply its calls.
package step

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley"
	"parley/internal/model"
)

type (
	// Prompt is what a turn began with.
	Prompt struct {
		// Inbox is how far the task's inbox had been read.
		Inbox int `json:"inbox,omitempty"`
		// Notices are messages from outside the history that the agent had not
		// seen.
		Notices []parley.MessageID `json:"notices,omitempty"`
		// Relevant is what a question was shown with.
		Relevant string `json:"relevant,omitempty"`
		// Open is how many delegated subtasks had not ended.
		Open int `json:"open,omitempty"`
		// Unseen is how many messages of a group, before the history, the agent had
		// not seen.
		Unseen int `json:"unseen,omitempty"`
		// Kept is what earlier tasks in the thread have put away: it is not shown, and
		// its keepers are named.
		Kept *Away `json:"kept,omitempty"`
		// Unread is the mail that was shown before the request; nil if there was none.
		Unread *Unread `json:"unread,omitempty"`
	}
	// Reply is what the model replied.
	Reply struct {
		// Prompt is what the turn began with, in a first reply that came at once.
		Prompt *Prompt `json:"prompt,omitempty"`
		model.Reply
	}
	// Inbox is what arrived between two steps.
	Inbox struct {
		// Upto is how far the task's inbox was read.
		Upto int `json:"upto"`
		// Notices are messages of the thread.
		Notices []parley.MessageID `json:"notices,omitempty"`
		// Place is how far the thread was looked at for them.
		Place int `json:"place,omitempty"`
		// Mail is from other conversations, about what the task works on.
		Mail []parley.MessageID `json:"mail,omitempty"`
		// Unread is the same in a group, where only its senders are shown; nil if
		// there is none.
		Unread *Unread `json:"unread,omitempty"`
	}
	// Started says that a call is about to run.
	Started struct {
		Call string `json:"call"`
	}
	// Held says that a call waits for an approval.
	Held struct {
		Call     string            `json:"call"`
		Approval parley.ApprovalID `json:"approval"`
		Text     string            `json:"text"`
		// Round says that it is about more rounds, and for people only.
		Round bool `json:"round,omitempty"`
	}
	// Result is what came of a call.
	Result struct {
		Call  string `json:"call"`
		Text  string `json:"text"`
		Error bool   `json:"error,omitempty"`
		// Rate says that the call was refused by the agent's rate.
		Rate bool `json:"rate,omitempty"`
		// Exit is the exit code of a command; nil if no command has ended.
		Exit *int `json:"exit,omitempty"`
	}
	// Lost is what model calls have consumed that came to nothing.
	Lost struct {
		Usage model.Usage `json:"usage"`
	}
	// Away is what was put away at one time, and so no longer shown.
	Away struct {
		// Keepers are where it can be found.
		Keepers []Keeper `json:"keepers"`
		// Messages were said before the request.
		Messages []parley.MessageID `json:"messages,omitempty"`
		// Past is how many have happened on the task since the request, from the first
		// on, with those put away earlier.
		Past int `json:"past,omitempty"`
	}
	// Keeper is where something was put away.
	Keeper struct {
		ID    parley.KeeperID `json:"id"`
		Topic string          `json:"topic"`
		Count int             `json:"count"`
		Size  int             `json:"size"`
	}
	// Unread is the mail that a turn began with.
	Unread struct {
		// Messages are shown, the oldest first.
		Messages []parley.MessageID `json:"messages,omitempty"`
		// Count is how many were unread, with those.
		Count int `json:"count"`
		// From are who sent it, where only that is shown.
		From []parley.AgentID `json:"from,omitempty"`
		// Urgent are those of them who said that it is.
		Urgent []parley.AgentID `json:"urgent,omitempty"`
		// Told are the messages among it that a running turn is told of, so that it is
		// told once.
		Told []parley.MessageID `json:"told,omitempty"`
	}
)

// Content is what a row says.
type Content interface{ Kind() parley.StepKind }

func (Prompt) Kind() parley.StepKind  { return parley.StepPrompt }
func (Reply) Kind() parley.StepKind   { return parley.StepReply }
func (Inbox) Kind() parley.StepKind   { return parley.StepInbox }
func (Started) Kind() parley.StepKind { return parley.StepCall }
func (Held) Kind() parley.StepKind    { return parley.StepHeld }
func (Result) Kind() parley.StepKind  { return parley.StepResult }
func (Away) Kind() parley.StepKind    { return parley.StepOffload }
func (Lost) Kind() parley.StepKind    { return parley.StepLost }

// UnreadIDs are the messages of the mail that was shown.
func (p Prompt) UnreadIDs() []parley.MessageID {
	if p.Unread == nil {
		return nil
	}
	return slices.Clone(p.Unread.Messages)
}

// Decode reads a row. The messages that it names are left to the caller.
func Decode(s parley.Step) (c Content, err error) {
	switch s.Kind {
	case parley.StepPrompt:
		c, err = contentOf[Prompt](s)
	case parley.StepReply:
		c, err = contentOf[Reply](s)
	case parley.StepInbox:
		c, err = contentOf[Inbox](s)
	case parley.StepCall:
		c, err = contentOf[Started](s)
	case parley.StepHeld:
		c, err = contentOf[Held](s)
	case parley.StepResult:
		c, err = contentOf[Result](s)
	case parley.StepOffload:
		c, err = contentOf[Away](s)
	case parley.StepLost:
		c, err = contentOf[Lost](s)
	default:
		err = fmt.Errorf("unknown kind %q", s.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("step %d/%d of %s: %w", s.Turn, s.N, s.Task, err)
	}
	return c, nil
}

func contentOf[T Content](s parley.Step) (c T, err error) {
	err = json.Unmarshal(s.Content, &c)
	return c, err
}
