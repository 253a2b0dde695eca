package scenario

import (
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
)

// Participant acts on the hub from outside, as a person at a door does.
type Participant struct {
	s      *Stage
	Caller access.Caller
}

// As acts as somebody.
func (s *Stage) As(name string) Participant {
	s.Helper()
	return Participant{s: s, Caller: access.Caller{Team: s.id, Agent: s.agent(name)}}
}

// Ask asks and returns the answer.
func (p Participant) Ask(target, message string) string {
	p.s.Helper()
	a, err := p.s.Contacts.Ask(p.s.Context(), p.Caller, contact.Request{Target: target, Message: message})
	p.must(err)
	return a.Text
}

// Refused asks for something that must be refused, and returns what the
// caller reads.
func (p Participant) Refused(pattern parley.Pattern, r contact.Request) string {
	p.s.Helper()
	var err error
	switch pattern {
	case parley.Ask:
		_, err = p.s.Contacts.Ask(p.s.Context(), p.Caller, r)
	case parley.Delegate:
		_, err = p.s.Contacts.Delegate(p.s.Context(), p.Caller, r)
	default:
		_, err = p.s.Contacts.Notify(p.s.Context(), p.Caller, r)
	}
	if err == nil {
		p.s.Fatalf("%s to %q was accepted", pattern, r.Target)
	}
	return parley.ToolError(err)
}

// Begin opens an ask without waiting for the answer.
func (p Participant) Begin(target, message string) parley.TaskID {
	p.s.Helper()
	made, err := p.s.Contacts.OpenAsk(p.s.Context(), p.Caller, contact.Request{Target: target, Message: message})
	p.must(err)
	return made.Task.ID
}

// Delegate hands work over.
func (p Participant) Delegate(target, message string) parley.TaskID {
	p.s.Helper()
	return p.DelegateAs(parley.Normal, target, message)
}

// DelegateAs hands work over with a priority.
func (p Participant) DelegateAs(prio parley.Priority, target, message string) parley.TaskID {
	p.s.Helper()
	made, err := p.s.Contacts.Delegate(p.s.Context(), p.Caller, contact.Request{Target: target, Message: message, Priority: prio})
	p.must(err)
	return made.Task.ID
}

// Notify leaves a message.
func (p Participant) Notify(target, message string) parley.MessageID {
	p.s.Helper()
	made, err := p.s.Contacts.Notify(p.s.Context(), p.Caller, contact.Request{Target: target, Message: message})
	p.must(err)
	return made.Message
}

// Reply answers a task that was asked of the participant.
func (p Participant) Reply(id parley.TaskID, text string) {
	p.s.Helper()
	p.must(p.s.Contacts.Reply(p.s.Context(), p.Caller, id, text))
}

// Cancel ends a task.
func (p Participant) Cancel(id parley.TaskID) {
	p.s.Helper()
	p.must(p.s.Contacts.Cancel(p.s.Context(), p.Caller, id))
}

// Retry opens the work of a task again.
func (p Participant) Retry(id parley.TaskID) parley.TaskID {
	p.s.Helper()
	made, err := p.s.Contacts.Retry(p.s.Context(), p.Caller, id)
	p.must(err)
	return made.ID
}

// GoOn resumes a failed task.
func (p Participant) GoOn(id parley.TaskID) parley.TaskID {
	p.s.Helper()
	made, err := p.s.Contacts.ResumeTask(p.s.Context(), p.Caller, id)
	p.must(err)
	return made.Task.ID
}

// Sleep puts an agent to sleep for a while.
func (p Participant) Sleep(agent string, d time.Duration) {
	p.s.Helper()
	p.must(p.s.Contacts.Sleep(p.s.Context(), p.Caller, agent, time.Now().Add(d)))
}

// Wake wakes an agent.
func (p Participant) Wake(agent string) {
	p.s.Helper()
	p.must(p.s.Contacts.Wake(p.s.Context(), p.Caller, agent))
}

// Offline takes an agent out of reach.
func (p Participant) Offline(agent string) {
	p.s.Helper()
	p.must(p.s.Contacts.Offline(p.s.Context(), p.Caller, agent))
}

// Online brings it back.
func (p Participant) Online(agent string) {
	p.s.Helper()
	p.must(p.s.Contacts.Online(p.s.Context(), p.Caller, agent))
}

func (p Participant) must(err error) {
	p.s.Helper()
	if err != nil {
		p.s.Fatal(err)
	}
}
