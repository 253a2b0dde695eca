package turn_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/memtest"
	"parley/internal/tool"
	"parley/internal/turn"
)

// plan is how a task goes: what was said before, what its model replies, and what
// happens meanwhile.
type plan struct {
	Group, Question bool
	History, Read   int // messages before the request, and how many of them the agent has seen
	Later           int // notifications after the request, before the first turn
	Mail            int // in another conversation, before the first turn
	Window          int // of the model, in tokens; 0 is unknown
	Long            bool
	Budget          bool
	Deny            bool // what waits for an approval gets none
	Replies         []reply
	// Refuses is how a provider refuses that is busy; Reads how much its model really
	// reads, in its own tokens, if that is less than the window.
	Refuses *model.Error
	Reads   int
	// Vague says that a request is too long in words alone.
	Vague bool
	// Handed says that the first turn is handed its task, as by whoever has just stored it.
	Handed bool
}

// reply is one of the model. Without calls it ends the turn, unless it is rejected.
type reply struct {
	Slow     bool
	Calls    []string
	Rejected bool
	Waits    bool // the turn that it ends leaves a subtask open, whose result begins the next
	News     int  // that come as the turn ends
	Mail     int  // that comes in another conversation as the turn ends
	Busy     int  // how often the provider refuses first
}

// world is everything around the turns of one task. It outlives them.
type world struct {
	t     *testing.T
	plan  plan
	store *memtest.Store
	team  parley.TeamID
	pat   parley.Agent
	ann   parley.Agent // whose task it is
	bob   parley.Agent // whom this hub does not know
	task  parley.Task
	child parley.TaskID // that a call waits for
	hub   *mortal       // whose life it is
	// pausedAt is after how many requests the team is paused; 0 is never.
	pausedAt int

	mu       sync.Mutex
	done     map[string]bool // what calls did, by their keys
	requests []model.Request // of the present life
	refused  map[int]int     // how often the provider has refused, by reply
	tooLong  int             // how often a request was too long
	learned  int             // the window that was learned
}

func newWorld(t *testing.T, p plan) *world {
	w := &world{t: t, plan: p, store: memtest.Open(t), done: map[string]bool{}, refused: map[int]int{}}
	w.pat = parley.Agent{Name: "Pat", Kind: parley.Person}
	w.ann = parley.Agent{Name: "Ann", Kind: parley.Native, Turns: 3}
	w.bob = parley.Agent{Name: "Bob", Kind: parley.Native, Turns: 3}
	w.team = w.store.Team("main", &w.pat, &w.ann, &w.bob)
	w.store.Do(w.open)
	return w
}

// open stores the conversation before the task, and the task.
func (w *world) open(tx *store.Tx) error {
	channel, err := w.channel(tx)
	if err != nil {
		return err
	}
	w.task = parley.Task{ID: tx.NewTaskID(), Team: w.team, Requester: w.pat.ID, Agent: w.ann.ID, Thread: channel.Main,
		Pattern: parley.Delegate, Title: "Begin.", State: parley.Queued}
	w.task.Root = w.task.ID
	kind := parley.NotificationMessage
	if w.plan.Group {
		kind, w.task.Pattern = parley.PostMessage, parley.Mention
	}
	for i := range w.plan.History {
		if err := w.post(tx, w.bob.ID, kind, w.text(fmt.Sprintf("History %d.", i)), 0); err != nil {
			return err
		}
	}
	request := parley.Message{Team: w.team, Thread: channel.Main, Author: w.pat.ID, Kind: parley.DelegateMessage, Body: "Begin.", Task: w.task.ID}
	switch {
	case w.plan.Group:
		request.Kind = parley.PostMessage
	case w.plan.Question:
		request.Kind, request.Question = parley.QuestionMessage, 1
	}
	if err := tx.Post(&request, store.Recipient{ID: w.ann.ID}); err != nil {
		return err
	}
	w.task.Request = request.ID
	if w.plan.Budget {
		w.task.Budget = w.task.ID
		tx.InsertBudget(&parley.TreeBudget{Root: w.task.ID, Team: w.team, Limit: parley.Budget{Tokens: 1 << 40}, Tasks: 1})
	}
	tx.InsertTask(&w.task)
	if err := w.mail(tx, w.plan.Mail, 0); err != nil {
		return err
	}
	return w.news(tx, w.plan.Later)
}

// mail are notifications in another conversation, about a task or none.
func (w *world) mail(tx *store.Tx, n int, about parley.TaskID) error {
	dm, err := tx.EnsureDM(w.team, w.bob.ID, w.ann.ID)
	for i := 0; i < n && err == nil; i++ {
		m := parley.Message{Team: w.team, Thread: dm.Main, Author: w.bob.ID, Kind: parley.NotificationMessage, Body: w.text(fmt.Sprintf("Elsewhere, %d.", i))}
		err = tx.Post(&m, store.Recipient{ID: w.ann.ID, Mail: true, About: about})
	}
	return err
}

func (w *world) channel(tx *store.Tx) (parley.Channel, error) {
	if !w.plan.Group {
		dm, err := tx.EnsureDM(w.team, w.pat.ID, w.ann.ID)
		tx.SetRead(dm.Main, w.ann.ID, w.plan.Read)
		return dm, err
	}
	room := parley.Channel{Team: w.team, Name: "room", Topic: "This and that"}
	if _, err := tx.InsertGroup(&room); err != nil {
		return room, err
	}
	for _, a := range []parley.Agent{w.pat, w.ann, w.bob} {
		tx.InsertMember(parley.Member{Channel: room.ID, Agent: a.ID, Read: w.plan.Read})
	}
	return room, nil
}

func (w *world) post(tx *store.Tx, by parley.AgentID, kind parley.MessageKind, text string, task parley.TaskID) error {
	m := parley.Message{Team: w.team, Thread: w.task.Thread, Author: by, Kind: kind, Body: text, Task: task}
	return tx.Post(&m, store.Recipient{ID: w.ann.ID})
}

// news are notifications in the task's thread.
func (w *world) news(tx *store.Tx, n int) error {
	for i := range n {
		if err := w.post(tx, w.pat.ID, parley.NotificationMessage, w.text(fmt.Sprintf("By the way, %d.", i)), 0); err != nil {
			return err
		}
	}
	return nil
}

// bring puts the result of a subtask into the task's inbox.
func (w *world) bring(tx *store.Tx, task *parley.Task) error {
	m := parley.Message{Team: w.team, Thread: w.task.Thread, Author: w.bob.ID, Kind: parley.ResultMessage, Body: w.text("Done by Bob."), Task: 7}
	if err := tx.Post(&m, store.Recipient{ID: w.ann.ID}); err != nil {
		return err
	}
	tx.PutInbox(task, m.ID)
	task.OpenChildren = max(0, task.OpenChildren-1)
	return nil
}

func (w *world) text(s string) string {
	if w.plan.Long {
		s += strings.Repeat(" And so on.", 20)
	}
	return s
}

// change changes the task in a transaction of its own.
func (w *world) change(how func(tx *store.Tx, task *parley.Task) error) error {
	return w.store.Update(context.Background(), func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(w.task.ID)
		if err != nil {
			return err
		}
		if err := how(tx, &tasks[0]); err != nil {
			return err
		}
		tx.UpdateTask(&tasks[0])
		return nil
	})
}

// once does something that a call did not do before it was interrupted.
func (w *world) once(c tool.Call, how func(tx *store.Tx, task *parley.Task) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done[c.Key] {
		return nil
	}
	w.done[c.Key] = true
	return w.change(how)
}

var (
	errNo = parley.Errorf(parley.Failed, "It does not work.")
	// errUnknown is how a call ends that was interrupted and may not be repeated. One
	// that always ends so reads the same whether it was or not.
	errUnknown = parley.Errorf(parley.Failed, "The call was interrupted; whether it took effect is unknown.").
			WithHint("Look before you try again.")
)

// tools are one for each thing that can happen in a call.
func (w *world) tools() []tool.Tool {
	does := func(name, category string, run func(c tool.Call) error) tool.Tool {
		return tool.Outside(json.RawMessage(`{"type":"object"}`), tool.Spec[json.RawMessage]{Name: name, Replays: name != "once",
			Action: func(json.RawMessage) string { return policy.Action(category, "x") },
			Run: func(_ context.Context, c tool.Call, args json.RawMessage) (tool.Result, error) {
				return tool.Result{Text: w.text("Did " + name + " with " + string(args) + ".")}, run(c)
			}})
	}
	nothing := func(tool.Call) error { return nil }
	return []tool.Tool{
		w.asks(),
		does("look", policy.FileRead, nothing),
		does("once", policy.FileWrite, func(tool.Call) error {
			if w.store.SkippedSync() {
				w.t.Error("what cannot be repeated begins before the disk has the record of it")
			}
			return errUnknown
		}),
		does("hold", policy.Shell, nothing),
		does("fail", policy.FileWrite, func(tool.Call) error { return errNo }),
		does("news", policy.FileWrite, func(c tool.Call) error {
			return w.once(c, func(tx *store.Tx, _ *parley.Task) error { return w.news(tx, 2) })
		}),
		does("mail", policy.FileWrite, func(c tool.Call) error {
			return w.once(c, func(tx *store.Tx, task *parley.Task) error {
				return errors.Join(w.mail(tx, 1, task.ID), w.mail(tx, 1, 0))
			})
		}),
		does("delegate", policy.FileWrite, func(c tool.Call) error {
			return w.once(c, func(_ *store.Tx, task *parley.Task) error { task.OpenChildren++; return nil })
		}),
		does("result", policy.FileWrite, func(c tool.Call) error {
			return w.once(c, func(tx *store.Tx, task *parley.Task) error { return w.bring(tx, task) })
		}),
		does("await", policy.FileWrite, w.await),
	}
}

// await waits for a task that ends while nobody runs.
func (w *world) await(c tool.Call) error {
	err := w.once(c, func(tx *store.Tx, task *parley.Task) error {
		child := *task
		child.ID, child.Parent, child.State = tx.NewTaskID(), task.ID, parley.Queued
		tx.InsertTask(&child)
		w.child = child.ID
		return nil
	})
	if err == nil && w.store.Task(w.child).State.Open() {
		err = &parley.Awaits{Task: w.child}
	}
	return err
}

// Step replies as planned: with the reply after those that are stored.
func (w *world) Step(ctx context.Context, req model.Request, _ func(model.Delta)) (model.Reply, error) {
	if strings.HasPrefix(req.System, "Name the topic") {
		return model.Reply{Text: "This and that"}, nil
	}
	if n := int(model.AtMost(req)); w.plan.Reads > 0 && n > w.plan.Reads {
		w.tooLong++
		return model.Reply{}, &model.Error{Class: model.TooLong, Message: "The conversation is too long.", Certain: !w.plan.Vague}
	}
	k := w.replied()
	if k < len(w.plan.Replies) && w.refused[k] < w.plan.Replies[k].Busy {
		w.refused[k]++
		e := *w.plan.Refuses
		return model.Reply{}, &e
	}
	w.requests = append(w.requests, req)
	if k >= len(w.plan.Replies) {
		return model.Reply{Text: "Done."}, nil
	}
	r := w.plan.Replies[k]
	if r.Slow {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return model.Reply{}, ctx.Err()
		}
	}
	out := model.Reply{Text: w.text(fmt.Sprintf("Reply %d \xff.", k)), Private: json.RawMessage(`{ "signature": "<>" }`)}
	if r.Rejected {
		out.Rejected = "FORMAT ERROR: it ends too soon."
		return out, nil
	}
	for i, name := range r.Calls {
		out.Calls = append(out.Calls, model.Call{ID: fmt.Sprint("c", i), Name: name, Args: json.RawMessage(`{ "text": "<b> & more" }`)})
	}
	return out, nil
}

func (w *world) replied() (n int) {
	w.store.See(func(tx *store.Tx) error {
		steps, err := tx.Steps(w.task.ID)
		for _, s := range steps {
			if s.Kind == parley.StepReply {
				n++
			}
		}
		return err
	})
	return n
}

// Window is the model's.
func (w *world) Window() (total, reply int) {
	total = cmp.Or(w.learned, w.plan.Window)
	return total, total / 10
}

// Learn makes the window smaller.
func (w *world) Learn(window int) (first bool) {
	w.learned = window
	return w.tooLong == 1
}

// Forget makes it what it was.
func (w *world) Forget() { w.learned = 0 }

func (*world) ID() string { return "lab/m" }

// The rest of what a turn has around it.

func (w *world) Definition(parley.AgentID) (turn.Agent, bool) {
	return turn.Agent{Name: "Ann", Instructions: "Be kind.", Model: w, Tools: w.tools(), Limits: new(parley.DefaultLimits())}, true
}

func (w *world) Name(id parley.AgentID) string {
	return map[parley.AgentID]string{w.pat.ID: "Pat", w.ann.ID: "Ann"}[id]
}

func (w *world) Permit(_ context.Context, _ parley.Lease, action string, approved bool) error {
	if strings.HasPrefix(action, "tool:"+policy.Shell) && !approved {
		return &parley.NeedsApproval{Rule: "ask", Target: w.bob.ID}
	}
	return nil
}

func (*world) AskManager(context.Context, parley.Lease) error { return nil }
func (w *world) Paused(parley.TeamID) bool                    { return w.pausedAt > 0 && len(w.requests) >= w.pausedAt }
func (*world) Release()                                       {}
func (*world) Acquire(context.Context) error                  { return nil }
func (*world) Relevant(context.Context, parley.TeamID, parley.AgentID, string) string {
	return "It was asked before."
}

// wake lets happen what a waiting task waits for.
func (w *world) wake() {
	err := w.change(func(tx *store.Tx, task *parley.Task) error {
		task.State, task.Due = parley.Queued, 0
		if task.Waits == parley.WaitProvider {
			task.Waits = parley.WaitNone
			return nil
		}
		list, err := tx.ApprovalsOf(task.ID)
		if err != nil {
			return err
		}
		if task.Approvals > 0 {
			for _, a := range list {
				if a.State == parley.ApprovalPending {
					a.State = parley.ApprovalApproved
					if w.plan.Deny {
						a.State, a.Comment = parley.ApprovalDenied, "Not now."
					}
					tx.UpdateApproval(&a)
				}
			}
			task.Approvals = 0
			return nil
		}
		if w.child == 0 {
			return w.bring(tx, task)
		}
		child, err := tx.Task(w.child)
		if err != nil || !child.State.Open() {
			return errors.Join(err, w.bring(tx, task))
		}
		child.State = parley.Completed
		tx.UpdateTask(&child)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// play runs the task to its end. The hub dies once at its nth commit, if it has so
// many; 0 never. It returns what the models of each life were shown, and how many
// commits the last had.
func (w *world) play(n int, before bool) (lives [][]model.Request, commits int) {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	hub := &mortal{Store: w.store, left: n, before: before, die: cancel}
	w.hub = hub
	for range 200 {
		task := w.store.Task(w.task.ID)
		switch {
		case !task.State.Open():
			return append(lives, w.requests), -hub.left
		case task.State == parley.Waiting:
			w.wake()
		}
		runner := &turn.Runner{Store: hub, Agents: w, Ender: ender{w, hub}, Rules: w, Pauses: w, Log: slog.New(slog.DiscardHandler), Live: &live.Fan{}, Enricher: w}
		err := runner.Run(ctx, w.store.Claim(w.task.ID, 1), w.handover(), w)
		if hub.dead {
			lives, w.requests = append(lives, w.requests), nil
			hub, ctx = &mortal{Store: w.store}, w.t.Context()
			w.hub = hub
		} else if err != nil {
			w.t.Fatal(err)
		}
	}
	w.t.Fatalf("it never comes to an end: %+v", w.store.Task(w.task.ID))
	return nil, 0
}

// handover is what the first turn is handed; nil if it has to read.
func (w *world) handover() *parley.Handover {
	if !w.plan.Handed || len(w.requests) > 0 {
		return nil
	}
	h := &parley.Handover{}
	w.store.Do(func(tx *store.Tx) (err error) {
		*h, err = tx.Handover(w.task.ID)
		h.Quiet = tx.Quiet(&h.Task)
		return err
	})
	return h
}
