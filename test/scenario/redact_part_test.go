package scenario

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/pgtest"
	"parley/internal/store"
)

// Somebody quotes a part of a text in another tree. Redacting the text names that message
// and takes the part out of the turns that have it.
func TestRedactionFindsWhatIsQuotedInPart(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		redactQuoted(Raise(t, quoting(), OpenFile(t, filepath.Join(t.TempDir(), "parley.db"))))
	})
}

func TestPostgresRedactionFindsWhatIsQuotedInPart(t *testing.T) {
	t.Parallel()
	redactQuoted(Raise(t, quoting(), openPostgres(t, pgtest.DSN(t))))
}

// ledger is a text that is longer than what anybody quotes of it.
func ledger() string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "entry %d is <%d>, ", i, i*i*i)
	}
	return b.String()
}

func quoting() Team {
	part := ledger()[300:520]
	return Team{Agents: []string{"LeadBot", "QuoteBot", "ReadBot"}, Script: `
agents:
  LeadBot: [{steps: [{say: 'Noted.'}]}]
  QuoteBot:
    - match: 'much'
      steps: [{call: contact_agent, args: {action: notify, agentId: ReadBot, message: "They wrote: ` + part + `."}}, {say: 'Told.'}]
    - steps: [{call: contact_agent, args: {action: notify, agentId: ReadBot, message: "They wrote: ` + part[:150] + `."}}, {say: 'Told.'}]
`}
}

func redactQuoted(s *Stage) {
	rutger := s.As("rutger")
	told := rutger.Delegate("LeadBot", ledger())
	s.Wait(told)
	much := rutger.Delegate("QuoteBot", "Quote much.")
	s.Wait(much)
	little := rutger.Delegate("QuoteBot", "Quote little.")
	s.Wait(little)
	r, err := s.Redactions.Redact(s.Context(), rutger.Caller, s.Task(told).Request, "")
	rutger.must(err)
	var quotes []store.Copy
	s.view(func(tx *store.Tx) (err error) { quotes, err = tx.Copies(s.id, 1, "They wrote:"); return err })
	s.Equal("named", []parley.MessageID{quotes[0].ID}, r.Quoted)
	s.Equal("what is somebody's own word stays", 2, len(quotes))
	count := func(id parley.TaskID) (n int) {
		for _, step := range s.Steps(id) {
			n += strings.Count(string(step.Content), "entry 20 ")
		}
		return n
	}
	s.Equal("in the steps of much, and of little", []int{0, 1}, []int{count(much), count(little)})
	s.Stop()
}
