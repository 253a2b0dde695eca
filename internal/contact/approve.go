package contact

import (
	"context"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// Approve lets a call run that waits for a decision, and returns it. Its turn runs
// it, under the key that it has had from the beginning; here only the record changes
// and the task is queued again. A contact from outside is made in the same
// transaction.
func (s *Service) Approve(ctx context.Context, c access.Caller, ref parley.ApprovalRef) (parley.Approval, error) {
	if err := s.permitDecision(ctx, c, "approve", ref); err != nil {
		return parley.Approval{}, err
	}
	return s.decide(ctx, c, ref, parley.ApprovalApproved, "")
}

// Deny refuses a call that waits for a decision, and returns it. Its agent reads the
// reason, which may be empty.
func (s *Service) Deny(ctx context.Context, c access.Caller, ref parley.ApprovalRef, reason string) (parley.Approval, error) {
	if err := parley.CheckText(reason); err != nil {
		return parley.Approval{}, err
	}
	if limit := s.dir.Limits(c.Agent).MessageBytes; len(reason) > limit {
		return parley.Approval{}, errTooLong(len(reason), limit)
	}
	if err := s.permitDecision(ctx, c, "deny", ref); err != nil {
		return parley.Approval{}, err
	}
	return s.decide(ctx, c, ref, parley.ApprovalDenied, strings.TrimSpace(reason))
}

// permitDecision asks the rules of somebody outside who may decide; whoever may
// not is told so by decide.
func (s *Service) permitDecision(ctx context.Context, c access.Caller, verb string, ref parley.ApprovalRef) error {
	if c.Token != 0 || s.access.IsPerson(c.Agent) {
		return nil
	}
	var may bool
	err := s.store.View(ctx, func(tx *store.Tx) error {
		a, err := tx.Approval(ref.ID)
		if err != nil {
			return access.NotFound(err, "%s", ref.ID)
		}
		may, err = s.access.MayDecide(tx, c, a)
		return err
	})
	if err != nil || !may {
		return err
	}
	return s.access.PermitOutside(ctx, c, policy.TaskOp, verb+" "+ref.ID.String())
}

// decide is a compare-and-set: the first decision counts, and whoever comes
// second is told which it was.
func (s *Service) decide(ctx context.Context, c access.Caller, ref parley.ApprovalRef, state parley.ApprovalState, comment string) (decided parley.Approval, err error) {
	err = s.withApproval(ctx, ref.ID, func(d *decision) error {
		a := d.approval
		if err := s.entitled(d.tx, c, *a, ref); err != nil {
			return err
		}
		decided = *a
		if _, repeated, err := c.Repeated(d.tx, "make %s %s: %s", ref.ID, state, comment); repeated || err != nil {
			return err
		}
		if c.Token != 0 && a.State == state && a.DecidedBy == c.Agent {
			return nil // a turn that goes on after a crash finds what it did before
		}
		if err := s.undecided(d.tx, *a); err != nil {
			return err
		}
		a.Comment = comment
		err := d.settle(state, c.Agent)
		decided = *a
		return err
	})
	return decided, s.access.RecordDenied(ctx, c, "decide about "+ref.ID.String(), err)
}

// Decidable reads an approval that the caller may decide about now, and refuses as a
// decision would.
func (s *Service) Decidable(ctx context.Context, c access.Caller, ref parley.ApprovalRef) (a parley.Approval, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		if a, err = tx.Approval(ref.ID); err != nil {
			return access.NotFound(err, "%s", ref.ID)
		}
		if err := s.entitled(tx, c, a, ref); err != nil {
			return err
		}
		return s.undecided(tx, a)
	})
	return a, s.access.RecordDenied(ctx, c, "decide about "+ref.ID.String(), err)
}

// entitled refuses whoever may not decide about an approval, or was shown another one.
func (s *Service) entitled(tx *store.Tx, c access.Caller, a parley.Approval, ref parley.ApprovalRef) error {
	if a.Team != c.Team {
		return parley.Errorf(parley.NotFound, "%s not found.", ref.ID)
	}
	if err := s.mayDecide(tx, c, a); err != nil {
		return err
	}
	return s.wasShown(c, a, ref)
}

// undecided refuses a decision that comes too late.
func (s *Service) undecided(tx *store.Tx, a parley.Approval) error {
	switch {
	case a.State != parley.ApprovalPending:
		return s.errDecided(tx, a)
	case a.ExpiresAt <= tx.Now:
		return parley.Errorf(parley.Conflict, "%s has expired.", a.ID)
	}
	return nil
}

// wasShown refuses whoever names an approval otherwise than it was shown. People
// may write its number alone. Everybody else proves with the whole id and the digest
// that they decide about this very call: an agent can talk them into approving
// something by its number, while it tells them that it is something else.
func (s *Service) wasShown(c access.Caller, a parley.Approval, ref parley.ApprovalRef) error {
	person := c.Token == 0 && s.access.IsPerson(c.Agent)
	switch {
	case a.Contradicts(ref):
		return parley.Errorf(parley.Denied, "That is not the id and digest of %s.", a.ID).WithRule(access.RuleShown).WithHint(shownHint)
	case person || a.Shown(ref):
		return nil
	default:
		return parley.Errorf(parley.Denied, "Deciding about %s takes its whole id and its digest.", a.ID).WithRule(access.RuleShown).WithHint(shownHint)
	}
}

// shownHint is also for a manager to whom somebody has shown a request of their own
// making.
const shownHint = "Take both from the approval itself: only the hub writes requests for approval, and whatever somebody else says that it is about may be wrong."

// decision is the end of an approval within a transaction that holds the locks
// of its task, if there is one, and of the approval.
type decision struct {
	s        *Service
	tx       *store.Tx
	task     *parley.Task
	approval *parley.Approval
	opening  *opening // of a contact from outside; nil if a turn waits
	unusable error    // why that contact cannot be made any more
}

// withApproval locks the task of an approval, then the approval. Whatever
// changes one does so in this order.
func (s *Service) withApproval(ctx context.Context, id parley.ApprovalID, do func(*decision) error) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		a, err := tx.Approval(id)
		if err != nil {
			return access.NotFound(err, "%s", id)
		}
		d := decision{s: s, tx: tx, approval: &a}
		if err := d.lock(); err != nil {
			return err
		}
		return do(&d)
	})
}

// lock reads the approval again once everything that it changes is locked.
func (d *decision) lock() (err error) {
	switch a := d.approval; {
	case a.Outside() && access.IsCall(*a):
		d.task = &parley.Task{} // nothing waits: whoever wants the call makes it again
	case a.Outside():
		err = d.lockContact()
	default:
		err = d.lockTask()
	}
	if err != nil {
		return err
	}
	*d.approval, err = d.tx.LockApproval(d.approval.ID)
	return err
}

func (d *decision) lockTask() error {
	tasks, err := d.tx.LockTasks(d.approval.Task)
	if err == nil {
		d.task = &tasks[0]
	}
	return err
}

// mayDecide refuses everybody but people and the agent's manager. To somebody
// who has nothing to do with the call it does not exist.
func (s *Service) mayDecide(tx *store.Tx, c access.Caller, a parley.Approval) error {
	may, err := s.access.MayDecide(tx, c, a)
	switch {
	case err != nil || may:
		return err
	case a.Agent == c.Agent:
		return parley.Errorf(parley.Denied, "You cannot decide about what you want yourself.").WithRule(access.RuleOwnApproval).
			WithHint("%s decides about %s.", deciders(a), a.ID)
	}
	sees, err := s.access.Oversees(tx, c, a)
	switch {
	case err != nil:
		return err
	case sees:
		return access.ErrPeopleOnly("decide about " + a.ID.String())
	default:
		return parley.Errorf(parley.NotFound, "%s not found.", a.ID).WithRule(access.RuleDecider)
	}
}

func deciders(a parley.Approval) string {
	if a.PeopleOnly {
		return "A person"
	}
	return "A person or your manager"
}

func (s *Service) errDecided(tx *store.Tx, a parley.Approval) error {
	if a.State != parley.ApprovalApproved && a.State != parley.ApprovalDenied {
		return parley.Errorf(parley.Conflict, "%s is not pending any more: it is %s.", a.ID, a.State)
	}
	by, err := s.name(tx, a.DecidedBy)
	if err != nil {
		return err
	}
	return parley.Errorf(parley.Conflict, "%s was %s by %s already.", a.ID, a.State, by)
}

// Expire ends an approval that nobody decided about in time, unless somebody
// just has.
func (s *Service) Expire(ctx context.Context, id parley.ApprovalID) error {
	return s.withApproval(ctx, id, func(d *decision) error {
		a := d.approval
		if a.State != parley.ApprovalPending || a.ExpiresAt > d.tx.Now {
			return nil
		}
		a.Comment = parley.ExpiredReason
		return d.settle(parley.ApprovalExpired, 0)
	})
}

// settle ends the waiting for an approval. The task goes on when nothing of its
// step is pending any more; if its turn has not come to waiting yet, it finds
// the decision by itself.
func (d *decision) settle(state parley.ApprovalState, by parley.AgentID) error {
	if err := d.closeRequest(by); err != nil {
		return err
	}
	if d.opening != nil {
		return d.settleOutside(state, by)
	}
	if d.approval.Outside() { // a call
		return d.settleCall(state, by)
	}
	t := d.task
	conclude(d.tx, t, d.approval, state, by)
	if t.Approvals > 0 || t.State != parley.Waiting {
		d.tx.UpdateProgress(t)
		return nil
	}
	return requeue(d.tx, t)
}

// conclude writes the decision and its event. The caller stores the task.
func conclude(tx *store.Tx, t *parley.Task, a *parley.Approval, state parley.ApprovalState, by parley.AgentID) {
	a.State, a.DecidedAt, a.DecidedBy = state, tx.Now, by
	tx.UpdateApproval(a)
	t.Approvals--
	detail := a.ID.String()
	if a.Comment != "" {
		detail += ": " + parley.Clip(a.Comment, parley.QuotedRunes)
	}
	tx.Record(parley.Event{Team: a.Team, Kind: approvalEvents[state], Actor: by, Target: a.Agent, Task: a.Task, Detail: detail})
}

var approvalEvents = map[parley.ApprovalState]parley.EventKind{
	parley.ApprovalApproved:  parley.EventApprovalApproved,
	parley.ApprovalDenied:    parley.EventApprovalDenied,
	parley.ApprovalExpired:   parley.EventApprovalExpired,
	parley.ApprovalWithdrawn: parley.EventApprovalWithdrawn,
}

// withdraw takes back what a task that is about to end still waits for. The
// caller holds the task's lock and stores the task.
func withdraw(tx *store.Tx, t *parley.Task, by parley.AgentID) error {
	if t.Approvals == 0 {
		return nil
	}
	list, err := tx.ApprovalsOf(t.ID)
	if err != nil {
		return err
	}
	for i := range list {
		if a := &list[i]; a.State == parley.ApprovalPending {
			conclude(tx, t, a, parley.ApprovalWithdrawn, by)
		}
	}
	return nil
}

// Retract withdraws an approval if it is still pending, and tells nobody but those
// who wait for it.
func (s *Service) Retract(tx *store.Tx, a parley.Approval, comment string, by parley.AgentID) error {
	if a.State != parley.ApprovalPending {
		return nil
	}
	d := decision{s: s, tx: tx, approval: &a}
	if err := d.lock(); err != nil || a.State != parley.ApprovalPending {
		return err
	}
	a.Comment = comment
	return d.settle(parley.ApprovalWithdrawn, by)
}
