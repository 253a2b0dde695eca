package contact

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
)

// AskPerson asks a person, who answers in their own time. It is a delegation whose
// result is that of the same tool call: until there is one it returns
// parley.Awaits, and the caller's turn waits without a worker. The call is then
// made again, and finds its task and the answer.
//
// If nobody is named, it asks the person at the root of the caller's task, else
// the team's own.
func (s *Service) AskPerson(ctx context.Context, c access.Caller, r Request) (Response, error) {
	if c.Token == 0 {
		return Response{}, parley.Errorf(parley.Invalid, "Only the turn of an agent that the hub runs can wait for a person.").
			WithHint("Use 'delegate' to ask one.")
	}
	person, err := s.person(ctx, c, r.Target)
	if err != nil {
		return Response{}, err
	}
	r.Target = person.Name
	return s.await(ctx, c, r)
}

// await makes a delegation whose result is that of the tool call. The first call
// makes it, and every further one looks whether it has ended.
func (s *Service) await(ctx context.Context, c access.Caller, r Request) (Response, error) {
	r.awaited = true
	made, err := s.open(ctx, c, r, parley.Delegate, nil)
	a := Response{Contact: made}
	switch {
	case err != nil:
		return a, err
	case made.Task.State.Open():
		return a, &parley.Awaits{Task: made.Task.ID}
	}
	return s.answer(ctx, a)
}

func (s *Service) person(ctx context.Context, c access.Caller, name string) (directory.Entry, error) {
	if name == "" {
		return s.nearestPerson(ctx, c)
	}
	e, err := s.dir.Find(c.Team, name)
	if err == nil && e.Kind != parley.Person {
		return e, parley.Errorf(parley.Invalid, "%s is not a person.", e.Name).WithHint("Use contact_agent to ask an agent.")
	}
	return e, err
}

func (s *Service) nearestPerson(ctx context.Context, c access.Caller) (directory.Entry, error) {
	var root parley.Task
	err := s.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(c.Task)
		if err != nil {
			return err
		}
		root, err = tx.Task(t.Root)
		return err
	})
	if err != nil {
		return directory.Entry{}, err
	}
	if e, ok := s.dir.Entry(root.Requester); ok && e.Kind == parley.Person && !e.Retired {
		return e, nil
	}
	if e, ok := s.dir.Person(c.Team); ok {
		return e, nil
	}
	return directory.Entry{}, parley.Errorf(parley.Unavailable, "There is no person in your team who could be asked.")
}
