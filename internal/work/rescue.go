package work

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

// rescue takes over the tasks of dead workers. A hub that has its database to itself
// knows that every other worker is dead.
func (s *Scheduler) rescue(ctx context.Context) error {
	var dead []int64
	var left []parley.Lease
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		left = nil
		if s.cfg.Store.Shared() {
			dead, err = tx.DeadWorkers(s.worker)
		} else {
			dead, err = tx.OtherWorkers(s.worker)
		}
		for _, w := range dead {
			leases, err := tx.Leased(w)
			if err != nil {
				return err
			}
			left = append(left, leases...)
		}
		return err
	})
	if err != nil || len(dead) == 0 {
		return err
	}
	if err := s.takeOver(ctx, left); err != nil {
		return err
	}
	if err := s.upkeep.AskManagers(ctx); err != nil {
		return err
	}
	return s.removeDead(ctx, dead)
}

// takeOver requeues tasks in transactions of limited size.
func (s *Scheduler) takeOver(ctx context.Context, left []parley.Lease) error {
	for len(left) > 0 {
		n := min(len(left), 500)
		var hopeless []parley.TaskID
		err := s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
			hopeless = hopeless[:0]
			for _, l := range left[:n] {
				spent, err := s.takeOverOne(tx, l.Task, l.Worker, l.Token)
				if err != nil {
					return err
				}
				if spent {
					hopeless = append(hopeless, l.Task)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range hopeless {
			if err := s.giveUp(ctx, id); err != nil {
				return err
			}
		}
		left = left[n:]
	}
	return nil
}

// takeOverOne requeues one task if it still belongs to the dead worker. It reports
// whether the task has used up its rescues.
func (s *Scheduler) takeOverOne(tx *store.Tx, id parley.TaskID, worker, token int64) (spent bool, err error) {
	tasks, err := tx.LockTasks(id)
	if err != nil {
		return false, err
	}
	t := &tasks[0]
	if t.Worker != worker || !t.LeasedTo(token) {
		return false, nil
	}
	if t.Rescues >= s.cfg.Agents.Limits(t.Agent).Rescues {
		return true, nil
	}
	t.State, t.Worker, t.Rescues = parley.Queued, 0, t.Rescues+1
	tx.UpdateTask(t)
	tx.Record(parley.Event{Team: t.Team, Kind: parley.EventRescued, Target: t.Agent, Task: t.ID,
		Detail: fmt.Sprintf("rescue %d", t.Rescues)})
	return false, nil
}

// rescueTask takes over one task whose turn broke in this process.
func (s *Scheduler) rescueTask(ctx context.Context, id parley.TaskID, worker, token int64) error {
	return s.takeOver(ctx, []parley.Lease{{Task: id, Worker: worker, Token: token}})
}

func (s *Scheduler) giveUp(ctx context.Context, id parley.TaskID) error {
	return s.upkeep.Fail(ctx, id, "its turn was interrupted too often (the limit of rescues is reached).")
}

// removeDead removes dead workers that hold nothing any more. On a shared database a
// worker that only seemed dead may be claiming at this very moment. If its row were
// deleted then, nobody would ever find what it holds.
func (s *Scheduler) removeDead(ctx context.Context, dead []int64) error {
	return s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		for _, w := range dead {
			left, err := tx.Leased(w)
			if err != nil {
				return err
			}
			switch {
			case len(left) > 0:
			case s.cfg.Store.Shared():
				tx.DeleteDeadWorker(w)
			default:
				tx.DeleteWorker(w)
			}
		}
		return nil
	})
}

// reclaim compares this hub's leases with its running turns. Over a network, a commit
// may succeed without its sender hearing of it: then the store says that a task is
// ours, and nobody here knows. A lease without a turn, whose task nobody here is storing,
// may be about to be given back; if it is seen twice in a row it is such a stray, and the
// task is given back. A turn without a lease was cancelled, and the signal was lost.
func (s *Scheduler) reclaim(ctx context.Context) error {
	s.mu.Lock()
	turns := maps.Clone(s.cancels)
	s.mu.Unlock()
	var leased []parley.Lease
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		leased, err = tx.Leased(s.worker)
		return err
	})
	if err != nil {
		return err
	}
	strays := map[parley.Lease]bool{}
	for _, l := range leased {
		s.mu.Lock()
		known := s.cancels[l] != nil || s.reserved[l.Task] != nil
		s.mu.Unlock()
		delete(turns, l)
		switch {
		case known:
		case s.strays[l]:
			if err := s.requeue(l); err != nil {
				return err
			}
		default:
			strays[l] = true
		}
	}
	s.strays = strays
	for _, cancel := range turns {
		cancel(errCancelled)
	}
	return nil
}

// renew makes sure that a lease taken in this transaction is valid: a hub without
// leases sends no heartbeats, so its row may be old.
func (s *Scheduler) renew(tx *store.Tx) {
	if !s.cfg.Store.Shared() {
		return
	}
	s.mu.Lock()
	fresh := s.aliveUntil.Until(tx.Now) > s.cfg.LeaseTime/2
	s.mu.Unlock()
	if !fresh {
		tx.Heartbeat(s.worker, s.cfg.Name, tx.Now.Add(s.cfg.LeaseTime))
	}
}

// heartbeat renews the leases of this hub, if there are any.
func (s *Scheduler) heartbeat(ctx context.Context) {
	s.mu.Lock()
	holds := len(s.cancels) > 0
	s.mu.Unlock()
	if holds && s.cfg.Store.Shared() && s.lockBeat(ctx) == nil {
		defer s.unlockBeat()
		s.beat(ctx)
	}
}

// stayAlive is called before a contact takes a lease. If the last heartbeat is long ago it
// sends one, and all who come meanwhile wait for it. Otherwise each of them would renew in
// its own transaction. All change the same row, so they would be stored one after the
// other, each with a flush of its own. It fails if the caller gives up meanwhile.
func (s *Scheduler) stayAlive(ctx context.Context) error {
	if !s.cfg.Store.Shared() {
		return nil
	}
	if err := s.lockBeat(ctx); err != nil {
		return err
	}
	defer s.unlockBeat()
	if time.Since(s.beatAt) > s.cfg.LeaseTime*2/5 {
		s.beat(ctx)
	}
	return context.Cause(ctx)
}

// lockBeat waits until no heartbeat is under way.
func (s *Scheduler) lockBeat(ctx context.Context) error {
	select {
	case s.beating <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Scheduler) unlockBeat() { <-s.beating }

// beat sends a heartbeat. The caller holds beating.
func (s *Scheduler) beat(ctx context.Context) {
	last := s.beatAt
	s.beatAt = time.Now() // also if it fails: those who wait would fail too, one by one
	var until parley.Micros
	err := s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		until = tx.Now.Add(s.cfg.LeaseTime)
		tx.Heartbeat(s.worker, s.cfg.Name, until)
		return nil
	})
	if err != nil && ctx.Err() != nil {
		s.beatAt = last // the caller gave up, and the next one tries it
		return
	}
	if err != nil {
		s.cfg.Log.Warn("the heartbeat failed", "error", err)
		return
	}
	s.mu.Lock()
	s.aliveUntil = until
	s.mu.Unlock()
}

// checkClock makes delayed tasks claimable, fails overdue ones, ends approvals
// that have expired, ends or asks on questions, and reminds. It returns how long it is
// until there is more to do.
func (s *Scheduler) checkClock(ctx context.Context) time.Duration {
	if s.held.Load() > 0 {
		return noAlarm
	}
	next, err := s.actOnTime(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.cfg.Log.Warn("looking at the clock failed", "error", err)
		}
		return time.Second
	}
	return next
}

const noAlarm = time.Hour

// HoldClock keeps this hub from acting on time until release is called: what is due,
// overdue or expired, and what a dead hub holds, stays as it is. A running hub passes
// through such a moment too; this lets tests stand in it.
func (s *Scheduler) HoldClock() (release func()) {
	s.held.Add(1)
	return sync.OnceFunc(func() {
		s.held.Add(-1)
		poke(s.clock)
		poke(s.resync)
	})
}

func (s *Scheduler) actOnTime(ctx context.Context) (time.Duration, error) {
	if err := s.unblock(ctx); err != nil {
		return 0, err
	}
	for {
		a, err := s.readAlarms(ctx)
		if err != nil {
			return 0, err
		}
		switch {
		case a.due != 0 && a.due <= a.now:
			made, err := s.makeDue(ctx)
			if err != nil {
				return 0, err
			}
			if made == 0 {
				return clockPause, nil // another hub does it
			}
		case len(a.overdue) > 0:
			if err := s.failOverdue(ctx, a.overdue); err != nil {
				return 0, err
			}
		case len(a.expired) > 0:
			if err := s.expire(ctx, a.expired); err != nil {
				return 0, err
			}
		case len(a.questions) > 0:
			if err := each(ctx, a.questions, s.upkeep.TendQuestion); err != nil {
				return 0, err
			}
		case len(a.reminders) > 0:
			if err := each(ctx, a.reminders, s.upkeep.TellReminder); err != nil {
				return 0, err
			}
		default:
			return a.wait(), nil
		}
	}
}

// alarms are the next moments at which something must be done, and what must be done
// now.
type alarms struct {
	now                             parley.Micros
	due, deadline, expiry, question parley.Micros
	reminder                        parley.Micros
	overdue                         []parley.TaskID
	expired                         []parley.ApprovalID
	questions                       []parley.QuestionID
	reminders                       []parley.Reminder
}

func (s *Scheduler) readAlarms(ctx context.Context) (a alarms, err error) {
	err = s.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		a = alarms{now: tx.Now}
		if a.due, err = tx.NextDue(); err != nil {
			return err
		}
		if a.deadline, err = tx.NextDeadline(); err != nil {
			return err
		}
		if a.expiry, err = tx.NextApprovalExpiry(); err != nil {
			return err
		}
		if a.deadline != 0 && a.deadline <= a.now {
			if a.overdue, err = tx.Overdue(100); err != nil {
				return err
			}
		}
		if a.expiry != 0 && a.expiry <= a.now {
			if a.expired, err = tx.ExpiredApprovals(100); err != nil {
				return err
			}
		}
		if a.question, err = tx.NextQuestion(); err == nil && a.question != 0 && a.question <= a.now {
			a.questions, err = tx.DueQuestions(100)
		}
		if err != nil {
			return err
		}
		if a.reminder, err = tx.NextReminder(); err == nil && a.reminder != 0 && a.reminder <= a.now {
			a.reminders, err = tx.DueReminders(100)
		}
		return err
	})
	return a, err
}

// wait is how long it is until the first alarm.
func (a alarms) wait() time.Duration {
	wait := noAlarm
	for _, at := range []parley.Micros{a.due, a.deadline, a.expiry, a.question, a.reminder} {
		if at != 0 {
			wait = min(wait, at.Until(a.now))
		}
	}
	return wait
}

// failOverdue fails each task on its own, so that one that cannot be failed does not
// block the others.
func (s *Scheduler) failOverdue(ctx context.Context, ids []parley.TaskID) error {
	var failed error
	for _, id := range ids {
		if err := s.upkeep.Fail(ctx, id, "its deadline has passed."); err != nil {
			failed = err
		}
	}
	return failed
}

// expire ends each approval on its own, as failOverdue does.
func (s *Scheduler) expire(ctx context.Context, ids []parley.ApprovalID) error {
	return each(ctx, ids, s.upkeep.Expire)
}

func each[ID any](ctx context.Context, ids []ID, end func(context.Context, ID) error) (failed error) {
	for _, id := range ids {
		if err := end(ctx, id); err != nil {
			failed = err
		}
	}
	return failed
}

func (s *Scheduler) makeDue(ctx context.Context) (made int, err error) {
	err = s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		tasks, err := tx.DueTasks(500)
		if err != nil {
			return err
		}
		waiting, err := tx.DueWaiting(500)
		if err != nil {
			return err
		}
		tasks = append(tasks, waiting...)
		made = len(tasks)
		for i := range tasks {
			tasks[i].State, tasks[i].Due = parley.Queued, 0
			tx.UpdateTask(&tasks[i])
		}
		return nil
	})
	return made, err
}
