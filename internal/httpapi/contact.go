package httpapi

import (
	"context"
	"net/http"
	"time"

	"parley"
	"parley/internal/api"
	"parley/internal/contact"
)

func (s *Server) registerContacts() {
	handle(s, operation{id: "contact-agent", method: http.MethodPost, path: "/v1/contacts", tag: "Contacts",
		summary: "Ask, delegate or notify",
		description: "Contacts another participant. The answer comes as soon as the contact is stored; nothing that was answered is lost. " +
			"An ask is waited for at its task, with wait-task, until wait_until; past that its work goes on. " +
			"With a key the request can be repeated safely.",
		errors: []parley.Kind{parley.NotFound, parley.Conflict, parley.Unavailable, parley.Limited}}, s.postContact)
}

func (s *Server) postContact(ctx context.Context, in *struct{ Body api.ContactRequest }) (api.Contact, error) {
	c := caller(ctx)
	r, err := decodeContact(in.Body)
	if err != nil {
		return api.Contact{}, err
	}
	if in.Body.TaskID != "" {
		// The use case checks that the task is the caller's.
		if c.Task, err = parley.ParseTaskID(in.Body.TaskID); err != nil {
			return api.Contact{}, err
		}
	}
	made, err := s.open(ctx, c, in.Body.Action, r)
	if err != nil {
		return api.Contact{}, err
	}
	out := api.Contact{Agent: made.Target, Message: made.Message.String()}
	if made.Task.ID != 0 {
		t := s.task(ctx, made.Task, "")
		out.Task = &t
	}
	return out, nil
}

func decodeContact(in api.ContactRequest) (contact.Request, error) {
	prio, err := parley.ParsePriority(in.Priority)
	return contact.Request{
		Target: in.Agent, Message: in.Message, Context: in.Context, Priority: prio, Key: in.Key, Budget: decodeBudget(in.Budget),
		Timeout: time.Duration(in.Timeout * float64(time.Second)),
	}, err
}

func (s *Server) open(ctx context.Context, c contact.Caller, action string, r contact.Request) (contact.Contact, error) {
	pattern, err := parley.ParsePattern(action)
	if err != nil {
		return contact.Contact{}, err
	}
	switch pattern {
	case parley.Ask:
		return s.cfg.Contacts.OpenAsk(ctx, c, r)
	case parley.Delegate:
		return s.cfg.Contacts.Delegate(ctx, c, r)
	default:
		return s.cfg.Contacts.Notify(ctx, c, r)
	}
}
