package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"parley"
	"parley/internal/policy"
	"parley/internal/store"
)

// A caller from outside has no turn that waits for an approval. A contact waits by
// itself. Of any other call the record waits, bound to the exact call: whoever makes the
// same call again once it is approved has it run, and that uses the approval up.

// call is a call from outside as a door has read it.
type call struct {
	tool string
	args func() string

	mu       sync.Mutex
	approved bool // an approval was used for it
}

type callKey struct{}

// WithCall says which call a door is about to serve. args are all its arguments as
// JSON; they are needed only if the call has to wait for approval.
func WithCall(ctx context.Context, tool string, args func() string) context.Context {
	return context.WithValue(ctx, callKey{}, &call{tool: tool, args: args})
}

// Await deals with a call from outside that needs approval. If the very same call was
// approved it returns nil, once. Else the call waits from now on, and the error says
// under which id; without WithCall it is a plain refusal. Several steps of one call
// may ask: one approval is for all of it.
func (a *Control) Await(ctx context.Context, c Caller, need *parley.NeedsApproval) error {
	k, _ := ctx.Value(callKey{}).(*call)
	if k == nil || c.Token != 0 || need.Approval != 0 {
		return need
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.approved {
		return nil
	}
	w := waiting{control: a, caller: c, need: *need, tool: k.tool, args: k.args()}
	err := a.store.Update(ctx, w.run)
	if err != nil {
		return err
	}
	if w.used {
		k.approved = true
		return nil
	}
	if w.asked.ID != 0 && a.Asked != nil {
		a.Asked(ctx, w.asked)
	}
	return w.outcome
}

// callPrefix begins the name of a call that waits, or that was approved and not made yet.
const callPrefix = "call/"

// IsCall reports whether an approval from outside is about a call that its caller makes
// again, and not about a contact.
func IsCall(a parley.Approval) bool { return strings.HasPrefix(a.Call, callPrefix) }

// waiting is a call that needs approval, within its transaction.
type waiting struct {
	control    *Control
	caller     Caller
	need       parley.NeedsApproval
	tool, args string

	used    bool            // an approval was found, and is used up
	asked   parley.Approval // stored just now
	outcome error           // if it was not used
}

func (w *waiting) run(tx *store.Tx) error {
	w.used, w.asked, w.outcome = false, parley.Approval{}, nil
	digest := parley.CallDigest(w.tool, w.args)
	name := fmt.Sprintf("%s%d/%s", callPrefix, w.caller.Agent, digest)
	usedName := fmt.Sprintf("used/%d/%s/%s", w.caller.Agent, digest, w.caller.Key)
	agent, err := tx.LockAgent(w.caller.Agent) // so that of two equal calls one comes first
	if err != nil {
		return err
	}
	found, err := tx.ApprovalOf(0, 0, name)
	if errors.Is(err, store.ErrNotFound) {
		return w.ask(tx, agent, name, usedName)
	}
	if err != nil {
		return err
	}
	a, err := tx.LockApproval(found.ID)
	if err != nil {
		return err
	}
	same := a.Digest == digest && parley.CallDigest(a.Tool, a.Args) == digest // it is what was shown
	fresh := same && tx.Now < a.DecidedAt.Add(w.control.dir.Limits(w.caller.Agent).ApprovalExpiry)
	switch {
	case a.State == parley.ApprovalPending:
		need := w.need
		need.Approval = a.ID
		w.outcome = &need
	case a.State == parley.ApprovalApproved && fresh:
		w.used = true
		if w.caller.Key == "" {
			usedName = a.ID.String()
		}
		tx.RenameCall(a.ID, usedName)
	case a.State == parley.ApprovalApproved || a.State == parley.ApprovalWithdrawn: // nobody stands by it any more
		tx.RenameCall(a.ID, a.ID.String())
		return w.ask(tx, agent, name, usedName)
	default:
		tx.RenameCall(a.ID, a.ID.String()) // to ask anew takes another call
		w.outcome = parley.ErrApprovalDenied(w.tool, "", a.Comment)
	}
	return nil
}

// ask stores the call as one that waits, which costs the caller's rate. A request whose
// answer was lost finds that its approval was used for it.
func (w *waiting) ask(tx *store.Tx, agent parley.Agent, name, usedName string) error {
	if w.caller.Key != "" {
		_, err := tx.ApprovalOf(0, 0, usedName)
		if !errors.Is(err, store.ErrNotFound) {
			w.used = err == nil
			return err
		}
	}
	limits := w.control.dir.Limits(agent.ID)
	rate, refusal := policy.Spend(tx.Steady, agent, limits, 1)
	if refusal != nil {
		return refusal
	}
	a := parley.Approval{Team: w.caller.Team, Call: name, Agent: agent.ID, Target: w.need.Target, Rule: w.need.Rule, Reason: w.need.Reason,
		ExpiresAt: tx.Now.Add(limits.ApprovalExpiry)}.Of(w.tool, w.args)
	tx.SetRate(agent.ID, rate)
	tx.InsertApproval(&a)
	tx.Record(parley.Event{Team: a.Team, Kind: parley.EventApprovalRequested, Actor: a.Agent, Target: a.Target,
		Detail: a.ID.String() + ": " + a.Tool + " [rule: " + a.Rule + "]"})
	need := w.need
	need.Approval = a.ID
	w.asked, w.outcome = a, &need
	return nil
}
