package contact

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/store"
)

// pickByRole picks who of a role is contacted: whoever was chosen before under the
// same key, else the least loaded whom the caller may contact.
func (s *Service) pickByRole(ctx context.Context, c access.Caller, role, key string) (string, error) {
	var candidates []candidate
	chosen := ""
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		if chosen, err = s.chosenBefore(tx, c, key); err != nil || chosen != "" {
			return err
		}
		candidates, err = s.candidates(tx, c, s.dir.InRole(c.Team, role))
		return err
	})
	if err != nil || chosen != "" {
		return chosen, err
	}
	if least, ok := leastLoaded(candidates); ok {
		return least.name, nil
	}
	err = parley.Errorf(parley.Unavailable, "There is no %s whom you could contact.", parley.Clip(role, 64)).
		WithRule("role").WithHint("Name somebody as the target, or do without.")
	s.access.RecordRefused(ctx, c, 0, err, access.RefusalText("contact a "+parley.Clip(role, 64), err))
	return "", err
}

// chosenBefore is the target of the contact that was made under the same key.
func (s *Service) chosenBefore(tx *store.Tx, c access.Caller, key string) (string, error) {
	if key == "" {
		return "", nil
	}
	in, err := c.Keyed(tx)
	if err != nil {
		return "", err
	}
	sent, err := tx.SentWithKey(in, c.Agent, key)
	if err != nil || len(sent) == 0 {
		return "", err
	}
	to, err := tx.Deliveries(sent[0].ID)
	if err != nil || len(to) != 1 {
		return "", err
	}
	return s.name(tx, to[0].Recipient)
}

// candidate is somebody of a role.
type candidate struct {
	id      parley.AgentID
	name    string
	reached bool // it can be contacted, without anybody's approval
	open    int  // tasks
}

// candidates looks at those of a role, without the caller itself.
func (s *Service) candidates(tx *store.Tx, c access.Caller, list []directory.Entry) (out []candidate, err error) {
	open, err := tx.OpenTasks(c.Team)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.ID == c.Agent {
			continue
		}
		a, err := tx.Agent(e.ID)
		if err != nil {
			return nil, err
		}
		o := open[e.ID]
		out = append(out, candidate{id: e.ID, name: e.Name, reached: !a.Gone() && s.mayContact(c, e), open: o.Queued + o.Running + o.Waiting})
	}
	return out, nil
}

// mayContact reports whether the rules let the caller contact somebody by itself.
func (s *Service) mayContact(c access.Caller, e directory.Entry) bool {
	who, to := s.access.PartyOf(c.Agent), e.Party()
	return policy.Authorize(&who, policy.Send(&to)).Verdict == policy.Allow
}

// leastLoaded picks who has the fewest open tasks; of equals the first.
func leastLoaded(list []candidate) (candidate, bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return !c.reached })
	if len(list) == 0 {
		return candidate{}, false
	}
	return slices.MinFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.open, b.open), cmp.Compare(a.id, b.id)) }), true
}
