package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/contact"
	"parley/internal/store"
)

const secret = "the password is hunter2-hunter2"

// A text that an agent was given, passed on and got back is removed from everything
// that is stored, and from the bytes of the files.
func TestARedactedTextIsGoneFromTheFiles(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := Raise(t, Team{Agents: []string{"LeadBot", "DataBot"}, Script: `
agents:
  LeadBot:
    - match: '^\[Delegation Result'
      steps: [{say: 'It came back.'}]
    - steps: [{call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Look it up.'}}, {say: 'I asked.'}]
  DataBot:
    - steps: [{say: 'I found that ` + secret + `'}]
`}, OpenFile(t, filepath.Join(dir, "parley.db")))
		rutger := s.As("rutger")
		id := rutger.Delegate("LeadBot", "Find it.")
		s.Wait(id)
		child := s.Children(id)[0]
		if !inFiles(t, dir) {
			t.Fatal("the secret was never in the files: the test shows nothing")
		}
		r, err := s.Redactions.Redact(s.Context(), rutger.Caller, child.Result, "It had a password.")
		if err != nil {
			t.Fatal(err)
		}
		s.Equal("the reply and the result in the parent's conversation", 2, len(r.Messages))
		again, err := s.Redactions.Redact(s.Context(), rutger.Caller, child.Result, "")
		s.Equal("again", []any{1, nil}, []any{len(again.Messages), err})
		s.Equal("the result", "[redacted by rutger]", s.Result(child.ID))
		s.Equal("on record once, without it", []string{"message.redacted by rutger to DataBot task-102 (It had a password.)"}, s.Events(parley.EventRedacted))
		if inFiles(t, dir) {
			t.Error("the secret is still in the files")
		}
		for _, said := range s.DM("rutger", "LeadBot") {
			if strings.Contains(said.Text, secret) {
				t.Errorf("the conversation still has it: %v", said)
			}
		}
		s.Stop()
	})
}

func inFiles(t *testing.T, dir string) bool {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if strings.HasSuffix(f.Name(), "-shm") {
			continue // it has no contents of pages
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(secret)) {
			return true
		}
	}
	return false
}

// The title of a task that a reply opened by mentioning somebody is made from the
// reply, and goes with it.
func TestTheTitleOfAMentionGoesWithTheReply(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		s := Raise(t, Team{Agents: []string{"A", "B"}, Channels: []string{"room"}, Script: `
agents:
  A: [{steps: [{say: '@B ` + secret + `'}]}]
  B: [{steps: [{say: 'Understood.'}]}]
`}, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
		rutger := s.As("rutger")
		first := rutger.Post("room", "@A what is it?").Tasks[0].ID
		s.Pass(time.Minute)
		_, err := s.Redactions.Redact(s.Context(), rutger.Caller, s.Task(first).Result, "")
		rutger.must(err)
		s.Equal("title", "[redacted by rutger]", s.Mentions()[1].Title)
		s.Stop()
	})
}

// A request goes with its title and with the arguments that the sender's model
// wrote, and the same contact is still found by its key.
func TestARedactedRequestIsStillTheSameContact(t *testing.T) {
	t.Parallel()
	// Without the promises that hold elsewhere: what was shown is not stored any more.
	bubbletest.Test(t, func(t *testing.T) {
		s := Raise(t, Team{Agents: []string{"LeadBot", "EchoBot"}, Script: `
agents:
  LeadBot:
    - steps:
        - call: contact_agent
          args: {action: ask, agentId: EchoBot, message: '` + secret + `'}
        - say: 'Told.'
  EchoBot: [{steps: [{say: 'Understood.'}]}]
`}, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
		rutger := s.As("rutger")
		request := contact.Request{Target: "EchoBot", Message: secret, Key: "k"}
		first, err := s.Contacts.Notify(s.Context(), rutger.Caller, request)
		rutger.must(err)
		_, err = s.Redactions.Redact(s.Context(), rutger.Caller, first.Message, "")
		rutger.must(err)
		again, err := s.Contacts.Notify(s.Context(), rutger.Caller, request)
		rutger.must(err)
		s.Equal("found", first.Message, again.Message)

		root := rutger.Delegate("LeadBot", "Go.")
		s.Wait(root)
		child := s.Children(root)[0]
		_, err = s.Redactions.Redact(s.Context(), rutger.Caller, child.Request, "")
		rutger.must(err)
		s.Equal("title", "[redacted by rutger]", s.Task(child.ID).Title)
		s.view(func(tx *store.Tx) error {
			steps, err := tx.Steps(root)
			for _, step := range steps {
				if strings.Contains(string(step.Content), secret) {
					t.Errorf("step %d still has it: %s", step.N, step.Content)
				}
			}
			return err
		})

		_, err = s.Redactions.Redact(s.Context(), s.As("LeadBot").Caller, child.Request, "")
		s.Equal("an agent", "Error: Only people may redact messages. Ask a person to do it.", parley.ToolError(err))
		s.Equal("record", []string{"access.refused by LeadBot (redact " + child.Request.String() + ": Only people may redact messages. Ask a person to do it. [rule: people_only])"},
			s.Events(parley.EventDenied))
		s.Stop()
	})
}
