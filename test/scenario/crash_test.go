package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/store"
	"parley/internal/tool"
)

// outside is the world beyond the hub, which a crash does not undo: it counts
// the letters posted and the looks taken, by the key of the call.
type outside struct {
	mu             sync.Mutex
	letters, looks map[string]int
}

func newOutside() *outside { return &outside{letters: map[string]int{}, looks: map[string]int{}} }

func (o *outside) count(m map[string]int, key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m[key]++
}

// tools are one that must not be repeated and one that may.
func (o *outside) tools() map[string][]tool.Tool {
	schema := json.RawMessage(`{"type": "object", "properties": {}}`)
	return map[string][]tool.Tool{"outside": {
		tool.Outside(schema, tool.Spec[json.RawMessage]{Name: "post_letter", Run: func(_ context.Context, c tool.Call, _ json.RawMessage) (tool.Result, error) {
			o.count(o.letters, c.Key)
			return tool.Result{Text: "Posted."}, nil
		}}),
		tool.Outside(schema, tool.Spec[json.RawMessage]{Name: "look", Replays: true, Run: func(_ context.Context, c tool.Call, _ json.RawMessage) (tool.Result, error) {
			o.count(o.looks, c.Key)
			return tool.Result{Text: "Looked."}, nil
		}}),
	}}
}

// busyDay is a flow with everything in it that a crash can hit: a nested ask,
// tools of both kinds, delegations of which one fails and is given to another,
// a notification, several turns.
const busyDay = `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Figures?', context: 'For the report.'}}
        - calls:
            - {tool: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Write.', priority: high}}
            - {tool: contact_agent, args: {action: delegate, agentId: LegalBot, message: 'Check.'}}
        - {call: contact_agent, args: {action: notify, agentId: ArchiveBot, message: 'A report is coming.'}}
        - say: 'Begun.'
    - match: '^\[Delegation Failed \| LegalBot'
      steps: [{call: contact_agent, args: {action: delegate, agentId: BackupBot, message: 'Check.'}}, {say: 'Given to BackupBot.'}]
    - match: '^\[Delegation Result'
      seen: 2
      steps: [{say: "All is done.\n{{results}}"}]
    - match: '^\[Delegation Result'
      steps: [{say: 'One is done.'}]
  DataBot: [{steps: [{wait: 1s, call: look, args: {}}, {call: contact_agent, args: {action: ask, agentId: LedgerBot, message: 'Sum?'}}, {say: 'Twelve.'}]}]
  LedgerBot: [{steps: [{call: post_letter, args: {}}, {wait: 1s, say: 'Summed.'}]}]
  WriterBot: [{steps: [{wait: 10s, call: post_letter, args: {}}, {say: 'Written.'}]}]
  LegalBot: [{steps: [{wait: 20s, fail: 'No lawyer.'}]}]
  BackupBot: [{steps: [{wait: 30s, call: look, args: {}}, {say: 'Checked.'}]}]
`

var busyAgents = []string{"CoordinatorBot", "DataBot", "LedgerBot", "WriterBot", "LegalBot", "BackupBot", "ArchiveBot"}

func busyTeam(o *outside) Team {
	return Team{Agents: busyAgents, Script: busyDay, Tools: o.tools(), Member: func(m *app.Member) {
		m.Toolsets = []string{"contact", "outside"}
		m.Limits.Rescues = 1000
		m.Rules = ruled(ruleset{profile: "open"}) // the tools do not say what they do
	}}
}

// beginBusyDay puts the request into the store so that nothing happens before
// a second has passed.
func beginBusyDay(s *Stage) {
	for i := range 22 { // two more than the history shows
		s.As("rutger").Notify("CoordinatorBot", fmt.Sprintf("News %d.", i))
	}
	s.As("rutger").Sleep("CoordinatorBot", time.Second)
	s.As("rutger").Delegate("CoordinatorBot", "Begin.")
	synctest.Wait()
}

func checkBusyDay(s *Stage, o *outside) {
	s.Helper()
	s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 DataBot completed\n    task-103 LedgerBot completed\n"+
		"  task-104 WriterBot completed\n  task-105 LegalBot failed\n  task-106 BackupBot completed\n", s.Tree(101))
	s.Equal("result", "All is done.\nWriterBot: Written.\nBackupBot: Checked.", s.Result(101))
	s.Equal("the person's dm", []Said{
		{"rutger", parley.DelegateMessage, "[Agent Request from rutger | Pattern: delegate | Priority: normal | Task: task-101]\n\nBegin."},
		{"CoordinatorBot", parley.ReplyMessage, "Begun."},
		{"WriterBot", parley.ResultMessage, "[Delegation Result from WriterBot | task-104]\nWritten."},
		{"CoordinatorBot", parley.ReplyMessage, "One is done."},
		{"LegalBot", parley.FailureMessage, "[Delegation Failed | LegalBot | task-105]\nError: LegalBot failed to complete the task: No lawyer."},
		{"CoordinatorBot", parley.ReplyMessage, "Given to BackupBot."},
		{"BackupBot", parley.ResultMessage, "[Delegation Result from BackupBot | task-106]\nChecked."},
		{"CoordinatorBot", parley.ReplyMessage, "All is done.\nWriterBot: Written.\nBackupBot: Checked."},
	}, s.DM("rutger", "CoordinatorBot")[22:])
	s.Equal("one dm", []Said{
		{"CoordinatorBot", parley.AskMessage, "[Agent Request from CoordinatorBot | Pattern: ask]\n\nContext: For the report.\n\nFigures?"},
		{"DataBot", parley.ReplyMessage, "Twelve."},
	}, s.DM("CoordinatorBot", "DataBot"))
	s.Equal("the other", 1, len(s.DM("CoordinatorBot", "ArchiveBot")))
	s.Equal("and the nested one", 2, len(s.DM("DataBot", "LedgerBot")))
	s.checkLetters(o)
}

const interrupted = "Error: The call was interrupted; whether it took effect is unknown. Look before you try again."

// checkLetters makes sure that no letter was posted twice, and that every call
// either says so or says that it was interrupted.
func (s *Stage) checkLetters(o *outside) {
	s.Helper()
	for key, n := range o.letters {
		if n > 1 {
			s.Errorf("the letter %s was posted %d times", key, n)
		}
	}
	for _, id := range []parley.TaskID{103, 104} {
		read := s.Results(id)
		switch {
		case len(read) == 1 && read[0] == "Posted." && len(o.letters) > 0:
		case len(read) == 1 && read[0] == interrupted:
		default:
			s.Errorf("%s read %q, with letters %v", id, read, o.letters)
		}
	}
}

// finishedLooks counts the looks whose results are stored.
func (o *outside) finishedLooks(t *testing.T, st store.Store) map[string]int {
	t.Helper()
	looks := map[string]int{}
	err := st.View(t.Context(), func(tx *store.Tx) error {
		for id := parley.TaskID(101); id <= 106; id++ {
			steps, err := tx.Steps(id)
			if err != nil {
				return err
			}
			for _, step := range steps {
				var r struct{ Call string }
				if step.Kind == parley.StepResult && json.Unmarshal(step.Content, &r) == nil {
					key := fmt.Sprintf("%d/%d/%s", id, step.Turn, r.Call)
					looks[key] = o.looks[key]
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return looks
}

func TestABusyDayWithoutACrash(t *testing.T) {
	o := newOutside()
	Play(t, busyTeam(o), func(s *Stage) {
		beginBusyDay(s)
		s.Pass(time.Hour)
		checkBusyDay(s, o)
		s.Equal("letters", 2, len(o.letters))
	})
}

// thoughts are the conversations that the models were shown on a busy day, a
// text for each. A call that was interrupted counts as one that was not.
func thoughts(m *Models) map[string]bool {
	set := map[string]bool{}
	for _, agent := range busyAgents {
		for _, req := range m.Shown(agent) {
			text := agent
			for _, msg := range req.Messages {
				body := msg.Text
				if body == interrupted {
					body = "Posted."
				}
				text += fmt.Sprintf("\n%s: %s %v", msg.Role, body, msg.Calls)
			}
			set[text] = true
		}
	}
	return set
}

// TestACrashAtAnyCommitLosesNothingAndRepeatsNothing lets the hub die at its
// first commit, at its second, and so on to the last: right before it, when
// what tools did is done and not on record, and right after it, when what is
// on record has reached nobody.
func TestACrashAtAnyCommitLosesNothingAndRepeatsNothing(t *testing.T) {
	want := undisturbed(t)
	for _, before := range []bool{true, false} {
		t.Run(fmt.Sprintf("before=%v", before), func(t *testing.T) {
			t.Parallel()
			for n := 1; dieAt(t, n, before, want); n++ {
				if n > 200 || t.Failed() {
					t.Fatalf("at commit %d", n)
				}
			}
		})
	}
}

// undisturbed is what the models think on a day without a crash.
func undisturbed(t *testing.T) (want map[string]bool) {
	bubbletest.Test(t, func(t *testing.T) {
		s := Raise(t, busyTeam(newOutside()), OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
		beginBusyDay(s)
		s.Pass(2 * time.Minute)
		want = thoughts(s.Models)
	})
	return want
}

// dieAt plays a busy day on a hub that dies at a commit, and on to its end on
// another one. It reports false if the day had fewer commits.
func dieAt(t *testing.T, n int, before bool, want map[string]bool) (died bool) {
	t.Helper()
	bubbletest.Test(t, func(t *testing.T) {
		o := newOutside()
		file := filepath.Join(t.TempDir(), "parley.db")
		first, life := doomed(t, busyTeam(o), file)
		beginBusyDay(first)
		life.Doom(n, before)
		if died = first.Dies(life, 2*time.Minute); !died {
			checkBusyDay(first, o)
			return
		}
		st := OpenFile(t, Remains(t, file))
		looked := o.finishedLooks(t, st)
		second := Raise(t, busyTeam(o), st)
		second.Pass(2 * time.Minute)
		second.Stop()
		checkBusyDay(second, o)
		for thought := range thoughts(second.Models) {
			if !want[thought] {
				t.Errorf("a model was shown what it would not have been without the crash: %s", thought)
			}
		}
		second.Models.Adopt(first.Models)
		second.CheckPromises()
		for key, n := range looked {
			if o.looks[key] != n {
				t.Errorf("the finished call %s ran again", key)
			}
		}
	})
	return died
}

// doomed starts a hub whose process can die.
func doomed(t *testing.T, team Team, file string) (*Stage, *Mortal) {
	t.Helper()
	var life *Mortal
	team.Hub = func(c *app.HubConfig) {
		life = NewMortal(t, c.Store)
		c.Store = life
	}
	return Raise(t, team, OpenFile(t, file)), life
}

// Dies lets time pass and reports whether the hub died meanwhile. A dead one is found
// within a second; one that survived is spared.
func (s *Stage) Dies(life *Mortal, within time.Duration) bool {
	for range int(within / time.Second) {
		s.Pass(time.Second)
		if life.Dead() {
			s.Abandon()
			return true
		}
	}
	life.Spare()
	return false
}

func TestManyCrashesInARow(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		o := newOutside()
		file := filepath.Join(t.TempDir(), "parley.db")
		s, life := doomed(t, busyTeam(o), file)
		beginBusyDay(s)
		life.Doom(1, false)
		for lives := 1; s.Dies(life, 2*time.Minute); lives++ {
			if lives > 100 {
				t.Fatal("it never comes to an end")
			}
			file = Remains(t, file)
			shown := s.Models
			s, life = doomed(t, busyTeam(o), file)
			s.Models.Adopt(shown)
			life.Doom(4, lives%2 == 0)
		}
		s.Stop()
		checkBusyDay(s, o)
		s.CheckPromises()
	})
}
