package contact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// A caller from outside has no turn that could wait for an approval, so the
// contact itself waits: the record holds the exact request, and whoever approves
// it makes the contact in the same transaction. There is no moment at which it is
// approved and not made.

// heldRequest is such a request as it is stored, shown and bound by the digest.
type heldRequest struct {
	Action   string `json:"action"`
	Agent    string `json:"agentId"`
	Message  string `json:"message"`
	Context  string `json:"context,omitempty"`
	Priority string `json:"priority,omitempty"`
	Timeout  string `json:"timeout,omitempty"`
	Thread   string `json:"thread,omitempty"` // new, latest or a thread's id
	Task     string `json:"task_id,omitempty"`
	Key      string `json:"key,omitempty"`
}

// outsideTool is what the record calls it: the tool that does the same.
const outsideTool = "contact_agent"

// hold stores a request that needs approval instead of making the contact. One
// with the same key is found.
func (o *opening) hold(need *parley.NeedsApproval) error {
	if o.request.Budget.Set() { // no approval lets a program give one
		if err := o.mayGiveBudget(); err != nil {
			return err
		}
	}
	args, err := o.heldArgs()
	if err != nil {
		return err
	}
	a, err := o.heldBefore(args)
	if err != nil {
		return err
	}
	if a.ID == 0 {
		if a, err = o.insertHeld(need, args); err != nil {
			return err
		}
	}
	need.Approval, o.held = a.ID, need
	return nil
}

func (o *opening) heldArgs() (string, error) {
	r := o.request
	w := heldRequest{Action: r.verb(o.pattern), Agent: o.state.Target.Name, Message: r.Message, Context: r.Context, Key: r.Key}
	if o.pattern == parley.Delegate {
		w.Priority = r.Priority.String()
	}
	if r.Timeout > 0 {
		w.Timeout = r.Timeout.String()
	}
	if o.caller.Task != 0 {
		w.Task = o.caller.Task.String()
	}
	w.Thread = r.Thread.words()
	text, err := json.Marshal(w)
	return parley.CanonicalArgs(text), err
}

func (c ThreadChoice) words() string {
	switch {
	case c.New:
		return "new"
	case c.Reuse && c.ID != 0:
		return c.ID.String()
	case c.Reuse:
		return "latest"
	default:
		return ""
	}
}

// heldBefore finds what the same key has asked for before. What was decided
// since is told as it was decided.
func (o *opening) heldBefore(args string) (parley.Approval, error) {
	if o.request.Key == "" {
		return parley.Approval{}, nil
	}
	a, err := o.tx.ApprovalOf(o.caller.Task, 0, o.outsideCall())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return parley.Approval{}, nil
	case err != nil || a.State == parley.ApprovalPending && a.Args == args:
		return a, err
	case a.Args != args:
		return a, errKeyUsed(o.request.Key)
	default:
		return a, errOutcome(a, o.state.Target.Name)
	}
}

// outsideCall is the stored key of a caller from outside. It names the caller,
// since two may use the same key.
func (o *opening) outsideCall() string {
	if o.request.Key == "" {
		return ""
	}
	return fmt.Sprintf("%d/%s", o.caller.Agent, o.request.Key)
}

// errOutcome tells a caller from outside why nothing came of its request.
func errOutcome(a parley.Approval, target string) error {
	switch {
	case a.State == parley.ApprovalApproved:
		return parley.Errorf(parley.Conflict, "%s was approved, but the contact could not be made: %s", a.ID, parley.Quote(a.Failure)).
			WithHint("Use a new key to ask again.")
	case a.State == parley.ApprovalWithdrawn:
		return parley.Errorf(parley.Conflict, "%s was withdrawn.", a.ID).WithHint("Use a new key to ask again.")
	default:
		return parley.ErrApprovalDenied(a.Tool, target, a.Comment)
	}
}

// insertHeld stores the request. Asking for approval costs one of the caller's
// rate, so that nobody is buried in requests; the approved contact costs nothing.
func (o *opening) insertHeld(need *parley.NeedsApproval, args string) (parley.Approval, error) {
	c, limits := o.caller, o.s.dir.Limits(o.caller.Agent)
	rate, refusal := policy.Spend(o.tx.Steady, o.state.Sender, limits, 1)
	if refusal != nil {
		return parley.Approval{}, refusal
	}
	a := parley.Approval{
		Team: c.Team, Task: c.Task, Call: o.outsideCall(), Agent: c.Agent,
		Target: need.Target, Rule: need.Rule, Reason: need.Reason, ExpiresAt: o.tx.Now.Add(limits.ApprovalExpiry),
	}.Of(outsideTool, args)
	o.tx.SetRate(c.Agent, rate)
	o.tx.InsertApproval(&a)
	if t := &o.state.Task; t.ID != 0 {
		t.Approvals++
		o.tx.UpdateProgress(t)
	}
	o.tx.Record(parley.Event{Team: a.Team, Kind: parley.EventApprovalRequested, Actor: a.Agent, Target: a.Target, Task: a.Task,
		Detail: a.ID.String() + ": " + o.request.verb(o.pattern) + " [rule: " + a.Rule + "]"})
	return a, nil
}

// held tells a native manager about a request that waits. If that fails the request
// stands: people see it too.
func (s *Service) held(ctx context.Context, need *parley.NeedsApproval) error {
	var a parley.Approval
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		a, err = tx.Approval(need.Approval)
		return err
	})
	if err == nil {
		err = s.askManager(ctx, a)
	}
	if err != nil {
		s.log.Warn("a manager could not be asked", "approval", need.Approval, "error", err)
	}
	return need
}

// Asked tells the manager of a caller from outside about a call that waits.
func (s *Service) Asked(ctx context.Context, a parley.Approval) {
	if err := s.askManager(ctx, a); err != nil {
		s.log.Warn("a manager could not be asked", "approval", a.ID, "error", err)
	}
}

// AskManagers gives the managers what callers from outside wait for: a hub may
// have died between storing that and telling them.
func (s *Service) AskManagers(ctx context.Context) error {
	var list []parley.Approval
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.PendingOutside()
		return err
	})
	for _, a := range list {
		if err := s.askManager(ctx, a); err != nil {
			s.log.Warn("a manager could not be asked", "approval", a.ID, "error", err)
		}
	}
	return err
}

// Withdraw takes back a request from outside that still waits. Only whoever made
// it does; what a turn waits for goes with its task.
func (s *Service) Withdraw(ctx context.Context, c access.Caller, ref parley.ApprovalRef) error {
	return s.withApproval(ctx, ref.ID, func(d *decision) error {
		a := d.approval
		switch {
		case a.Team != c.Team || a.Agent != c.Agent:
			return parley.Errorf(parley.NotFound, "%s not found.", ref.ID)
		case !a.Outside():
			return parley.Errorf(parley.Conflict, "A turn waits for %s.", ref.ID).WithHint("Cancel %s instead.", a.Task)
		}
		if _, repeated, err := c.Repeated(d.tx, "withdraw %s", ref.ID); repeated || err != nil {
			return err
		}
		if a.State != parley.ApprovalPending {
			return s.errDecided(d.tx, *a)
		}
		return d.settle(parley.ApprovalWithdrawn, c.Agent)
	})
}

// lockContact locks what the contact needs, in the order in which every contact
// does. The sender's rate comes first, so that no two decisions about its requests
// meet.
func (d *decision) lockContact() error {
	a := d.approval
	r, p, bad := unpack(*a)
	c := access.Caller{Team: a.Team, Agent: a.Agent, Task: a.Task, Approved: true}
	d.opening, d.unusable = &opening{s: d.s, tx: d.tx, caller: c, request: r, pattern: p}, bad
	if err := d.opening.lock(a.Target); err != nil {
		return err
	}
	d.task = &d.opening.state.Task
	return nil
}

// unpack reads the stored request, and makes sure that it is the one that was shown.
func unpack(a parley.Approval) (r Request, p parley.Pattern, err error) {
	var w heldRequest
	if parley.CallDigest(a.Tool, a.Args) != a.Digest || json.Unmarshal([]byte(a.Args), &w) != nil {
		return r, parley.Notify, parley.Errorf(parley.Denied, "The request is not the one that was shown, so nothing was sent.")
	}
	r = Request{Target: w.Agent, Message: w.Message, Context: w.Context, Key: w.Key, detached: true}
	if r.Key == "" {
		r.Key = "approval/" + a.ID.String()
	}
	if r.Priority, err = parley.ParsePriority(w.Priority); err != nil {
		return r, parley.Notify, err
	}
	r.Timeout, _ = time.ParseDuration(w.Timeout) // empty is the default
	if r.Thread, err = parseThreadChoice(w.Thread); err != nil {
		return r, parley.Notify, err
	}
	if w.Action == "send" {
		r.sent = true
		return r, parley.Delegate, nil
	}
	if w.Action == string(parley.QuestionPattern) {
		return r, parley.QuestionPattern, nil
	}
	p, err = parley.ParsePattern(w.Action)
	return r, p, err
}

func parseThreadChoice(words string) (c ThreadChoice, err error) {
	switch words {
	case "":
	case "new":
		c.New = true
	case "latest":
		c.Reuse = true
	default:
		c.Reuse = true
		c.ID, err = parley.ParseThreadID(words)
	}
	return c, err
}

// isOwnKey reports whether a key is one under which the hub itself makes contacts in
// somebody's name: what was approved, and what is scheduled.
func isOwnKey(key string) bool {
	if strings.HasPrefix(key, "approval-") {
		_, err := parley.ParseApprovalID(key)
		return err == nil
	}
	return strings.HasPrefix(key, "approval/") || strings.HasPrefix(key, parley.ScheduleKeyPrefix)
}

// settleOutside ends a request from outside: an approved one becomes the contact,
// and of any other, or if it cannot be made any more, the caller is told.
func (d *decision) settleOutside(state parley.ApprovalState, by parley.AgentID) error {
	if state == parley.ApprovalApproved {
		if err := d.makeContact(); err != nil {
			return err
		}
	}
	a, t := d.approval, d.task
	conclude(d.tx, t, a, state, by)
	switch {
	case t.ID == 0:
	case t.State == parley.Waiting && t.Approvals == 0 && t.InboxCount > t.InboxRead:
		if err := requeue(d.tx, t); err != nil { // results came while it waited
			return err
		}
	default:
		d.tx.UpdateProgress(t)
	}
	if state == parley.ApprovalWithdrawn {
		return nil
	}
	return d.tellOutcome(by, d.outcome())
}

// settleCall ends the waiting for a call from outside that is no contact. Its caller is
// told, and makes the call again.
func (d *decision) settleCall(state parley.ApprovalState, by parley.AgentID) error {
	conclude(d.tx, d.task, d.approval, state, by)
	a := *d.approval
	switch state {
	case parley.ApprovalWithdrawn:
		return nil
	case parley.ApprovalApproved:
		return d.tellOutcome(by, a.ID.String()+" was approved: "+a.Tool+". Make the same call again; it runs once.")
	default:
		return d.tellOutcome(by, a.ID.String()+": "+parley.Public(parley.ErrApprovalDenied(a.Tool, "", a.Comment)))
	}
}

// makeContact makes the approved contact. A refusal by what holds now, such as
// that the target is offline, does not undo the decision: it is what came of it.
func (d *decision) makeContact() error {
	o, a := d.opening, d.approval
	err := d.unusable
	if err == nil {
		err = o.make(nil)
	}
	switch {
	case err == nil:
		a.Message = o.message.ID
		return nil
	case store.IsOutage(err) || parley.KindOf(err) == parley.Internal:
		return err
	}
	a.Failure = parley.Public(err)
	d.tx.Record(parley.Event{Team: a.Team, Kind: parley.EventRefused, Actor: a.Agent, Target: a.Target, Task: a.Task,
		Detail: o.request.verb(o.pattern) + ": " + o.refusal(err)})
	return nil
}

// outcome says what came of a request from outside.
func (d *decision) outcome() string {
	a, o := *d.approval, d.opening
	if a.Message == 0 {
		return a.ID.String() + ": " + parley.Public(errOutcome(a, o.state.Target.Name))
	}
	text := a.ID.String() + " was approved: " + o.request.verb(o.pattern) + " " + o.state.Target.Name
	if o.task.ID != 0 {
		text += ", as " + o.task.ID.String()
	}
	return text + "."
}

// tellOutcome tells the caller what came of its request. The message is from whoever
// decided; if nobody did, it stands in a conversation of its own.
func (d *decision) tellOutcome(by parley.AgentID, text string) error {
	a := *d.approval
	if by == 0 {
		by = a.Agent
	}
	dm, err := d.tx.EnsureDM(a.Team, by, a.Agent)
	if err != nil {
		return err
	}
	m := parley.Message{Team: a.Team, Thread: dm.Main, Author: by, Kind: parley.NotificationMessage,
		Body: text}
	pulls, err := d.s.pulls(d.tx, a.Agent)
	if err != nil {
		return err
	}
	if err := d.tx.Post(&m, store.Recipient{ID: a.Agent, Pulls: pulls, Mail: !pulls}); err != nil {
		return err
	}
	d.tx.Record(parley.Event{Team: a.Team, Kind: parley.EventMessage, Actor: by, Target: a.Agent, Message: m.ID, Detail: "notify"})
	return nil
}
