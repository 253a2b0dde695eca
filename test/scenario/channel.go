package scenario

import (
	"errors"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// Post writes in a group channel, or in the dm of two agents if their names are
// given.
func (p Participant) Post(where, message string, between ...string) contact.Posted {
	p.s.Helper()
	made, err := p.post(where, message, between...)
	p.must(err)
	return made
}

// PostRefused writes something that must be refused, and returns what the author
// reads.
func (p Participant) PostRefused(where, message string, between ...string) string {
	p.s.Helper()
	if _, err := p.post(where, message, between...); err != nil {
		return parley.ToolError(err)
	}
	p.s.Fatalf("%q was posted in %s", message, where)
	return ""
}

func (p Participant) post(where, message string, between ...string) (contact.Posted, error) {
	r := contact.Post{Channel: where, Message: message}
	copy(r.Between[:], between)
	return p.s.Contacts.Post(p.s.Context(), p.Caller, r)
}

// AddChannel makes a channel.
func (p Participant) AddChannel(name string, members ...string) {
	p.s.Helper()
	_, err := p.s.Channels.Add(p.s.Context(), p.Caller, name, "", members)
	p.must(err)
}

// ReadTo moves the participant's place in a channel.
func (p Participant) ReadTo(channel string, n int) {
	p.s.Helper()
	p.must(p.s.Reading.ReadGroup(p.s.Context(), p.Caller, channel, n))
}

// Unread is how much of a channel a participant has not read; -1 if it cannot
// read it.
func (p Participant) Unread(channel string) int {
	p.s.Helper()
	g, err := p.s.Reading.Group(p.s.Context(), p.Caller, channel)
	if parley.KindOf(err) == parley.NotFound && err != nil {
		return -1
	}
	p.must(err)
	return g.Unread
}

// Channel is what was written in a group, oldest first.
func (s *Stage) Channel(name string) (list []Said) {
	s.Helper()
	s.view(func(tx *store.Tx) error {
		ch, err := tx.Group(s.id, name)
		if err != nil {
			return err
		}
		list, err = s.thread(tx, ch.Main)
		return err
	})
	return list
}

// Mentions are the tasks that mentions opened, oldest first.
func (s *Stage) Mentions() (list []parley.Task) {
	s.Helper()
	for _, t := range s.tasks() {
		if t.Pattern == parley.Mention {
			list = append(list, t)
		}
	}
	return list
}

// checkMentions makes sure that nobody was mentioned twice by one message, and
// that every mention is of a message that is for the mentioned one.
func (s *Stage) checkMentions(all []parley.Task) {
	s.Helper()
	type mention struct {
		message parley.MessageID
		agent   parley.AgentID
	}
	seen := map[mention]bool{}
	for _, t := range all {
		if t.Pattern != parley.Mention {
			continue
		}
		if at := (mention{t.Request, t.Agent}); seen[at] {
			s.Errorf("%s is the second task of %s by %s", t.ID, s.name(t.Agent), t.Request)
		} else {
			seen[at] = true
		}
		if t.Parent != 0 || t.Root != t.ID || t.Callback != parley.CallbackNone {
			s.Errorf("%s is a mention and not a root without callback: %+v", t.ID, t)
		}
		if s.Delivery(t.Request, s.name(t.Agent)) == "" {
			s.Errorf("%s was opened by %s, which is not for %s", t.ID, t.Request, s.name(t.Agent))
		}
	}
	s.view(func(tx *store.Tx) error {
		groups, err := tx.Groups(s.id)
		for _, g := range groups {
			thread, err := tx.Thread(g.Main)
			members, failed := tx.Members(g.ID)
			for _, m := range members {
				if m.Read > thread.Count {
					s.Errorf("%s has read %d of %d in #%s", s.name(m.Agent), m.Read, thread.Count, g.Name)
				}
			}
			if err := errors.Join(err, failed); err != nil {
				return err
			}
		}
		return err
	})
}

// rateOf is how many contacts are missing from an agent's bucket, not counting what
// has flowed back since it last drew on it.
func (s *Stage) rateOf(name string) (n int) {
	s.Helper()
	s.view(func(tx *store.Tx) error {
		a, err := tx.Agent(s.agent(name))
		n = int((a.Rate.Debt + time.Millisecond) / s.Directory.Limits(a.ID).Interval())
		return err
	})
	return n
}
