package access

import (
	"context"
	"log/slog"

	"parley"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/store"
)

// Control asks the rules about a caller, and records what they refuse. It is
// safe for concurrent use.
type Control struct {
	store    store.Store
	dir      *directory.Directory
	log      *slog.Logger
	refusals refusals

	// Asked is called with each call from outside that begins to wait for approval, so
	// that somebody hears of it. It may be nil.
	Asked func(context.Context, parley.Approval)
}

// New makes the control over the participants of a directory.
func New(s store.Store, dir *directory.Directory, log *slog.Logger) *Control {
	return &Control{store: s, dir: dir, log: log}
}

// Permit asks the rules about a tool call of the caller, and records a refusal.
// Asking, delegating and notifying need no permit: opening the contact decides
// about them.
func (a *Control) Permit(ctx context.Context, c Caller, action string) error {
	who, target := a.PartyOf(c.Agent), parley.AgentID(0)
	call := policy.Call{Action: action}
	if name := policy.Contacted(action); name != "" {
		e, err := a.dir.Find(c.Team, name)
		if err != nil {
			a.record(ctx, c, 0, err, parley.EventToolRefused, RefusalText(parley.Clip(action, parley.QuotedRunes), err))
			return err
		}
		to := e.Party()
		call, target = policy.Contacting(action, &to), e.ID
	}
	ruling := policy.Authorize(&who, call)
	err := c.Judge(ruling, target)
	if need, wanted := parley.AsNeedsApproval(err); wanted {
		err = a.Await(ctx, c, need)
	}
	if err != nil && !c.Waits(err) {
		a.record(ctx, c, target, err, parley.EventToolRefused, parley.Clip(action, parley.QuotedRunes)+": "+ruling.Explained(err))
	}
	return err
}

// PermitOutside asks the rules about what somebody does through a door that a
// native agent has a tool for: the same action, the same decision. A turn's calls
// were decided about before they ran.
func (a *Control) PermitOutside(ctx context.Context, c Caller, category, detail string) error {
	if c.Token != 0 {
		return nil
	}
	return a.Permit(ctx, c, policy.Action(category, detail))
}

// ReadsGroup reports whether the rules let an agent read a group that it is in,
// without asking anybody.
func (a *Control) ReadsGroup(agent parley.AgentID, c parley.Channel) bool {
	who := a.PartyOf(agent)
	return policy.Authorize(&who, policy.ReadIn(c.Name)).Verdict == policy.Allow
}

// ReadsDocs reports whether the rules let an agent read the docs of another, without
// asking anybody.
func (a *Control) ReadsDocs(agent parley.AgentID, of policy.Party) bool {
	who := a.PartyOf(agent)
	return policy.Authorize(&who, policy.Contacting(policy.Action(policy.AgentComm, "read_docs"), &of)).Verdict == policy.Allow
}

// PeopleOnly keeps a right for people: everyone else is refused, turns too, and
// the attempt is recorded.
func (a *Control) PeopleOnly(ctx context.Context, c Caller, right, tried string) error {
	if a.IsPerson(c.Agent) && c.Token == 0 {
		return nil
	}
	return a.RecordDenied(ctx, c, tried, ErrPeopleOnly(right))
}

// ErrPeopleOnly refuses what only people may do.
func ErrPeopleOnly(right string) *parley.Error {
	return parley.Errorf(parley.Denied, "Only people may %s.", right).WithRule(RulePeopleOnly).WithHint("Ask a person to do it.")
}

// Party is a stored participant as the rules see it: with the rules that this
// hub knows for it, and with none if it belongs to another hub.
func (a *Control) Party(agent parley.Agent) policy.Party {
	if e, ok := a.dir.Entry(agent.ID); ok {
		return e.Party()
	}
	return policy.Party{Name: agent.Name, Key: parley.FoldName(agent.Name), Kind: agent.Kind}
}

// StoredParty is the party with this id, even one that only other hubs know.
func (a *Control) StoredParty(tx *store.Tx, id parley.AgentID) (policy.Party, error) {
	if e, ok := a.dir.Entry(id); ok {
		return e.Party(), nil
	}
	agent, err := tx.Agent(id)
	return a.Party(agent), err
}

// PartyOf is the party with this id; nobody, without rules, if this hub does not
// know it.
func (a *Control) PartyOf(id parley.AgentID) policy.Party {
	e, _ := a.dir.Entry(id)
	return e.Party()
}

// IsPerson reports whether this id is a person's.
func (a *Control) IsPerson(id parley.AgentID) bool {
	e, ok := a.dir.Entry(id)
	return ok && e.Kind == parley.Person
}

// MayDecide reports whether the caller may decide about an approval of its team.
func (a *Control) MayDecide(tx *store.Tx, c Caller, p parley.Approval) (bool, error) {
	return a.mayApprove(tx, c, p, p.PeopleOnly)
}

// Oversees reports whether the caller is shown an approval of somebody else: people
// and the manager are, even if the manager may not decide.
func (a *Control) Oversees(tx *store.Tx, c Caller, p parley.Approval) (bool, error) {
	return a.mayApprove(tx, c, p, false)
}

func (a *Control) mayApprove(tx *store.Tx, c Caller, p parley.Approval, peopleOnly bool) (bool, error) {
	if p.Team != c.Team || p.Agent == c.Agent {
		return false, nil
	}
	wants, err := a.StoredParty(tx, p.Agent)
	if err != nil {
		return false, err
	}
	who := a.PartyOf(c.Agent)
	return policy.MayApprove(&who, &wants, peopleOnly), nil
}
