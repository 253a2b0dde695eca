package desk_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/desk"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/memtest"
)

// office is a team whose hub does not run: no worker claims anything and no clock
// looks. Codex and Claude are client agents, BossBot is Codex's manager.
type office struct {
	*testing.T
	*desk.Service
	hub   *app.Hub
	store *memtest.Store
	team  parley.TeamID
}

const lease = 5 * time.Minute

func newOffice(t *testing.T, change ...func(*app.Member)) *office {
	t.Helper()
	st := memtest.Open(t)
	o := &office{T: t, store: st, hub: app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler)})}
	roster := app.Roster{Team: "main", Channels: []app.Channel{{Name: "all", Members: []string{"*"}}}}
	for name, kind := range map[string]parley.AgentKind{"Pat": parley.Person, "DataBot": parley.Native, "Codex": parley.Client, "Claude": parley.Client, "Chief": parley.Client} {
		roster.Members = append(roster.Members, app.Member{Name: name, Kind: kind, Limits: parley.DefaultLimits()})
	}
	slices.SortFunc(roster.Members, func(a, b app.Member) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range change {
		for i := range roster.Members {
			c(&roster.Members[i])
		}
	}
	team, err := o.hub.Join(t.Context(), roster)
	if err != nil {
		t.Fatal(err)
	}
	o.team = team.ID
	o.Service = o.service()
	return o
}

// service is the desk of another hub on the same store: it remembers nothing.
func (o *office) service() *desk.Service {
	return desk.New(desk.Config{Store: o.store, Directory: o.hub.Directory, Contacts: o.hub.Contacts, Access: o.hub.Access,
		Log: slog.New(slog.DiscardHandler), Lease: lease, Clock: func() time.Time { return o.store.Now().Time() }})
}

func (o *office) as(name string) access.Caller {
	o.Helper()
	e, err := o.hub.Directory.Find(o.team, name)
	if err != nil {
		o.Fatal(err)
	}
	return access.Caller{Team: o.team, Agent: e.ID}
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) equal(what string, want, got any) {
	o.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		o.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (o *office) delegate(from, to, message string, p parley.Priority) parley.TaskID {
	o.Helper()
	c, err := o.hub.Contacts.Delegate(o.Context(), o.as(from), contact.Request{Target: to, Message: message, Priority: p})
	o.must(err)
	return c.Task.ID
}

func (o *office) notify(from, to, message string) parley.MessageID {
	o.Helper()
	c, err := o.hub.Contacts.Notify(o.Context(), o.as(from), contact.Request{Target: to, Message: message})
	o.must(err)
	return c.Message
}

func (o *office) receive(who, cursor string) desk.Batch {
	o.Helper()
	b, err := o.Receive(o.Context(), o.as(who), desk.Fetch{Cursor: cursor})
	o.must(err)
	return b
}

func (o *office) task(id parley.TaskID) (t parley.Task) {
	o.Helper()
	o.store.See(func(tx *store.Tx) (err error) { t, err = tx.Task(id); return err })
	return t
}

// tick does what the scheduler does for clients that are gone.
func (o *office) tick() {
	o.Helper()
	o.must(o.hub.TakeBack(o.Context()))
}

// bodies are the items of a batch: what they say, of which task, and whether again.
func bodies(b desk.Batch) (list []string) {
	for _, i := range b.Items {
		text := i.Message.Body
		if i.Task != 0 {
			text += " " + i.Task.String()
		}
		if i.Again {
			text += " again"
		}
		list = append(list, text)
	}
	return list
}

func TestWorkIsHandedOutByPriority(t *testing.T) {
	o := newOffice(t)
	o.delegate("Pat", "Codex", "later", parley.Low)
	o.notify("Pat", "Codex", "news")
	o.delegate("Pat", "Codex", "soon", parley.Normal)
	o.delegate("Pat", "Codex", "now", parley.Urgent)
	b := o.receive("Codex", "")
	o.equal("items", []string{"now task-103", "news", "soon task-102", "later task-101"}, bodies(b))
	o.equal("counts", [2]int{4, 0}, [2]int{b.Unread, b.More})
	o.equal("held", []parley.TaskID{103, 102, 101}, b.Held)
	o.equal("text", "[Agent Request from Pat | Pattern: delegate | Priority: urgent | Task: task-103]\n\nnow", b.Items[0].Text)
	o.equal("a lease", [3]any{parley.Running, int64(0), int64(1)}, [3]any{o.task(103).State, o.task(103).Worker, o.task(103).Token})
}

func TestALimitKeepsTheRestForLater(t *testing.T) {
	o := newOffice(t)
	for range 3 {
		o.delegate("Pat", "Codex", "x", parley.Normal)
	}
	b, err := o.Receive(t.Context(), o.as("Codex"), desk.Fetch{Limit: 2})
	o.must(err)
	o.equal("first", []string{"x task-101", "x task-102"}, bodies(b))
	o.equal("counts", [2]int{3, 1}, [2]int{b.Unread, b.More})
	o.equal("the third is not taken", parley.Queued, o.task(103).State)
	o.equal("then", []string{"x task-103"}, bodies(o.receive("Codex", b.Cursor)))
}

// What was handed out comes again until somebody says that it arrived.
func TestWhatGotLostComesAgain(t *testing.T) {
	seen := map[string]func(o *office, b desk.Batch){
		"the cursor": func(o *office, b desk.Batch) { o.receive("Codex", b.Cursor) },
		"an ack": func(o *office, b desk.Batch) {
			o.must(o.Ack(o.Context(), o.as("Codex"), []parley.MessageID{b.Items[0].Message.ID, b.Items[1].Message.ID}))
		},
		"the cursor in an ack": func(o *office, b desk.Batch) { o.must(o.Ack(o.Context(), o.as("Codex"), nil, b.Cursor)) },
		"a reply to each": func(o *office, b desk.Batch) {
			for _, i := range b.Items {
				_, err := o.Reply(o.Context(), o.as("Codex"), i.Message.ID, "Thanks.")
				o.must(err)
			}
		},
	}
	for how, do := range seen {
		t.Run(how, func(t *testing.T) {
			o := newOffice(t)
			o.delegate("Pat", "Codex", "work", parley.Normal)
			o.notify("Pat", "Codex", "news")
			o.equal("first", []string{"work task-101", "news"}, bodies(o.receive("Codex", "")))
			again := o.receive("Codex", "")
			o.equal("again", []string{"work task-101 again", "news again"}, bodies(again))
			o.equal("the same lease", int64(1), o.task(101).Token)
			do(o, again)
			o.equal("never more", []string(nil), bodies(o.receive("Codex", "")))
		})
	}
}

func TestTheEndOfATaskIsSeen(t *testing.T) {
	o := newOffice(t)
	o.delegate("Pat", "Codex", "work", parley.Normal)
	o.delegate("Pat", "Codex", "more", parley.Normal)
	o.receive("Codex", "")
	o.must(o.Complete(t.Context(), o.as("Codex"), 101, "Done."))
	o.must(o.Fail(t.Context(), o.as("Codex"), 102, "No."))
	o.equal("never more", []string(nil), bodies(o.receive("Codex", "")))
	o.equal("held", 0, len(o.receive("Codex", "").Held))
}

func TestACursorNamesOnlyWhatIsOnes(t *testing.T) {
	o := newOffice(t)
	o.notify("Pat", "Codex", "news")
	b := o.receive("Codex", "")
	o.receive("Claude", b.Cursor)
	o.equal("again", []string{"news again"}, bodies(o.receive("Codex", "")))
	for _, cursor := range []string{"!", "AA", "AQA", "gICAgICAgICAgIAB", strings.Repeat("AQEBAQEB", 40)} {
		if _, err := o.Receive(t.Context(), o.as("Codex"), desk.Fetch{Cursor: cursor}); parley.KindOf(err) != parley.Conflict {
			t.Errorf("the cursor %q: %v", cursor, err)
		}
	}
}

func TestWhatCannotBeginIsNotHandedOut(t *testing.T) {
	for name, c := range map[string]struct{ stop, goOn func(o *office) error }{
		"sleeping": {
			func(o *office) error {
				return o.hub.Contacts.Sleep(o.Context(), o.as("Pat"), "Codex", o.store.Now().Time().Add(time.Hour))
			},
			func(o *office) error { return o.hub.Contacts.Wake(o.Context(), o.as("Pat"), "Codex") },
		},
		"paused": {
			func(o *office) error { return o.hub.Contacts.Pause(o.Context(), o.as("Pat")) },
			func(o *office) error { return o.hub.Contacts.Resume(o.Context(), o.as("Pat")) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			o.must(c.stop(o))
			o.delegate("Pat", "Codex", "work", parley.Normal)
			o.notify("Pat", "Codex", "news")
			b := o.receive("Codex", "")
			o.equal("only the news", []string{"news"}, bodies(b))
			o.equal("unread", 1, b.Unread)
			if _, err := o.Take(t.Context(), o.as("Codex"), 101); parley.KindOf(err) != parley.Conflict {
				t.Errorf("taken: %v", err)
			}
			o.must(c.goOn(o))
			o.equal("then", []string{"work task-101"}, bodies(o.receive("Codex", b.Cursor)))
		})
	}
}

// One that does one thing at a time is handed one at a time.
func TestOneTurnAtATime(t *testing.T) {
	o := newOffice(t, func(m *app.Member) { m.Limits.Turns = 1 })
	o.delegate("Pat", "Codex", "a", parley.Normal)
	o.delegate("Pat", "Codex", "b", parley.Normal)
	b := o.receive("Codex", "")
	o.equal("the first", []string{"a task-101"}, bodies(b))
	o.equal("no other", []string(nil), bodies(o.receive("Codex", b.Cursor)))
	o.must(o.Complete(t.Context(), o.as("Codex"), 101, "Done."))
	o.equal("the next", []string{"b task-102"}, bodies(o.receive("Codex", "")))
}

func TestTakeAndUpdate(t *testing.T) {
	o := newOffice(t)
	o.delegate("Pat", "Codex", "work", parley.Normal)
	for _, c := range []access.Caller{o.as("Claude"), o.as("DataBot"), {Team: o.team + 1, Agent: o.as("Codex").Agent}} {
		_, err := o.Take(t.Context(), c, 101)
		if kind := parley.KindOf(err); kind != parley.Denied && kind != parley.NotFound {
			t.Errorf("taken by another: %v", err)
		}
		if err := o.Update(t.Context(), c, 101, "Half."); err == nil {
			t.Error("another's progress")
		}
	}
	task, err := o.Take(t.Context(), o.as("Codex"), 101)
	o.must(err)
	o.equal("taken", [2]any{parley.Running, int64(1)}, [2]any{task.State, task.Token})
	task, err = o.Take(t.Context(), o.as("Codex"), 101)
	o.must(err)
	o.equal("kept", int64(1), task.Token)
	o.must(o.Update(t.Context(), o.as("Codex"), 101, "Half."))
	o.equal("it is not seen yet", []string{"work task-101 again"}, bodies(o.receive("Codex", "")))
	list, err := o.Tasks(t.Context(), o.as("Codex"))
	o.must(err)
	o.equal("tasks", 1, len(list))
	o.must(o.Complete(t.Context(), o.as("Codex"), 101, "Done."))
	if _, err := o.Take(t.Context(), o.as("Codex"), 101); parley.KindOf(err) != parley.Conflict {
		t.Errorf("taken after its end: %v", err)
	}
	if err := o.Update(t.Context(), o.as("Codex"), 101, "Half."); parley.KindOf(err) != parley.Conflict {
		t.Errorf("progress after its end: %v", err)
	}
}

// A client hears that work which it was handed is cancelled, and never of work that it
// was not handed.
func TestTheHolderOfACancelledTaskIsTold(t *testing.T) {
	o := newOffice(t)
	o.delegate("Pat", "Codex", "work", parley.Normal)
	o.receive("Codex", "")
	o.delegate("Pat", "Codex", "more", parley.Normal)
	o.must(o.hub.Contacts.Cancel(t.Context(), o.as("Pat"), 101))
	o.must(o.hub.Contacts.Cancel(t.Context(), o.as("Pat"), 102))
	told := o.receive("Codex", "")
	if len(told.Items) != 1 {
		t.Fatalf("told: %q", bodies(told))
	}
	o.equal("text", "[Task Ended | task-101]\n\ncancelled by Pat. Stop working on it; nothing that you send for it counts any more.", told.Items[0].Text)
	o.equal("from the hub", "", told.Items[0].From)
	if err := o.Complete(t.Context(), o.as("Codex"), 101, "Done."); parley.KindOf(err) != parley.Conflict {
		t.Errorf("completed: %v", err)
	}
	o.equal("seen", []string(nil), bodies(o.receive("Codex", told.Cursor)))
}

// Whoever delegates for a task gets the result once, and cannot end the task before.
func TestSubtasksOfAClient(t *testing.T) {
	o := newOffice(t)
	o.delegate("Pat", "Codex", "work", parley.Normal)
	cursor := o.receive("Codex", "").Cursor
	c := o.as("Codex")
	c.Task = 101
	_, err := o.hub.Contacts.Delegate(t.Context(), c, contact.Request{Target: "Claude", Message: "help"})
	o.must(err)
	err = o.Complete(t.Context(), o.as("Codex"), 101, "Done.")
	o.equal("refused", "Error: task-101 has open subtasks: task-102. Wait for their results, or cancel them first.", parley.ToolError(err))
	o.receive("Claude", "")
	o.must(o.Complete(t.Context(), o.as("Claude"), 102, "Here."))
	b := o.receive("Codex", cursor)
	o.equal("the result", []string{"Here."}, bodies(b))
	o.equal("text", "[Delegation Result from Claude | task-102]\nHere.", b.Items[0].Text)
	o.must(o.Complete(t.Context(), o.as("Codex"), 101, "Done."))
}

func TestSubtasksGoWithAFailedTask(t *testing.T) {
	o := newOffice(t)
	o.delegate("Pat", "Codex", "work", parley.Normal)
	c := o.as("Codex")
	c.Task = 101
	_, err := o.hub.Contacts.Delegate(t.Context(), c, contact.Request{Target: "Claude", Message: "help"})
	o.must(err)
	o.receive("Claude", "")
	o.must(o.Fail(t.Context(), o.as("Codex"), 101, "No."))
	o.equal("cancelled", parley.Cancelled, o.task(102).State)
	o.equal("told", "[Task Ended | task-102]", strings.SplitN(o.receive("Claude", "").Items[0].Text, "\n", 2)[0])
}

// A delegation that belongs to no task comes back as a result.
func TestTheResultOfARootComesBack(t *testing.T) {
	o := newOffice(t)
	o.delegate("Codex", "Claude", "help", parley.Normal)
	o.receive("Claude", "")
	o.must(o.Complete(t.Context(), o.as("Claude"), 101, "Here."))
	b := o.receive("Codex", "")
	o.equal("the result", []string{"[Delegation Result from Claude | task-101]\nHere."}, []string{b.Items[0].Text})
	o.delegate("Codex", "Claude", "more", parley.Normal)
	o.must(o.Fail(t.Context(), o.as("Claude"), 102, "No."))
	b = o.receive("Codex", b.Cursor)
	o.equal("the failure", "[Delegation Failed | Claude | task-102]\nError: Claude failed to complete the task: No.", b.Items[0].Text)
}

// The manager of an agent finds requests for approval at its desk, in the hub's words,
// and decides with the digest alone.
func TestAClientManagerIsAsked(t *testing.T) {
	o := newOffice(t, func(m *app.Member) {
		if m.Name == "Codex" {
			m.Rules = &policy.Rules{Behavior: policy.Supervised, Manager: "chief"}
		}
	})
	_, err := o.hub.Contacts.Delegate(t.Context(), o.as("Codex"), contact.Request{Target: "Claude", Message: "help"})
	need, _ := parley.AsNeedsApproval(err)
	if need == nil || need.Approval == 0 {
		t.Fatal(err)
	}
	b := o.receive("Chief", "")
	if len(b.Items) != 1 || b.Items[0].From != "" || b.Items[0].Task != 0 {
		t.Fatalf("asked: %+v", b.Items)
	}
	var a parley.Approval
	o.store.See(func(tx *store.Tx) (err error) { a, err = tx.Approval(need.Approval); return err })
	o.equal("the hub's header", "[Approval Request | "+a.Name()+" | digest "+a.ShortDigest()+"]", strings.SplitN(b.Items[0].Text, "\n", 2)[0])
	for _, ref := range []parley.ApprovalRef{{ID: a.ID}, {ID: a.ID, Letters: a.Letters}, {ID: a.ID, Digest: a.Digest}} {
		if _, err := o.hub.Contacts.Approve(t.Context(), o.as("Chief"), ref); parley.KindOf(err) != parley.Denied {
			t.Errorf("approved with %+v: %v", ref, err)
		}
		if _, err := o.hub.Contacts.Deny(t.Context(), o.as("Chief"), ref, "No."); parley.KindOf(err) != parley.Denied {
			t.Errorf("denied with %+v: %v", ref, err)
		}
	}
	if _, err := o.Reply(t.Context(), o.as("Chief"), b.Items[0].Message.ID, "Yes."); parley.KindOf(err) != parley.Invalid {
		t.Errorf("answered in words: %v", err)
	}
	_, err = o.hub.Contacts.Approve(t.Context(), o.as("Chief"), parley.ApprovalRef{ID: a.ID, Letters: a.Letters, Digest: a.ShortDigest()})
	o.must(err)
	o.equal("nothing is left", []string(nil), bodies(o.receive("Chief", "")))
	o.equal("told", []string{"approval-1 was approved: delegate Claude, as task-101."}, bodies(o.receive("Codex", "")))
	o.equal("made", []string{"help task-101"}, bodies(o.receive("Claude", "")))
}

// What somebody else has decided the manager need not read.
func TestAManagerIsNotAskedWhatIsDecided(t *testing.T) {
	o := newOffice(t, func(m *app.Member) {
		if m.Name == "Codex" {
			m.Rules = &policy.Rules{Behavior: policy.Supervised, Manager: "chief"}
		}
	})
	_, err := o.hub.Contacts.Notify(t.Context(), o.as("Codex"), contact.Request{Target: "Claude", Message: "help"})
	need, _ := parley.AsNeedsApproval(err)
	_, err = o.hub.Contacts.Deny(t.Context(), o.as("Pat"), parley.ApprovalRef{ID: need.Approval}, "Not now.")
	o.must(err)
	o.equal("nothing", []string(nil), bodies(o.receive("Chief", "")))
	o.equal("told", []string{"approval-1: Approval denied for contacting Claude. Not now."}, bodies(o.receive("Codex", "")))
}

// Mail is answered where it was said.
func TestAReplyGoesWhereTheMessageWas(t *testing.T) {
	o := newOffice(t)
	id := o.notify("Claude", "Codex", "Hello.")
	o.receive("Codex", "")
	said, err := o.Reply(t.Context(), o.as("Codex"), id, "Hello to you.")
	o.must(err)
	o.equal("said", "Notification sent to Claude.", said)
	o.equal("read", "[Agent Notification from Codex]\n\nHello to you.", o.receive("Claude", "").Items[0].Text)
	if _, err := o.Reply(t.Context(), o.as("Chief"), id, "Hello."); parley.KindOf(err) != parley.NotFound {
		t.Errorf("another's message: %v", err)
	}
	_, err = o.hub.Contacts.Post(t.Context(), o.as("Pat"), contact.Post{Channel: "all", Message: "@Codex what is up?"})
	o.must(err)
	b := o.receive("Codex", "")
	o.equal("mention", []string{"[Channel Message from Pat | #all]\n\n@Codex what is up?"}, []string{b.Items[0].Text})
	o.equal("its task", [3]any{parley.TaskID(101), false, "#all"}, [3]any{b.Items[0].Task, b.Items[0].Asks, b.Items[0].Place})
	_, err = o.Reply(t.Context(), o.as("Codex"), b.Items[0].Message.ID, "Nothing.")
	o.must(err)
	o.equal("ended", parley.Completed, o.task(101).State)
}

// People receive without taking anything: what they are asked stays theirs.
func TestPeopleReceiveToo(t *testing.T) {
	o := newOffice(t)
	o.delegate("Codex", "Pat", "Which one?", parley.Normal)
	b := o.receive("Pat", "")
	o.equal("asked", []string{"Which one? task-101"}, bodies(b))
	o.equal("queued", parley.Queued, o.task(101).State)
	b = o.receive("Pat", b.Cursor)
	o.equal("seen", []string(nil), bodies(b))
	o.equal("held", []parley.TaskID{101}, b.Held)
	inbox, err := o.hub.Reading.Inbox(t.Context(), o.as("Pat"), 10)
	o.must(err)
	o.equal("and still in the inbox", 1, len(inbox))
}

func TestTheStatusOfAClient(t *testing.T) {
	o := newOffice(t)
	status := func() string {
		a, err := o.hub.Reading.Agent(t.Context(), o.as("Pat"), "Codex")
		o.must(err)
		return a.Status.Because(a.Reason)
	}
	o.equal("before it came", "sleeping (not connected)", status())
	o.delegate("Pat", "Codex", "work", parley.Normal)
	o.equal("with work", "sleeping (not connected)", status())
	o.must(o.Touch(t.Context(), o.as("Codex")))
	o.equal("there", "idle (1 queued)", status())
	o.receive("Codex", "")
	o.equal("at work", "working (1 running)", status())
	o.store.Pass(lease)
	o.equal("gone", "sleeping (not connected)", status())
}

// A program that is started anew has lost what it was working on, though it had said
// that it has it.
func TestWhoStartsAnewIsHandedOutWhatItWorksOn(t *testing.T) {
	o := newOffice(t)
	first := o.delegate("Pat", "Codex", "first", parley.Normal)
	ended := o.delegate("Pat", "Codex", "ended", parley.Normal)
	b := o.receive("Codex", "")
	o.must(o.Complete(o.Context(), o.as("Codex"), ended, "Done."))
	o.equal("with the cursor", 0, len(o.receive("Codex", b.Cursor).Items))
	resume := func(who string, limit int) desk.Batch {
		b, err := o.Receive(o.Context(), o.as(who), desk.Fetch{Resume: true, Limit: limit})
		o.must(err)
		return b
	}
	again := []string{"first " + first.String() + " again"}
	o.equal("anew", again, bodies(resume("Codex", 0)))
	o.notify("Pat", "Codex", "news")
	urgent := o.delegate("Pat", "Codex", "new", parley.Urgent)
	o.equal("and again", again, bodies(resume("Codex", 0)))
	o.equal("what is queued", parley.Queued, o.task(urgent).State)
	o.equal("what waits", []string{"new " + urgent.String(), "news"}, bodies(o.receive("Codex", "")))
	o.equal("one of two", []string{"new " + urgent.String() + " again"}, bodies(resume("Codex", 1)))
	o.equal("somebody else", 0, len(resume("Claude", 0).Items))
}
