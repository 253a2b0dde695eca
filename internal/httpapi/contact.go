package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/contact"
)

func (s *Server) registerContacts() {
	o := operation{id: "contact-agent", method: http.MethodPost, path: "/v1/contacts", tag: "Contacts",
		summary: "Ask, delegate or notify",
		description: "Contacts another participant. The response comes as soon as the contact is stored; from then on it cannot be lost. " +
			"After an ask, call wait-task until wait_until. The work goes on after that too. " +
			"An ask with wait is answered when its task has ended, or when the time is over with the task as it is: go on with wait-task then. " +
			"With a key the request can be repeated safely. " +
			"If the contact needs approval, the response is 202 with the approval. The contact is made when somebody approves it, and the same key then finds it. " +
			"If nobody does, your inbox says so and the same key finds the denial.",
		errors: []parley.Kind{parley.NotFound, parley.Conflict, parley.Unavailable, parley.Limited}, attaches: true}
	op := s.huma(o)
	op.Responses["202"] = &huma.Response{Description: "The contact waits for approval.", Content: s.content(typeOf[api.Contact]())}
	huma.Register(s.api, op, func(ctx context.Context, in *struct{ Body api.ContactRequest }) (*contactReply, error) {
		out, err := s.postContact(ctx, in.Body)
		if err != nil {
			return nil, s.refuse(ctx, o.id, err)
		}
		if out.Approval != nil {
			return &contactReply{Status: http.StatusAccepted, Body: out}, nil
		}
		return &contactReply{Status: http.StatusOK, Body: out}, nil
	})
}

// contactReply is a contact with the HTTP status: 200 if it was made, 202 if it
// waits for approval.
type contactReply struct {
	Status int
	Body   api.Contact
}

func (s *Server) postContact(ctx context.Context, in api.ContactRequest) (api.Contact, error) {
	c := caller(ctx)
	r, err := decodeContact(in)
	if err != nil {
		return api.Contact{}, err
	}
	if in.TaskID != "" {
		// The use case checks that the task is the caller's.
		if c.Task, err = parley.ParseTaskID(in.TaskID); err != nil {
			return api.Contact{}, err
		}
	}
	r.Key = keyOf(ctx, r.Key)
	made, err := s.open(ctx, c, in, r)
	if need, ok := parley.AsNeedsApproval(err); ok && need.Approval != 0 {
		return s.waiting(ctx, c, need.Approval)
	}
	if err != nil {
		return api.Contact{}, err
	}
	out := api.Contact{Agent: made.Target, Message: made.Message.String(), Isolated: made.Isolated}
	if made.Task.ID != 0 {
		t := s.task(ctx, made.Task, made.Text)
		out.Task, out.Estimate = &t, s.estimate(made.Task, r)
	}
	return out, nil
}

// waiting returns the approval that a contact needs first.
func (s *Server) waiting(ctx context.Context, c access.Caller, id parley.ApprovalID) (api.Contact, error) {
	a, err := s.cfg.Reading.Approval(ctx, c, parley.ApprovalRef{ID: id})
	if err != nil {
		return api.Contact{}, err
	}
	shown := s.approval(ctx, a)
	return api.Contact{Agent: shown.Target, Notice: parley.HeldText, Approval: &shown}, nil
}

func decodeContact(in api.ContactRequest) (contact.Request, error) {
	prio, err := parley.ParsePriority(in.Priority)
	return contact.Request{
		Target: in.Agent, Message: in.Message, Context: in.Context, Priority: prio, Key: in.Key, Attach: in.Attach, Urgent: in.Urgent, Budget: decodeBudget(in.Budget),
		Timeout: time.Duration(in.Timeout * float64(time.Second)),
	}, err
}

func (s *Server) open(ctx context.Context, c access.Caller, in api.ContactRequest, r contact.Request) (made contact.Response, err error) {
	pattern, err := parley.ParsePattern(in.Action)
	if err != nil {
		return made, err
	}
	switch {
	case pattern == parley.Ask && in.Wait > 0:
		return s.askAndWait(ctx, c, in.Wait, r)
	case pattern == parley.Ask:
		made.Contact, err = s.cfg.Contacts.OpenAsk(ctx, c, r)
	case pattern == parley.Delegate:
		made.Contact, err = s.cfg.Contacts.Delegate(ctx, c, r)
	default:
		made.Contact, err = s.cfg.Contacts.Notify(ctx, c, r)
	}
	return made, err
}

// askAndWait asks, and waits for the answer until the time is over or the hub stops. The
// asking itself is not cut short by either.
func (s *Server) askAndWait(ctx context.Context, c access.Caller, seconds float64, r contact.Request) (contact.Response, error) {
	waiting, done := s.untilStop(ctx)
	defer done()
	waiting, cancel := context.WithTimeout(waiting, time.Duration(seconds*float64(time.Second)))
	defer cancel()
	return s.cfg.Contacts.AskWithin(ctx, waiting, c, r)
}
