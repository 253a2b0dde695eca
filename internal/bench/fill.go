package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
)

// fillBatch is how many messages go into one transaction. They belong to so
// many conversations: people and agents talk in bursts, and a store reads the
// end of each conversation once a transaction.
const (
	fillBatch = 2_000
	fillTalks = 200
	fillJobs  = 4
)

// fill stores messages as the hub would have written them, in the same order
// and with everything that belongs to them: about a third are notifications
// and asks each, the rest are clients' jobs whose parts were delegated. Only
// the commits are fewer. It returns how many it stored.
func fill(ctx context.Context, h *running, messages, fillers int, progress func(stored int)) (int, error) {
	g := &generator{running: h}
	if err := g.openConversations(ctx); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var begun, stored atomic.Int64
	var all sync.WaitGroup
	for filler := range fillers {
		all.Go(func() {
			for ctx.Err() == nil {
				start := begun.Add(fillBatch) - fillBatch
				n := min(fillBatch, messages-int(start))
				if n <= 0 {
					return
				}
				got, err := g.batch(ctx, uint64(start), n, share{filler, fillers})
				if err != nil {
					cancel(err)
					return
				}
				progress(int(stored.Add(int64(got))))
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return int(stored.Load()), nil
}

// share is the part of the conversations that one filler writes to, so that
// two never wait for each other.
type share struct{ n, of int }

// pick finds a place of this share in a list of the given length.
func (s share) pick(r *rand.Rand, length int) int {
	if length < s.of {
		return r.IntN(length)
	}
	return s.n + s.of*r.IntN((length-s.n+s.of-1)/s.of)
}

// generator writes what a team might have said.
type generator struct {
	*running
	talks []talk // of agents with each other
	jobs  []job  // of clients
}

// talk is a conversation of two.
type talk struct {
	a, b   parley.Agent
	thread parley.ThreadID
}

// job is a client's conversation with the person it works for, and those with
// the agents that it gives parts of the work to.
type job struct {
	talk
	parts []talk
}

func (g *generator) agent(i int) parley.Agent {
	return parley.Agent{ID: g.ids[i], Team: g.team.ID, Name: g.members[i].Name, Kind: g.members[i].Kind}
}

func (g *generator) openConversations(ctx context.Context) error {
	return g.Store.Update(ctx, func(tx *store.Tx) error {
		g.talks, g.jobs = nil, make([]job, g.clients)
		for i := range g.jobs {
			t, err := g.talk(tx, pair{0, 1 + i})
			if err != nil {
				return err
			}
			g.jobs[i].talk = t
		}
		for _, p := range g.delegate {
			t, err := g.talk(tx, p)
			if err != nil {
				return err
			}
			g.jobs[p.from-1].parts = append(g.jobs[p.from-1].parts, t)
		}
		for _, list := range [][]pair{g.notify, g.ask} {
			for _, p := range list {
				t, err := g.talk(tx, p)
				if err != nil {
					return err
				}
				g.talks = append(g.talks, t)
			}
		}
		return nil
	})
}

func (g *generator) talk(tx *store.Tx, p pair) (talk, error) {
	t := talk{a: g.agent(p.from), b: g.agent(p.to)}
	dm, err := tx.EnsureDM(g.team.ID, t.a.ID, t.b.ID)
	t.thread = dm.Main
	return t, err
}

// batch writes at least n messages in one transaction.
func (g *generator) batch(ctx context.Context, seed uint64, n int, mine share) (stored int, err error) {
	err = g.Store.Update(ctx, func(tx *store.Tx) error {
		w := &writing{generator: g, tx: tx, r: rand.New(rand.NewPCG(seed, 1))}
		w.choose(mine)
		for w.stored < n {
			if err := w.next(); err != nil {
				return err
			}
		}
		stored = w.stored
		return nil
	})
	return stored, err
}

// writing is one batch.
type writing struct {
	*generator
	tx     *store.Tx
	r      *rand.Rand
	talks  []talk // those that this batch is about
	jobs   []job
	stored int
}

// choose picks the conversations of the batch.
func (w *writing) choose(mine share) {
	for range fillTalks {
		w.talks = append(w.talks, w.generator.talks[mine.pick(w.r, len(w.generator.talks))])
	}
	for range fillJobs {
		j := w.generator.jobs[mine.pick(w.r, len(w.generator.jobs))]
		j.parts = []talk{w.any(j.parts), w.any(j.parts), w.any(j.parts), w.any(j.parts)}
		w.jobs = append(w.jobs, j)
	}
}

func (w *writing) any(list []talk) talk { return list[w.r.IntN(len(list))] }

// next writes one contact with all its consequences.
func (w *writing) next() error {
	switch n := w.r.IntN(10); {
	case n < 5:
		return w.notification(w.pick())
	case n < 9:
		_, err := w.request(w.pick(), parley.Ask, parley.Task{})
		return err
	default:
		return w.job(w.jobs[w.r.IntN(len(w.jobs))])
	}
}

// pick chooses a conversation, and who begins.
func (w *writing) pick() talk {
	t := w.any(w.talks)
	if w.r.IntN(2) == 0 {
		t.a, t.b = t.b, t.a
	}
	return t
}

func (w *writing) notification(t talk) error {
	m := parley.Message{Thread: t.thread, Author: t.a.ID, Kind: parley.NotificationMessage}
	if err := w.post(&m, t.b); err != nil {
		return err
	}
	w.tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventMessage, Actor: t.a.ID, Target: t.b.ID, Message: m.ID, Detail: "notify"})
	return nil
}

// job is a person's delegation to a client, who has three parts of it done by
// others.
func (w *writing) job(j job) error {
	root, err := w.open(j.talk, parley.Delegate, parley.Task{})
	if err != nil {
		return err
	}
	for range 3 {
		part := w.any(j.parts)
		child, err := w.request(part, parley.Delegate, root)
		if err != nil {
			return err
		}
		m := parley.Message{Thread: j.thread, Author: part.b.ID, Kind: parley.ResultMessage, Task: child.ID}
		if err := w.post(&m, j.b); err != nil {
			return err
		}
		w.tx.PutInbox(&root, m.ID)
	}
	return w.close(j.talk, root)
}

// request is an ask or a delegation and the turn that answers it.
func (w *writing) request(t talk, p parley.Pattern, parent parley.Task) (parley.Task, error) {
	task, err := w.open(t, p, parent)
	if err != nil {
		return task, err
	}
	return task, w.close(t, task)
}

func (w *writing) open(t talk, p parley.Pattern, parent parley.Task) (parley.Task, error) {
	task := parley.Task{ID: w.tx.NewTaskID(), Team: w.team.ID, Parent: parent.ID, Root: parent.Root, Pattern: p,
		Requester: t.a.ID, Agent: t.b.ID, Thread: t.thread, Title: "Look at this and say what you think",
		Priority: parley.Normal, State: parley.Completed, Deadline: w.tx.Now.Add(parley.DefaultLimits().DelegationDeadline),
		Worker: 1, Token: 1, StartedAt: w.tx.Now, DelegationDepth: 1}
	m := parley.Message{Thread: t.thread, Author: t.a.ID, Kind: parley.AskMessage, Task: task.ID}
	if task.Root == 0 {
		task.Root = task.ID
	}
	if p == parley.Delegate {
		m.Kind, m.Priority = parley.DelegateMessage, task.Priority
	}
	if parent.ID != 0 {
		task.Callback = parley.CallbackResult
		m.Origin, m.Key = parent.ID, fmt.Sprintf("%d/1/call-%d", parent.ID, task.ID)
	}
	if err := w.post(&m, t.b); err != nil {
		return task, err
	}
	task.Request = m.ID
	w.tx.InsertTask(&task)
	w.tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventTask, Actor: t.a.ID, Target: t.b.ID, Task: task.ID, Message: m.ID, Detail: string(p)})
	return task, nil
}

// close is the turn: its steps, its closing text, the end of the task.
func (w *writing) close(t talk, task parley.Task) error {
	m := parley.Message{Thread: t.thread, Author: t.b.ID, Kind: parley.ReplyMessage, Task: task.ID}
	if err := w.post(&m, t.a); err != nil {
		return err
	}
	if t.b.Kind == parley.Native {
		if err := w.turn(t, task, m); err != nil {
			return err
		}
	}
	w.tx.MarkAnswered(task.Request, t.b.ID)
	task.Turns, task.Result, task.EndedAt, task.Worker, task.InboxRead = 1, m.ID, w.tx.Now, 0, task.InboxCount
	w.tx.UpdateTask(&task)
	w.tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventCompleted, Actor: t.b.ID, Target: t.a.ID, Task: task.ID, Message: m.ID})
	return nil
}

func (w *writing) turn(t talk, task parley.Task, reply parley.Message) error {
	content, err := json.Marshal(model.Reply{Text: reply.Body, Usage: model.Usage{Input: 1, Output: 1}})
	if err != nil {
		return err
	}
	w.tx.InsertStep(parley.Step{Task: task.ID, Turn: 1, N: 1, Kind: parley.StepReply, Content: content})
	w.tx.SetRead(t.thread, t.b.ID, reply.N)
	return nil
}

func (w *writing) text() string {
	if w.telling != nil {
		return w.telling(w.r)
	}
	return body(w.r)
}

// post appends a message. One who fetches has seen it: nobody leaves a
// million messages lying.
func (w *writing) post(m *parley.Message, to parley.Agent) error {
	m.Team, m.Body = w.team.ID, w.text()
	if err := w.tx.Post(m, store.Recipient{ID: to.ID, Pulls: to.Pulls()}); err != nil {
		return err
	}
	if to.Pulls() {
		w.tx.MarkSeen(m.ID, to.ID)
	}
	w.stored++
	return nil
}
