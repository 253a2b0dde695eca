package contact

import (
	"strings"

	"parley"
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
	for t := o.state.Task; t.Callback == parley.CallbackReply || t.Callback == parley.CallbackResult; {
		parent, err := o.tx.Task(t.Parent)
		if err != nil {
			return err
		}
		chain = append([]parley.AgentID{parent.Agent}, chain...)
		if parent.Agent == o.state.Target.ID && t.Callback == parley.CallbackReply {
			return o.errCycle(chain)
		}
		t = parent
	}
	return nil
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
