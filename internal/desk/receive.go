package desk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
	"parley/internal/wake"
)

const (
	usual = 20  // items in a batch
	most  = 100 // items in a batch
	// LongestWait is how long one call waits at most.
	LongestWait = 10 * time.Minute
	// slowLook is how often somebody who waits looks without a signal, where signals can
	// be lost.
	slowLook = 30 * time.Second
)

// Fetch is what somebody wants to receive.
type Fetch struct {
	// Cursor is that of the last batch: it arrived.
	Cursor string
	Limit  int // 20 if 0
	// Wait is for how long to wait if there is nothing.
	Wait time.Duration
	// Resume hands out again what the caller works on, and nothing else, without waiting:
	// the caller was started anew and knows nothing of it.
	Resume bool
}

// Batch is what was handed out.
type Batch struct {
	Items []Item
	// Cursor says with the next call that these have arrived. It is empty if there are
	// none.
	Cursor string
	More   int // how many wait besides, of those that are counted
	Unread int // with Items
	// Held are the open tasks that the caller works on.
	Held []parley.TaskID
}

// Receive marks what the cursor names as seen and hands out what is unseen, the most
// urgent first. If there is nothing, it waits.
func (s *Service) Receive(ctx context.Context, c access.Caller, f Fetch) (Batch, error) {
	arrived, err := idsOf(f.Cursor)
	if err != nil {
		return Batch{}, err
	}
	limit := min(cmp.Or(max(f.Limit, 0), usual), most)
	wait := max(0, min(f.Wait, LongestWait))
	if err := s.renew(ctx, c, wait); err != nil {
		return Batch{}, err
	}
	s.settled(c)
	w := s.watch(c, wait)
	defer w.stop()
	defer s.waits(c)()
	b, err := s.handOut(ctx, c, arrived, limit, f.Resume)
	for err == nil && len(b.Items) == 0 && !f.Resume && w.next(ctx) {
		b, err = s.handOut(ctx, c, nil, limit, false)
	}
	if len(b.Items) == 0 && ctx.Err() != nil {
		s.hungUp(ctx, c)
		err = cmp.Or(err, context.Cause(ctx))
	}
	return b, err
}

// watcher waits for something that is for one caller.
type watcher struct {
	timer  *time.Timer
	signal [3]<-chan struct{}
	ends   [3]func()
	look   time.Duration // without a signal; 0 is never
	over   time.Time
}

// watch begins before the first look, so that nothing is missed between the two.
func (s *Service) watch(c access.Caller, wait time.Duration) *watcher {
	w := &watcher{}
	if wait <= 0 {
		return w
	}
	w.over = time.Now().Add(wait)
	for i, topic := range []wake.Signal{{Topic: wake.Mail, ID: int64(c.Agent)}, {Topic: wake.Work, ID: int64(c.Agent)}, {Topic: wake.Team, ID: int64(c.Team)}} {
		w.signal[i], w.ends[i] = s.store.Bus().Watch(topic)
	}
	if s.store.Shared() {
		w.look = slowLook
	}
	w.timer = time.NewTimer(wait)
	return w
}

// next waits until it is worth looking again. It reports false when the time is over.
func (w *watcher) next(ctx context.Context) bool {
	if w.timer == nil || ctx.Err() != nil {
		return false
	}
	left := time.Until(w.over)
	if left <= 0 {
		return false
	}
	if w.look > 0 {
		left = min(left, w.look)
	}
	w.timer.Reset(left)
	select {
	case <-ctx.Done():
		return false
	case <-w.signal[0]:
	case <-w.signal[1]:
	case <-w.signal[2]:
	case <-w.timer.C:
	}
	return true // the last look is at the end of the time
}

func (w *watcher) stop() {
	if w.timer == nil {
		return
	}
	w.timer.Stop()
	for _, end := range w.ends {
		end()
	}
}

// handOut gives the caller what is unseen. If there is nothing it only looks, which
// writes nothing.
func (s *Service) handOut(ctx context.Context, c access.Caller, arrived []parley.MessageID, limit int, resume bool) (b Batch, err error) {
	if len(arrived) == 0 && !resume {
		err = s.store.View(ctx, func(tx *store.Tx) (err error) {
			b = Batch{}
			if b.Unread, err = s.unread(tx, c); err == nil && b.Unread == 0 {
				b.Held, err = s.held(tx, c)
			}
			return err
		})
		if err != nil || b.Unread == 0 {
			return b, err
		}
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		h := handing{s: s, tx: tx, caller: c, limit: limit, resume: resume}
		if err := h.run(arrived); err != nil {
			return err
		}
		b = h.batch
		return nil
	})
	return b, err
}

// handing is one run of the transaction.
type handing struct {
	s      *Service
	tx     *store.Tx
	caller access.Caller
	limit  int
	resume bool
	batch  Batch
}

func (h *handing) run(arrived []parley.MessageID) error {
	c, tx := h.caller, h.tx
	agent, err := tx.LockAgent(c.Agent) // calls of one agent hand out one after the other
	if err != nil {
		return err
	}
	if len(arrived) > 0 {
		if _, err := tx.TakeMail(arrived, c.Agent); err != nil {
			return err
		}
	}
	found, err := h.find(agent)
	if err != nil {
		return err
	}
	ids := make([]parley.MessageID, 0, len(found))
	for _, w := range found {
		item, err := h.s.item(tx, c, w)
		if err != nil {
			return err
		}
		h.batch.Items = append(h.batch.Items, item)
		ids = append(ids, w.Message.ID)
		tx.MarkDelivered(w.Message.ID, c.Agent)
	}
	h.batch.Cursor = cursorOf(ids)
	if h.batch.Held, err = h.s.held(tx, c); err != nil {
		return err
	}
	more, err := h.s.unread(tx, c)
	if err != nil {
		return err
	}
	h.batch.Unread = max(more, len(found))
	h.batch.More = h.batch.Unread - len(found)
	return nil
}

// find picks what is handed out: messages, and for a client tasks that nobody holds,
// which it then holds.
func (h *handing) find(agent parley.Agent) ([]store.Unseen, error) {
	if h.resume {
		return h.working()
	}
	client := h.s.isClient(h.caller)
	list, err := h.tx.Unseen(agent.ID, !client, h.limit)
	if err != nil || !client {
		return list, err
	}
	queued, err := h.queued(agent)
	if err != nil {
		return nil, err
	}
	list = append(list, queued...)
	slices.SortStableFunc(list, func(a, b store.Unseen) int {
		return cmp.Or(cmp.Compare(urgency(b), urgency(a)), cmp.Compare(a.Message.ID, b.Message.ID))
	})
	list = list[:min(len(list), h.limit)]
	for i := range list {
		if t := &list[i].Task; t.State == parley.Queued {
			take(h.tx, t)
		}
	}
	return list, nil
}

// queued are the tasks that the client can begin, with their requests. One that does
// one thing at a time gets the next when it has ended the last.
func (h *handing) queued(agent parley.Agent) (list []store.Unseen, err error) {
	if agent.Gone() {
		return nil, nil
	}
	n := h.limit
	if agent.Turns == 1 {
		open, err := h.tx.AgentOpenTasks(agent.ID)
		if err != nil || open.Running > 0 {
			return nil, err
		}
		n = 1
	}
	tasks, err := h.tx.Claimable(agent.ID, n)
	for _, t := range tasks {
		m, err := h.tx.Message(t.Request)
		if err != nil {
			return nil, err
		}
		list = append(list, store.Unseen{Message: m, Task: t, Delivered: t.Token > 0})
	}
	return list, err
}

// working are the requests of the tasks that the caller works on.
func (h *handing) working() (list []store.Unseen, err error) {
	held, err := h.s.held(h.tx, h.caller)
	if err != nil {
		return nil, err
	}
	for _, id := range held[:min(len(held), h.limit)] {
		t, err := h.tx.Task(id)
		if err != nil {
			return nil, err
		}
		m, err := h.tx.Message(t.Request)
		if err != nil {
			return nil, err
		}
		list = append(list, store.Unseen{Message: m, Task: t, Delivered: true})
	}
	return list, nil
}

// urgency orders what is handed out. What has no priority counts as normal.
func urgency(w store.Unseen) parley.Priority {
	return cmp.Or(w.Task.Priority, w.Message.Priority, parley.Normal)
}

// take gives a queued task, which is locked, to its client.
func take(tx *store.Tx, t *parley.Task) {
	t.State, t.Worker, t.Token, t.Waits = parley.Running, 0, t.Token+1, parley.WaitNone
	if t.StartedAt == 0 {
		t.StartedAt = tx.Now
	}
	tx.UpdateTask(t)
	tx.MarkDelivered(t.Request, t.Agent)
}

// mostHeld bounds how many open tasks are listed.
const mostHeld = 1000

// held are the open tasks that the caller works on. People do not take tasks: all that
// are open are theirs.
func (s *Service) held(tx *store.Tx, c access.Caller) (ids []parley.TaskID, err error) {
	list, err := tx.OpenTasksOf(c.Agent, mostHeld)
	for _, t := range list {
		if t.State == parley.Running || !s.isClient(c) {
			ids = append(ids, t.ID)
		}
	}
	return ids, err
}

// Ack marks messages for the caller as seen, and those of a batch whose cursor is given.
// Others it leaves alone.
func (s *Service) Ack(ctx context.Context, c access.Caller, ids []parley.MessageID, cursor ...string) error {
	for _, text := range cursor {
		more, err := idsOf(text)
		if err != nil {
			return err
		}
		ids = append(slices.Clone(ids), more...)
	}
	if len(ids) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			tx.MarkSeen(id, c.Agent)
		}
		return nil
	})
}
