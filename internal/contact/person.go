package contact

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
)

// AskPerson asks a person, who answers when they come to it: it is a delegation
// whose end the very call takes. Without an answer it returns parley.Awaits, and
// the caller's turn waits without a worker; the same call made again finds the
// task that it made before, and with it the answer.
//
// Nobody named is whoever stands at the root of the caller's task, if that is a
// person, else the team's own.
func (s *Service) AskPerson(ctx context.Context, c access.Caller, r Request) (Answer, error) {
	if c.Token == 0 {
		return Answer{}, parley.Errorf(parley.Invalid, "Only the turn of an agent that the hub runs can wait for a person.").
			WithHint("Use 'delegate' to ask one.")
	}
	person, err := s.person(ctx, c, r.Target)
	if err != nil {
		return Answer{}, err
	}
	r.Target = person.Name
	return s.await(ctx, c, r)
}

// await makes a delegation whose end the calling tool call takes: with the first
// call it is made, and every further one looks whether it has ended.
func (s *Service) await(ctx context.Context, c access.Caller, r Request) (Answer, error) {
	r.awaited = true
	made, err := s.open(ctx, c, r, parley.Delegate, nil)
	a := Answer{Contact: made}
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
