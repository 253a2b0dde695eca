package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
	"parley/internal/turn"
)

// aLongTime is more than any limit of the hub.
const aLongTime = 30 * 24 * time.Hour

// Equal compares what is there with what should be.
func (s *Stage) Equal(what string, want, got any) {
	s.Helper()
	if d := cmp.Diff(want, got); d != "" {
		s.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// Wait waits until a task has ended.
func (s *Stage) Wait(id parley.TaskID) parley.Task {
	s.Helper()
	until := parley.Micros(time.Now().Add(aLongTime).UnixMicro())
	t, err := s.Contacts.WaitTask(context.Background(), id, until)
	if err != nil {
		s.Fatal(err)
	}
	return t
}

// Task reads a task.
func (s *Stage) Task(id parley.TaskID) (t parley.Task) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) { t, err = tx.Task(id); return err })
	return t
}

// Children are the tasks that a task opened, oldest first.
func (s *Stage) Children(of parley.TaskID) (list []parley.Task) {
	s.Helper()
	for _, t := range s.tasks() {
		if t.Parent == of {
			list = append(list, t)
		}
	}
	return list
}

// Tree draws a task and its descendants, a line for each.
func (s *Stage) Tree(of parley.TaskID) string {
	s.Helper()
	var b strings.Builder
	s.draw(&b, s.Task(of), "")
	return b.String()
}

func (s *Stage) draw(b *strings.Builder, t parley.Task, indent string) {
	fmt.Fprintf(b, "%s%s %s %s\n", indent, t.ID, s.name(t.Agent), t.State)
	for _, c := range s.Children(t.ID) {
		s.draw(b, c, indent+"  ")
	}
}

// Result is the text that a task ended with.
func (s *Stage) Result(id parley.TaskID) (text string) {
	s.Helper()
	s.view(func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err != nil || t.Result == 0 {
			return err
		}
		m, err := tx.Message(t.Result)
		text = m.Body
		return err
	})
	return text
}

// Said is a message of a conversation: who wrote it, and as its recipient
// reads it. A reply is shown as it was written.
type Said struct {
	By   string
	Kind parley.MessageKind
	Text string
}

func (s *Stage) said(m parley.Message) Said {
	by := s.name(m.Author)
	if m.Kind == parley.ReplyMessage || m.Kind == parley.PostMessage {
		return Said{by, m.Kind, m.Body}
	}
	return Said{by, m.Kind, turn.Text(m, by)}
}

// DM is the main thread of two, oldest first.
func (s *Stage) DM(a, b string) (list []Said) {
	s.Helper()
	s.view(func(tx *store.Tx) error {
		dm, err := tx.DM(s.agent(a), s.agent(b))
		if err != nil {
			return fmt.Errorf("%s and %s have not talked: %w", a, b, err)
		}
		list, err = s.thread(tx, dm.Main)
		return err
	})
	return list
}

// Thread is one conversation, oldest first.
func (s *Stage) Thread(id parley.ThreadID) (list []Said) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) { list, err = s.thread(tx, id); return err })
	return list
}

func (s *Stage) thread(tx *store.Tx, id parley.ThreadID) (list []Said, err error) {
	t, err := tx.Thread(id)
	if err != nil {
		return nil, err
	}
	messages, err := tx.Back(t.ID, t.Last, 0, 1<<20)
	for _, m := range slices.Backward(messages) {
		list = append(list, s.said(m))
	}
	return list, err
}

// Inbox is what a person has not seen.
func (s *Stage) Inbox(of string) (list []Said) {
	s.Helper()
	s.view(func(tx *store.Tx) error {
		messages, err := tx.Mail(s.agent(of), 1<<20)
		for _, m := range messages {
			list = append(list, s.said(m))
		}
		return err
	})
	return list
}

// Saw is what an agent's model was shown at its nth step, counted from 1;
// from the end if negative. A line for each message, led by its role.
func (s *Stage) Saw(agent string, n int) []string {
	s.Helper()
	shown := s.Models.Shown(agent)
	if n < 0 {
		n += len(shown) + 1
	}
	if n < 1 || n > len(shown) {
		s.Fatalf("%s's model made %d steps; there is no %d", agent, len(shown), n)
	}
	var list []string
	for _, m := range shown[n-1].Messages {
		list = append(list, string(m.Role)+": "+m.Text)
	}
	return list
}

// Results are the tool results of a task's turns.
func (s *Stage) Results(id parley.TaskID) (list []string) {
	s.Helper()
	for _, step := range s.Steps(id) {
		if step.Kind != parley.StepResult {
			continue
		}
		var r struct{ Text string }
		if err := json.Unmarshal(step.Content, &r); err != nil {
			s.Fatal(err)
		}
		list = append(list, r.Text)
	}
	return list
}

// Steps are the stored steps of a task.
func (s *Stage) Steps(id parley.TaskID) (list []parley.Step) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) { list, err = tx.Steps(id); return err })
	return list
}

// Delivery names how far a message has come for a recipient.
func (s *Stage) Delivery(id parley.MessageID, to string) string {
	s.Helper()
	var state string
	s.view(func(tx *store.Tx) error {
		list, err := tx.Deliveries(id)
		for _, d := range list {
			if d.Recipient == s.agent(to) {
				state = d.State()
			}
		}
		return err
	})
	return state
}

// Events is the record, a line for each event of the given kinds, or of all.
func (s *Stage) Events(kinds ...parley.EventKind) (lines []string) {
	s.Helper()
	for _, e := range s.record() {
		if len(kinds) > 0 && !slices.Contains(kinds, e.Kind) {
			continue
		}
		line := string(e.Kind)
		if e.Actor != 0 {
			line += " by " + s.name(e.Actor)
		}
		if e.Target != 0 {
			line += " to " + s.name(e.Target)
		}
		if e.Task != 0 {
			line += " " + e.Task.String()
		}
		if e.Detail != "" {
			line += " (" + e.Detail + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// record reads the whole record. On a shared database what is in flight
// elsewhere holds back what came after it, so a mark is left and waited for.
func (s *Stage) record() (list []parley.Event) {
	s.Helper()
	if !s.Store.Shared() {
		return s.events()
	}
	const mark = parley.EventKind("test.mark")
	marks := 0
	err := s.Store.Update(context.Background(), func(tx *store.Tx) error {
		tx.Record(parley.Event{Team: s.id, Kind: mark})
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	s.marks++
	s.Until("the record is complete", func() bool {
		list, marks = nil, 0
		for _, e := range s.events() {
			if e.Kind == mark {
				marks++
				continue
			}
			list = append(list, e)
		}
		return marks == s.marks
	})
	return list
}

func (s *Stage) events() (list []parley.Event) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) { list, _, err = tx.Events(s.id, "", 1<<20); return err })
	return list
}

// Status is the derived status of an agent.
func (s *Stage) Status(of string) (status parley.Status) {
	s.Helper()
	id := s.agent(of)
	s.view(func(tx *store.Tx) error {
		a, err := tx.Agent(id)
		if err != nil {
			return err
		}
		open, err := tx.AgentOpenTasks(id)
		status = a.StatusAt(tx.Now, open)
		return err
	})
	return status
}

// Attachment is the whole of a text that was too long for its message.
func (s *Stage) Attachment(of parley.MessageID) (text string) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) { text, err = tx.Attachment(of); return err })
	return text
}

// Deliveries are what became of a message for each recipient.
func (s *Stage) Deliveries(of parley.MessageID) (list []parley.Delivery) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) { list, err = tx.Deliveries(of); return err })
	return list
}

// Until waits for something that is going to be so, in real time.
func (s *Stage) Until(what string, so func() bool) {
	s.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-deadline:
			s.Fatalf("it never came to this: %s", what)
		case <-tick.C:
		}
	}
}
