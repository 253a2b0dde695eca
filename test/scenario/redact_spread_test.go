package scenario

import (
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/policy"
	"parley/internal/store"
)

// A text spreads beyond the tree it was said in: readers of the channel have it in
// their own steps, and a native manager was sent the call to decide. It is removed
// from there too, in whatever form JSON writes it.
func TestARedactedTextIsGoneFromWhereItSpreadTo(t *testing.T) {
	t.Parallel()
	const marked, spread = `\"` + secret + `\" <now>`, `"` + secret + `" <now>`
	team := Team{Agents: []string{"InternBot", "ChiefBot", "ReadBot"}, Channels: []string{"room"}, Script: `
agents:
  InternBot: [{steps: [{call: contact_agent, args: {action: notify, agentId: ReadBot, message: "` + marked + `"}}, {say: 'Told.'}]}]
  ChiefBot: [{steps: [` + approves + `, {say: 'Decided.'}]}]
  ReadBot: [{steps: [{call: read_channel, args: {channel: room}}, {say: 'Read.'}]}]
`}
	team.Member = under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, manager: "ChiefBot"}})
	bubbletest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := Raise(t, team, OpenFile(t, filepath.Join(dir, "parley.db")))
		rutger := s.As("rutger")
		posted := rutger.Post("room", spread)
		s.Wait(rutger.Delegate("ReadBot", "Go."))
		asked := rutger.Delegate("InternBot", "Go.")
		s.Wait(asked)
		s.Wait(asked + 1) // the manager's: what a turn that is under way has read it may store again
		var told []store.Copy
		s.view(func(tx *store.Tx) (err error) {
			told, err = tx.Copies(s.id, posted.Message+1, spread)
			return err
		})
		gone := 0
		for _, id := range []parley.MessageID{posted.Message, told[0].ID} {
			r, err := s.Redactions.Redact(s.Context(), rutger.Caller, id, "")
			rutger.must(err)
			gone += len(r.Messages)
		}
		s.Equal("the post, the notification and what the manager was sent", 3, gone)
		if inFiles(t, dir) {
			t.Error("the secret is still in the files")
		}
		for _, m := range s.Inboxes("ChiefBot") {
			if strings.Contains(m.Body, secret) {
				t.Errorf("the manager's conversation still has it: %v", m)
			}
		}
		s.Stop()
	})
}

// A reply in a channel is the request of those whom it mentions.
func TestARedactedReplyIsNoTitle(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := Raise(t, Team{Agents: []string{"LeadBot", "ReadBot"}, Channels: []string{"room"}, Script: `
agents:
  LeadBot: [{steps: [{say: '@ReadBot: ` + secret + `'}]}]
  ReadBot: [{steps: [{say: 'Noted.'}]}]
`}, OpenFile(t, filepath.Join(dir, "parley.db")))
		first := s.As("rutger").Post("room", "@LeadBot Go.").Tasks[0].ID
		s.Wait(first)
		s.Wait(first + 1)
		_, err := s.Redactions.Redact(s.Context(), s.As("rutger").Caller, s.Task(first).Result, "")
		s.Equal("title", []any{"[redacted by rutger]", nil}, []any{s.Task(first + 1).Title, err})
		if inFiles(t, dir) {
			t.Error("the secret is still in the files")
		}
		s.Stop()
	})
}
