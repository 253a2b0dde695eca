package trace_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/trace"
)

// names are the participants by id.
var names = map[parley.AgentID]string{1: "Ada", 2: "Lead", 3: "Data", 4: "Writer"}

const (
	ada parley.AgentID = iota + 1
	lead
	data
	writer
)

// book is a store into which tests write tasks by hand, at chosen seconds.
type book struct {
	t     *testing.T
	store store.Store
	now   time.Time
}

func newBook(t *testing.T) *book {
	b := &book{t: t, now: time.Unix(1_000_000, 0)}
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Clock: func() time.Time { return b.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	b.store = st
	b.update(func(tx *store.Tx) error {
		team := parley.Team{Name: "main"}
		tx.InsertTeam(&team)
		for id := ada; id <= writer; id++ {
			tx.InsertAgent(&parley.Agent{Team: team.ID, Name: names[id], Kind: parley.Native})
		}
		return nil
	})
	return b
}

func (b *book) update(fn func(tx *store.Tx) error) {
	b.t.Helper()
	if err := b.store.Update(b.t.Context(), fn); err != nil {
		b.t.Fatal(err)
	}
}

// second sets the clock.
func (b *book) second(s int) { b.now = time.Unix(1_000_000+int64(s), 0) }

// post stores a message to somebody.
func (b *book) post(tx *store.Tx, m parley.Message, to parley.AgentID) parley.MessageID {
	dm, err := tx.EnsureDM(1, m.Author, to)
	if err != nil {
		b.t.Error(err)
	}
	m.Team, m.Thread = 1, dm.Main
	if err := tx.Post(&m, store.Recipient{ID: to}); err != nil {
		b.t.Error(err)
	}
	return m.ID
}

// open stores a task that from requests from to.
func (b *book) open(parent parley.Task, p parley.Pattern, from, to parley.AgentID, title string) parley.Task {
	b.t.Helper()
	var t parley.Task
	b.update(func(tx *store.Tx) error {
		t = parley.Task{ID: tx.NewTaskID(), Team: 1, Parent: parent.ID, Root: parent.Root, Pattern: p, Requester: from, Agent: to,
			Title: title, State: parley.Running}
		if parent.ID == 0 {
			t.Root = t.ID
		} else {
			t.Callback = parley.CallbackResult
		}
		if p == parley.Ask {
			t.WaitUntil = tx.Now.Add(2 * time.Minute)
			if parent.ID != 0 {
				t.Callback = parley.CallbackReply
			}
		}
		t.Request = b.post(tx, parley.Message{Author: from, Kind: parley.DelegateMessage, Body: title, Task: t.ID,
			Origin: parent.ID, Key: fmt.Sprint("k", t.ID)}, to)
		tx.InsertTask(&t)
		return nil
	})
	return t
}

func (b *book) end(t parley.Task, state parley.State, by parley.AgentID, text string) parley.Task {
	b.t.Helper()
	b.update(func(tx *store.Tx) error {
		b.endIn(tx, &t, state, by, text)
		return nil
	})
	return t
}

func (b *book) endIn(tx *store.Tx, t *parley.Task, state parley.State, by parley.AgentID, text string) {
	t.State, t.EndedAt, t.EndedBy = state, tx.Now, by
	if state == parley.Completed && text != "" {
		t.Result = b.post(tx, parley.Message{Author: t.Agent, Kind: parley.ReplyMessage, Body: text, Task: t.ID}, t.Requester)
	} else {
		t.Error = text
	}
	tx.UpdateTask(t)
}

func (b *book) notify(in parley.Task, from, to parley.AgentID, text string) {
	b.update(func(tx *store.Tx) error {
		b.post(tx, parley.Message{Author: from, Kind: parley.NotificationMessage, Body: text, Origin: in.ID, Key: text}, to)
		return nil
	})
}

// diagram is the arrows of a tree as lines.
func (b *book) diagram(of parley.Task) []string {
	b.t.Helper()
	var lines []string
	err := b.store.View(b.t.Context(), func(tx *store.Tx) error {
		tasks, err := tx.Subtree(of.ID)
		if err != nil {
			return err
		}
		arrows, err := trace.Arrows(tx, tasks)
		for _, a := range arrows {
			lines = append(lines, fmt.Sprintf("%d %s → %s %s %s: %s", a.At.Time().Unix()-1_000_000, names[a.From], names[a.To], a.Kind, a.Task, a.Label))
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return lines
}

func (b *book) equal(of parley.Task, want ...string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.diagram(of)); diff != "" {
		b.t.Error(diff)
	}
}

func TestATreeIsToldInTheOrderOfTime(t *testing.T) {
	b := newBook(t)
	root := b.open(parley.Task{}, parley.Ask, ada, lead, "The report?")
	b.second(1)
	question := b.open(root, parley.Ask, lead, data, "The revenue?")
	b.second(2)
	b.end(question, parley.Completed, 0, "42 million.")
	b.second(3)
	first := b.open(root, parley.Delegate, lead, writer, "Chapter one.")
	second := b.open(root, parley.Delegate, lead, data, "Chapter two.")
	b.second(4)
	b.notify(root, lead, data, "Hurry.")
	b.second(5)
	b.end(second, parley.TaskFailed, 0, "The pen is broken.")
	b.second(6)
	b.end(first, parley.Completed, 0, "")
	b.second(7)
	b.end(root, parley.Completed, 0, "Half a report.")
	b.equal(root,
		"0 Ada → Lead ask task-101: The report?",
		"1 Lead → Data ask task-102: The revenue?",
		"2 Data → Lead reply task-102: 42 million.",
		"3 Lead → Writer delegate task-103: Chapter one.",
		"3 Lead → Data delegate task-104: Chapter two.",
		"4 Lead → Data notify task-101: Hurry.",
		"5 Data → Lead failed task-104: The pen is broken.",
		"6 Writer → Lead result task-103: (no text)",
		"7 Lead → Ada reply task-101: Half a report.",
	)
	b.equal(question,
		"1 Lead → Data ask task-102: The revenue?",
		"2 Data → Lead reply task-102: 42 million.",
	)
}

func TestAtOneMomentTheOrderIsThatOfCause(t *testing.T) {
	b := newBook(t)
	root := b.open(parley.Task{}, parley.Delegate, ada, lead, "The report.")
	b.notify(root, lead, writer, "Get ready.")
	child := b.open(root, parley.Delegate, lead, data, "The revenue.")
	b.notify(root, lead, writer, "Soon.")
	b.end(child, parley.Completed, 0, "42 million.")
	b.end(root, parley.Completed, 0, "Here.")
	b.equal(root,
		"0 Ada → Lead delegate task-101: The report.",
		"0 Lead → Writer notify task-101: Get ready.",
		"0 Lead → Data delegate task-102: The revenue.",
		"0 Data → Lead result task-102: 42 million.",
		"0 Lead → Writer notify task-101: Soon.",
		"0 Lead → Ada result task-101: Here.",
	)
}

func TestWhatFollowsFromAnEndComesAfterIt(t *testing.T) {
	for _, c := range []struct {
		state parley.State
		by    parley.AgentID
		line  string
	}{
		{parley.Cancelled, ada, "9 Ada → Lead cancelled task-101: The report."},
		{parley.TaskFailed, 0, "9 Lead → Ada failed task-101: over"},
	} {
		b := newBook(t)
		root := b.open(parley.Task{}, parley.Delegate, ada, lead, "The report.")
		child := b.open(root, parley.Delegate, lead, data, "The revenue.")
		grandchild := b.open(child, parley.Delegate, data, writer, "The sum.")
		b.second(9)
		b.update(func(tx *store.Tx) error {
			b.endIn(tx, &root, c.state, c.by, "over")
			b.endIn(tx, &child, parley.Cancelled, lead, "cancelled by Lead.")
			b.endIn(tx, &grandchild, parley.Cancelled, lead, "cancelled by Lead.")
			return nil
		})
		b.equal(root,
			"0 Ada → Lead delegate task-101: The report.",
			"0 Lead → Data delegate task-102: The revenue.",
			"0 Data → Writer delegate task-103: The sum.",
			c.line,
			"9 Lead → Data cancelled task-102: The revenue.",
			"9 Lead → Writer cancelled task-103: The sum.",
		)
	}
}

func TestALateAnswerIsAResult(t *testing.T) {
	b := newBook(t)
	root := b.open(parley.Task{}, parley.Delegate, ada, lead, "The report.")
	late := b.open(root, parley.Ask, lead, data, "The revenue?")
	late.Callback = parley.CallbackLate
	b.second(150)
	b.end(late, parley.Completed, 0, "42 million.")
	b.equal(root,
		"0 Ada → Lead delegate task-101: The report.",
		"0 Lead → Data ask task-102: The revenue?",
		"120 Data → Lead timeout task-102: no answer within 2m0s",
		"150 Data → Lead result task-102: 42 million.",
		"150 Lead → Lead waiting task-101: running",
	)
}

func TestOpenTasksTellWhereTheyStand(t *testing.T) {
	b := newBook(t)
	root := b.open(parley.Task{}, parley.Delegate, ada, lead, "The report.")
	child := b.open(root, parley.Delegate, lead, data, "The revenue.")
	b.update(func(tx *store.Tx) error {
		root.State, root.OpenChildren = parley.Waiting, 1
		child.State, child.Due = parley.Queued, parley.Micros(time.Unix(1_003_600, 0).UnixMicro())
		tx.UpdateTask(&root)
		tx.UpdateTask(&child)
		return nil
	})
	b.second(5)
	b.equal(root,
		"0 Ada → Lead delegate task-101: The report.",
		"0 Lead → Data delegate task-102: The revenue.",
		"5 Data → Data waiting task-102: queued until 1970-01-12T14:46:40Z",
		"5 Lead → Lead waiting task-101: waiting for 1",
	)
}

func TestATaskThatWaitsForItsBudgetSaysSo(t *testing.T) {
	b := newBook(t)
	root := b.open(parley.Task{}, parley.Delegate, ada, lead, "The report.")
	b.update(func(tx *store.Tx) error {
		root.State, root.Waits = parley.Waiting, parley.WaitTree
		tx.UpdateTask(&root)
		return nil
	})
	b.second(5)
	b.equal(root, "0 Ada → Lead delegate task-101: The report.", "5 Lead → Lead waiting task-101: waiting for budget")
}

func TestARetryNamesWhatItRepeats(t *testing.T) {
	b := newBook(t)
	root := b.open(parley.Task{}, parley.Delegate, ada, lead, "The report.")
	first := b.open(root, parley.Delegate, lead, data, "The revenue.")
	b.second(1)
	b.end(first, parley.TaskFailed, 0, "The pen is broken.")
	b.second(2)
	var again parley.Task
	b.update(func(tx *store.Tx) error {
		again = parley.Task{ID: tx.NewTaskID(), Team: 1, Parent: root.ID, Root: root.ID, RetryOf: first.ID, Pattern: parley.Delegate,
			Callback: parley.CallbackResult, Requester: lead, Agent: data, Title: first.Title, State: parley.Running}
		again.Request = b.post(tx, parley.Message{Author: lead, Kind: parley.DelegateMessage, Body: first.Title, Task: again.ID}, data)
		tx.InsertTask(&again)
		return nil
	})
	b.second(3)
	b.end(again, parley.Completed, 0, "42 million.")
	b.end(root, parley.Completed, 0, "Here.")
	b.equal(root,
		"0 Ada → Lead delegate task-101: The report.",
		"0 Lead → Data delegate task-102: The revenue.",
		"1 Data → Lead failed task-102: The pen is broken.",
		"2 Lead → Data retry task-103: task-102 again: The revenue.",
		"3 Data → Lead result task-103: 42 million.",
		"3 Lead → Ada result task-101: Here.",
	)
}

// An answer that came after the asking task had ended used to be shown as a mention,
// and one given in the middle of a turn not at all.
func TestAnswersAreTold(t *testing.T) {
	b := newBook(t)
	root := b.open(parley.Task{}, parley.Ask, ada, lead, "The report.")
	asked := b.open(root, parley.QuestionPattern, lead, data, "Which quarter?")
	b.second(1)
	b.update(func(tx *store.Tx) error {
		b.post(tx, parley.Message{Author: data, Kind: parley.AnswerMessage, Body: "The first.", Task: asked.ID, Origin: asked.ID, Key: "a"}, lead)
		return nil
	})
	b.second(2)
	b.end(root, parley.Completed, 0, "Here.")
	b.second(3)
	b.update(func(tx *store.Tx) error {
		late := parley.Task{ID: tx.NewTaskID(), Team: 1, Cause: root.ID, Pattern: parley.AnswerPattern, Requester: data, Agent: lead,
			Title: "Or the second.", State: parley.Running}
		late.Root = late.ID
		late.Request = b.post(tx, parley.Message{Author: data, Kind: parley.AnswerMessage, Body: late.Title, Task: late.ID, Origin: asked.ID, Key: "b"}, lead)
		tx.InsertTask(&late)
		return nil
	})
	b.second(4)
	b.end(asked, parley.Completed, 0, "I have answered.")
	b.equal(root,
		"0 Ada → Lead ask task-101: The report.",
		"0 Lead → Data question task-102: Which quarter?",
		"1 Data → Lead answer task-102: The first.",
		"2 Lead → Ada reply task-101: Here.",
		"3 Data → Lead answer task-101: task-103: Or the second.",
		"4 Data → Lead result task-102: I have answered.",
	)
}
