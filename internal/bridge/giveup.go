package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/store"
)

// leastTries is how often something is tried before its age counts. After an outage of a day
// everything that waited is old.
const leastTries = 5

// why says why a post is not tried again; empty if it is.
func (s *sender) why(p parley.ChatPost, at parley.Micros, f *Failure) string {
	switch {
	case f != nil && f.Refused:
		return parley.Clip(f.Reason, 300)
	case p.Tries >= leastTries && at.Since(p.At) > s.Timing.MaxAge:
		return "it could not be posted for too long"
	}
	return ""
}

// unfit says why a post may not be made any more, before it is tried; empty if it may.
func (s *sender) unfit(tx *store.Tx, p parley.ChatPost) (string, error) {
	if p.Agent != 0 {
		if linked, err := s.linked(tx, p); err != nil || !linked {
			return "the account is not linked any more", err
		}
	} else if p.Kind == parley.ChatMessage {
		if connected, err := s.connected(tx, p); err != nil || !connected {
			return "the chat is not connected to the channel any more", err
		}
	}
	// What a group has talked about days ago would flood the chat. What is for a person is
	// posted however late.
	untried := p.State == parley.ChatPending && p.Part == 0 && p.Tries == 0
	if untried && p.Agent == 0 && tx.Now.Since(p.At) > s.Timing.MaxAge {
		return "it has waited for too long", nil
	}
	return "", nil
}

// connected reports whether the place of a channel's post is still mapped to that channel.
func (s *sender) connected(tx *store.Tx, p parley.ChatPost) (bool, error) {
	name, ok := s.mappedTo(Place{p.Conversation, p.Thread})
	if !ok {
		return false, nil
	}
	m, err := tx.Message(p.Message)
	if err != nil {
		return true, ignoreGone(err) // there is nothing to show
	}
	thread, err := tx.Thread(m.Thread)
	if err != nil {
		return false, err
	}
	ch, err := tx.Channel(thread.Channel)
	return err == nil && ch.Kind == parley.Group && parley.FoldName(ch.Name) == name, err
}

// giveUp counts what is not shown, and puts it on the record: once a day for each
// conversation, since one that has thrown the bot out loses every post.
func (s *sender) giveUp(tx *store.Tx, row *store.Bridge, p parley.ChatPost, what, reason string) {
	row.GivenUp++
	if time.Since(s.told[p.Conversation]) < day {
		return
	}
	tx.Record(parley.Event{Team: s.Team.ID, Kind: parley.EventChatGivenUp, Target: p.Agent, Message: p.Message,
		Detail: fmt.Sprintf("%s: %s %s: %s", s.name, subject(p), what, parley.Clip(reason, 200))})
}

// gaveUp is called when that is stored.
func (s *sender) gaveUp(p parley.ChatPost, what, reason string) {
	s.told[p.Conversation] = time.Now()
	s.Log.Error("something was given up in a chat", "post", int64(p.ID), "kind", string(p.Kind), "what", what, "reason", reason)
}

const (
	notPosted  = "was not posted"
	notChanged = "was not brought up to date"
)

// subject names what a post shows.
func subject(p parley.ChatPost) string {
	switch {
	case p.Approval != 0:
		return p.Approval.String()
	case p.Message != 0:
		return p.Message.String()
	}
	return "a " + string(p.Kind)
}

// patient keeps a conversation, or all, waiting for as long as the program asks.
func (s *sender) patient(conversation string, failed error) {
	f := (*Failure)(nil)
	if !errors.As(failed, &f) || f.After <= 0 {
		return
	}
	until := time.Now().Add(f.After)
	if f.Everywhere {
		s.next[""] = until
	}
	s.next[conversation] = until
}

// unchanged notes that a post still shows what was before. It is tried again, with longer and
// longer pauses, and others are not kept waiting; after a day it is given up.
func (s *sender) unchanged(ctx context.Context, p parley.ChatPost, failed error) error {
	s.patient(p.Conversation, failed)
	givenUp := ""
	err := s.insist(ctx, func(tx *store.Tx, row *store.Bridge) error {
		givenUp = ""
		now, err := tx.LockChatPost(p.ID)
		if err != nil {
			return ignoreGone(err)
		}
		s.putOff(&now, tx.Now, failed)
		if now.Tried == 0 {
			now.Tried = tx.Now
		}
		if refused(failed) || now.Tries >= leastTries && tx.Now.Since(now.Tried) > s.Timing.MaxAge {
			givenUp = failed.Error()
			settleEdit(&now, p)
			s.giveUp(tx, row, now, notChanged, givenUp)
		}
		tx.UpdateChatPost(now)
		return nil
	})
	switch {
	case err == nil && givenUp != "":
		s.gaveUp(p, notChanged, givenUp)
	case err == nil && p.Tries == 0:
		s.Log.Warn("a post could not be brought up to date; it is tried again", "post", int64(p.ID), "kind", string(p.Kind), "error", failed)
	}
	return err
}

// settleEdit ends the changes of a post that were seen.
func settleEdit(now *parley.ChatPost, seen parley.ChatPost) {
	now.Stale = max(0, now.Stale-seen.Stale)
	now.Tries, now.Due, now.Tried = 0, 0, 0
}
