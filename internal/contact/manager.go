package contact

import (
	"cmp"
	"context"
	"errors"

	"parley"
	"parley/internal/directory"
	"parley/internal/store"
)

// AskManager asks the agent's manager about what a turn waits for: a native one in a
// task, a client in its inbox. People look at the list. A manager that sleeps or is
// offline begins with it when it is back. Doing so again finds what was sent before.
func (s *Service) AskManager(ctx context.Context, lease parley.Lease) error {
	if _, ok := s.askedManager(lease.Team, lease.Agent); !ok {
		return nil
	}
	var list []parley.Approval
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.ApprovalsOf(lease.Task)
		return err
	})
	if err != nil {
		return err
	}
	for _, a := range list {
		if err := s.askManager(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// AskNewManagers gives what waits in a team to its present managers: the files may
// have named others when it began to wait.
func (s *Service) AskNewManagers(ctx context.Context, team parley.TeamID) error {
	var list []parley.Approval
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.PendingApprovals(team, mostPending)
		return err
	})
	for _, a := range list {
		if err := s.askManager(ctx, a); err != nil {
			s.log.Warn("a manager could not be asked", "approval", a.ID, "error", err)
		}
	}
	return err
}

// mostPending bounds how many waiting approvals are looked at.
const mostPending = 1000

// askedManager is the manager of an agent, if it is one that the hub asks.
func (s *Service) askedManager(team parley.TeamID, agent parley.AgentID) (manager directory.Entry, ok bool) {
	e, _ := s.dir.Entry(agent)
	if e.Rules == nil || e.Rules.Manager == "" {
		return manager, false
	}
	manager, err := s.dir.Find(team, e.Rules.Manager)
	return manager, err == nil && (manager.Kind == parley.Native || manager.Kind == parley.Client)
}

// askManager asks one manager about one approval, once.
func (s *Service) askManager(ctx context.Context, a parley.Approval) error {
	manager, ok := s.askedManager(a.Team, a.Agent)
	if !ok || a.State != parley.ApprovalPending || a.PeopleOnly {
		return nil
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		a, err := tx.LockApproval(a.ID)
		if err != nil || a.State != parley.ApprovalPending {
			return err
		}
		_, err = tx.MessageByKey(manager.ID, requestKey(a.ID))
		switch {
		case !errors.Is(err, store.ErrNotFound):
			return err
		case manager.Kind == parley.Client:
			return s.sendDecision(tx, a, manager)
		default:
			return s.openDecision(tx, a, manager)
		}
	})
}

// sendDecision asks a manager that fetches its messages. There is no task: the decision
// itself is all that is wanted. Nobody else writes or reads where the request stands.
func (s *Service) sendDecision(tx *store.Tx, a parley.Approval, manager directory.Entry) error {
	dm, err := tx.EnsureDM(a.Team, manager.ID, manager.ID)
	if err != nil {
		return err
	}
	who, err := s.name(tx, a.Agent)
	if err != nil {
		return err
	}
	target, _ := s.dir.Entry(a.Target)
	m := parley.Message{Team: a.Team, Thread: dm.Main, Author: manager.ID, Kind: parley.ApprovalRequestMessage,
		Body: parley.ApprovalRequestText(a, who, target.Name), Key: requestKey(a.ID)}
	if err := tx.Post(&m, store.Recipient{ID: manager.ID, Pulls: true}); err != nil {
		return err
	}
	tx.Record(parley.Event{Team: a.Team, Kind: parley.EventMessage, Actor: a.Agent, Target: manager.ID, Task: a.Task, Message: m.ID,
		Detail: string(parley.ApprovalRequestMessage)})
	return nil
}

// closeRequest ends what a manager that fetches its messages was asked: it has decided,
// or there is nothing left to decide.
func (d *decision) closeRequest(by parley.AgentID) error {
	manager, ok := d.s.askedManager(d.approval.Team, d.approval.Agent)
	if !ok || manager.Kind != parley.Client {
		return nil
	}
	m, err := d.tx.MessageByKey(manager.ID, requestKey(d.approval.ID))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case by == manager.ID:
		d.tx.MarkAnswered(m.ID, by)
	default:
		d.tx.Recall(m.ID, manager.ID)
	}
	return nil
}

// requestKey is the key under which a manager is asked about an approval. The
// author is the manager itself, so that each manager is asked once.
func requestKey(id parley.ApprovalID) string { return id.String() }

// openDecision makes the task in which a manager decides. It stands in a thread of
// the manager with itself: there the agent can neither write nor read, so that what
// the manager is shown is the hub's, and the agent never learns the whole id. It
// is not the agent's idea either: it costs nothing of its rate, and nobody's task
// waits for it.
func (s *Service) openDecision(tx *store.Tx, a parley.Approval, manager directory.Entry) error {
	agent, err := tx.Agent(manager.ID)
	if err != nil {
		return err
	}
	dm, err := tx.EnsureDM(a.Team, manager.ID, manager.ID)
	if err != nil {
		return err
	}
	who, err := s.name(tx, a.Agent)
	if err != nil {
		return err
	}
	target, _ := s.dir.Entry(a.Target)
	limits := s.dir.Limits(manager.ID)
	t := newTask(tx, order{pattern: parley.Delegate, requester: manager.ID, agent: agent, thread: tx.InsertThread(dm).ID,
		title: titleOf(a.ID.String() + " of " + who), lifetime: limits.DelegationDeadline})
	if err := followCause(tx, &t, a.Task); err != nil {
		return err
	}
	if limits.Budget.Set() {
		endow(tx, &t, limits.Budget)
	}
	m := parley.Message{Team: a.Team, Thread: t.Thread, Author: manager.ID, Kind: parley.ApprovalRequestMessage,
		Body: parley.ApprovalRequestText(a, who, target.Name), Task: t.ID, Key: requestKey(a.ID)}
	if err := tx.Post(&m, store.Recipient{ID: manager.ID}); err != nil {
		return err
	}
	t.Request = m.ID
	tx.InsertTask(&t)
	tx.Record(parley.Event{Team: a.Team, Kind: parley.EventTask, Actor: a.Agent, Target: manager.ID, Task: t.ID, Message: m.ID,
		Detail: string(parley.ApprovalRequestMessage)})
	return nil
}

// followCause counts a decision along the chain of the task that asks for it.
// Otherwise a manager that answers each decision with more work would begin anew each
// time, and the two go round for ever.
func followCause(tx *store.Tx, t *parley.Task, cause parley.TaskID) error {
	if cause == 0 {
		return nil
	}
	asking, err := tx.Task(cause)
	if err == nil {
		t.Chain, t.DelegationDepth = cmp.Or(asking.Chain, asking.Root), asking.DelegationDepth+1
	}
	return err
}

// Requests are the messages that asked managers to decide about an approval.
func (s *Service) Requests(tx *store.Tx, a parley.Approval) ([]parley.Message, error) {
	list, err := tx.ApprovalRequests(requestKey(a.ID))
	if err != nil || a.Letters != "" {
		return list, err
	}
	// Hubs used to ask in the agent's own name.
	older, err := tx.MessagesByKeys(a.Agent, a.ID.String(), "approval/"+a.ID.String()+"/")
	return append(list, older...), err
}
