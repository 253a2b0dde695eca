package contact

import (
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

// checkCycle refuses an ask that could only wait for itself: its target runs
// one turn at a time, and that turn waits for an ask on the chain that leads
// here. Delegations are links of the chain too, since no task ends before
// them, but nobody's turn waits for one.
func (o *opening) checkCycle() error {
	if o.pattern != parley.Ask || o.state.Target.Turns != 1 {
		return nil
	}
	chain := []parley.AgentID{o.caller.Agent, o.state.Target.ID}
	for t := o.state.Task; o.awaits(t) || t.Callback == parley.CallbackResult; {
		parent, err := o.tx.Task(t.Parent)
		if err != nil {
			return err
		}
		chain = append([]parley.AgentID{parent.Agent}, chain...)
		if parent.Agent == o.state.Target.ID && o.awaits(t) {
			return o.errCycle(chain)
		}
		t = parent
	}
	return nil
}

// awaits reports whether somebody waits for the end of a task: a turn, or a client, which
// looks at the task itself.
func (o *opening) awaits(t parley.Task) bool {
	return t.Callback == parley.CallbackReply || t.Callback == parley.CallbackLate && t.Awaited(o.tx.Now) && o.s.isClient(t.Requester)
}

func (o *opening) errCycle(chain []parley.AgentID) error {
	names := make([]string, len(chain))
	for i, id := range chain {
		var err error
		if names[i], err = o.s.name(o.tx, id); err != nil {
			return err
		}
	}
	target := o.state.Target.Name
	return parley.Errorf(parley.Denied, "%s is waiting on this chain and can run only one turn at a time: %s.",
		target, strings.Join(names, " → ")).WithRule("cycle").WithHint("Answer with what you know, or use 'delegate'.")
}

// nameChain adds the chain to a refusal of a delegation that is nested too deeply. An
// ask's own text says what to do instead.
func (o *opening) nameChain(err *parley.Error) error {
	if err.Rule != parley.RuleDelegationDepth {
		return err
	}
	return o.s.errDepth(o.tx, err, o.state.Task, o.state.Sender, o.state.Target)
}

// errDepth names the chain that is too deep: who asked whom, up to a person.
func (s *Service) errDepth(tx *store.Tx, err *parley.Error, in parley.Task, from, to parley.Agent) error {
	names := []string{to.Name, from.Name}
	for t := in; t.ID != 0; {
		name, failed := s.name(tx, t.Requester)
		if failed != nil {
			return failed
		}
		if names = append(names, name); t.Pattern == parley.AnswerPattern {
			if name, failed = s.name(tx, t.Agent); failed != nil { // who had asked the other
				return failed
			}
			names = append(names, name)
		}
		above := max(t.Cause, t.Parent) // a task has one of them at most
		if above == 0 {
			break
		}
		if t, failed = tx.Task(above); failed != nil {
			return failed
		}
	}
	slices.Reverse(names)
	return err.WithHint("The chain is %s.", strings.Join(names, " → "))
}
