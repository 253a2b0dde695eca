package bridge

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// sender posts what is to be posted: in each conversation one after the other.
type sender struct {
	*Bridge
	// next is when the next post may be made: in a conversation, and anywhere under the
	// empty name.
	next map[string]time.Time
	// told is when people were last told of what was given up in a conversation.
	told map[string]time.Time
}

func (b *Bridge) send(ctx context.Context) {
	s := sender{Bridge: b, next: map[string]time.Time{}, told: map[string]time.Time{}}
	for ctx.Err() == nil {
		wait, err := s.step(ctx)
		switch {
		case errors.Is(err, errLost):
			return
		case err != nil && ctx.Err() == nil:
			b.Log.Warn("what is to be posted could not be read or stored; it is tried again", "error", err)
			pause(ctx, failurePause, nil)
		case wait != 0:
			pause(ctx, wait, b.waiting)
		}
	}
}

// step makes one post, or changes one. It returns how long to wait if there is nothing to
// do; a negative time is until somebody says so.
func (s *sender) step(ctx context.Context) (time.Duration, error) {
	var posts, stale []parley.ChatPost
	var now parley.Micros
	err := s.Store.View(ctx, func(tx *store.Tx) (err error) {
		now = tx.Now
		if posts, err = tx.NextChatPosts(s.Team.ID, s.name); err != nil {
			return err
		}
		stale, err = tx.StaleChatPosts(s.Team.ID, s.name, 20)
		return err
	})
	if err != nil {
		return 0, err
	}
	wait := time.Duration(-1)
	soonest := func(d time.Duration) {
		if wait < 0 || d < wait {
			wait = max(d, time.Millisecond)
		}
	}
	for _, p := range stale {
		if d := s.until(p.Conversation, p.Due.Until(now)); d > 0 {
			soonest(d)
			continue
		}
		return 0, s.edit(ctx, p)
	}
	for _, p := range posts {
		if d := s.until(p.Conversation, p.Due.Until(now)); d > 0 {
			soonest(d)
			continue
		}
		return 0, s.post(ctx, p)
	}
	return wait, nil
}

// until is how long a conversation has to wait.
func (s *sender) until(conversation string, due time.Duration) time.Duration {
	return max(due, time.Until(s.next[""]), time.Until(s.next[conversation]))
}

// called notes that the program was called for a conversation.
func (s *sender) called(conversation string) {
	if s.Timing.Unpaced {
		return
	}
	now, limits := time.Now(), s.Program.Limits()
	s.next[""], s.next[conversation] = now.Add(limits.Every), now.Add(limits.PerConversation)
	if len(s.next) > 1000 {
		s.next = map[string]time.Time{"": s.next[""], conversation: s.next[conversation]}
	}
}

// post posts the next part of a post.
func (s *sender) post(ctx context.Context, p parley.ChatPost) error {
	parts, err := s.parts(ctx, p)
	if gone := errors.Is(err, errGone) || err == nil && p.Part >= len(parts); gone && p.State == parley.ChatTried {
		return s.takeBack(ctx, p, err)
	} else if gone {
		return s.end(ctx, p, err)
	}
	if err != nil {
		return err
	}
	part := parts[p.Part]
	part.Tried, part.Known = p.Tried.Time(), s.known(p)
	if p.State == parley.ChatTried {
		if settled, err := s.settle(ctx, p, &part, len(parts)); err != nil || settled {
			return err
		}
	}
	if mine, err := s.claim(ctx, p, part.Again); err != nil || !mine {
		return err
	}
	id, failed := s.call(ctx, func(ctx context.Context) (string, error) { return s.Program.Post(ctx, part) })
	s.called(p.Conversation)
	if failed == nil {
		s.say(ctx, nil)
		return s.posted(ctx, p, id, len(parts))
	}
	return s.failed(ctx, p, failed)
}

// settle finds out what became of a part whose outcome is not known. It reports whether
// there is nothing more to do for now.
func (s *sender) settle(ctx context.Context, p parley.ChatPost, part *Post, parts int) (bool, error) {
	outcome := Unknown
	_, err := s.call(ctx, func(ctx context.Context) (_ string, err error) {
		outcome, err = s.Program.Settle(ctx, *part)
		return "", err
	})
	if there := (*Found)(nil); errors.As(err, &there) {
		return true, s.posted(ctx, p, there.ID, parts)
	}
	if err != nil && !refused(err) {
		return true, s.failed(ctx, p, err)
	}
	part.Again = outcome == Unknown
	return false, nil
}

// refused reports whether the program says that it is of no use to try again.
func refused(err error) bool {
	f := (*Failure)(nil)
	return errors.As(err, &f) && f.Refused
}

// takeBack deals with a part that was tried, and of which nothing is left to show: it may be
// there, with words that were redacted since. Where it can be found it is noted, and then
// taken away like everything that shows too much.
func (s *sender) takeBack(ctx context.Context, p parley.ChatPost, gone error) error {
	part := Post{Key: keyOf(p, p.Part), To: Place{p.Conversation, p.Thread}, Part: p.Part + 1, Parts: p.Part + 1, Tried: p.Tried.Time()}
	if p.Part == 0 {
		part.ReplyTo = p.ReplyTo
	}
	var outcome Settled
	id, err := s.call(ctx, func(ctx context.Context) (id string, err error) {
		if outcome, err = s.Program.Settle(ctx, part); err == nil && outcome == Harmless {
			part.Text = s.Program.Limits().Form.Escape(takenBack) // it makes no second one, and says which the first is
			return s.Program.Post(ctx, part)
		}
		return "", err
	})
	s.called(p.Conversation)
	if there := (*Found)(nil); errors.As(err, &there) {
		id, err = there.ID, nil
	}
	switch {
	case err != nil && !refused(err):
		return s.failed(ctx, p, err)
	case id == "" && (err != nil || outcome == Unknown):
		s.Log.Warn("a post that was redacted may still be in the chat: the program cannot find it", "post", int64(p.ID), "kind", string(p.Kind))
		return s.end(ctx, p, gone)
	case id == "":
		return s.end(ctx, p, gone)
	}
	return s.insist(ctx, func(tx *store.Tx, _ *store.Bridge) error {
		now, err := tx.LockChatPost(p.ID)
		if err != nil {
			return ignoreGone(err)
		}
		tx.PutPosted(now, now.Part, id)
		now.Part++
		now.Stale++
		finish(&now, tx.Now, parley.ChatPosted, "")
		tx.UpdateChatPost(now)
		return nil
	})
}

// takenBack is what a part says for a moment before it is taken away.
const takenBack = "This was taken back."

// call calls the program. A hub that stops lets it come to its end, if that is soon. One
// whose lease has run out makes no call: another one may have the connection.
func (s *sender) call(ctx context.Context, do func(context.Context) (string, error)) (string, error) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Timing.Limit)
	defer cancel()
	defer s.held.whenLost(cancel)()
	if s.held.left() <= 0 {
		return "", &Failure{Reason: errLost.Error(), After: time.Millisecond} // it was not called
	}
	defer context.AfterFunc(ctx, func() {
		pause(limited, stopGrace, nil)
		cancel()
	})()
	return do(limited)
}

// stopGrace is how long a call may go on after the stop.
const stopGrace = 2 * time.Second

// claim marks a post as tried, if it is still as it was read and may still be posted.
func (s *sender) claim(ctx context.Context, p parley.ChatPost, again bool) (mine bool, err error) {
	reason := ""
	err = s.change(ctx, func(tx *store.Tx, row *store.Bridge) error {
		mine, reason = false, ""
		now, err := tx.LockChatPost(p.ID)
		if err != nil || now != p {
			return ignoreGone(err)
		}
		if reason, err = s.unfit(tx, p); err != nil {
			return err
		}
		if reason != "" {
			finish(&now, tx.Now, parley.ChatGivenUp, reason)
			s.giveUp(tx, row, now, notPosted, reason)
			tx.UpdateChatPost(now)
			return nil
		}
		mine = true
		if p.State == parley.ChatPending && p.Part == 0 {
			now.Stale = 0 // nothing is there yet that could show what was before
		}
		now.State = parley.ChatTried
		if now.Tried == 0 {
			now.Tried = tx.Now
		}
		tx.UpdateChatPost(now)
		if again {
			row.Repeats++
		}
		return nil
	})
	if err == nil && reason != "" {
		s.gaveUp(p, notPosted, reason)
	}
	return mine, err
}

// linked reports whether the conversation of a post still belongs to the person it is for.
func (s *sender) linked(tx *store.Tx, p parley.ChatPost) (bool, error) {
	list, err := s.accounts(tx)
	return slices.ContainsFunc(list, func(c parley.ChatAccount) bool { return c.Agent == p.Agent && c.Conversation == p.Conversation }), err
}

// put stores how far a post has come. It insists for as long as the lease lasts, even if
// the hub stops: what was posted and not noted is posted again.
func (s *sender) put(ctx context.Context, p parley.ChatPost, fn func(p *parley.ChatPost, at parley.Micros)) error {
	return s.insist(ctx, func(tx *store.Tx, _ *store.Bridge) error {
		now, err := tx.LockChatPost(p.ID)
		if err != nil {
			return ignoreGone(err)
		}
		fn(&now, tx.Now)
		tx.UpdateChatPost(now)
		return nil
	})
}

func (s *sender) insist(ctx context.Context, do func(*store.Tx, *store.Bridge) error) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Timing.Lease)
	defer cancel()
	for {
		err = s.change(ctx, do)
		if err == nil || errors.Is(err, errLost) || ctx.Err() != nil {
			return err
		}
		pause(ctx, time.Second, nil)
	}
}

// posted notes that a part is there.
func (s *sender) posted(ctx context.Context, p parley.ChatPost, id string, parts int) error {
	whole := p.Part+1 >= parts
	err := s.insist(ctx, func(tx *store.Tx, _ *store.Bridge) error {
		now, err := tx.LockChatPost(p.ID)
		if err != nil {
			return ignoreGone(err)
		}
		tx.PutPosted(now, now.Part, id)
		now.Part++
		if now.State >= parley.ChatPosted { // the account was unlinked meanwhile
			now.Stale++
			tx.UpdateChatPost(now)
			return nil
		}
		now.State, now.Tries, now.Due, now.Tried = parley.ChatPending, 0, 0, 0
		if whole {
			finish(&now, tx.Now, parley.ChatPosted, "")
		}
		tx.UpdateChatPost(now)
		return nil
	})
	if err == nil && whole && p.Agent != 0 && p.Message != 0 {
		return s.Reading.MarkSeen(context.WithoutCancel(ctx), s.as(p.Agent), []parley.MessageID{p.Message})
	}
	return err
}

// finish ends a post. What it was to say itself is forgotten, unless it is needed to
// understand an answer.
func finish(p *parley.ChatPost, at parley.Micros, state parley.ChatPostState, reason string) {
	p.State, p.Ended, p.Reason, p.Tries, p.Tried, p.Due = state, at, reason, 0, 0, 0
	if p.Kind == parley.ChatNote {
		p.Text = ""
	}
}

// end ends a post of which nothing is left to post.
func (s *sender) end(ctx context.Context, p parley.ChatPost, gone error) error {
	return s.put(ctx, p, func(now *parley.ChatPost, at parley.Micros) {
		if gone != nil && now.Part == 0 {
			finish(now, at, parley.ChatGivenUp, gone.Error())
			return
		}
		finish(now, at, parley.ChatPosted, "")
	})
}

// failed notes that a part is not there, or that it is not known whether it is.
func (s *sender) failed(ctx context.Context, p parley.ChatPost, failed error) error {
	f := (*Failure)(nil)
	known := errors.As(failed, &f)
	s.patient(p.Conversation, failed)
	givenUp := ""
	err := s.insist(ctx, func(tx *store.Tx, row *store.Bridge) error {
		now, err := tx.LockChatPost(p.ID)
		if err != nil || now.State >= parley.ChatPosted { // it was given up meanwhile
			return ignoreGone(err)
		}
		s.putOff(&now, tx.Now, failed)
		if known && p.State == parley.ChatPending { // an earlier try may have come through
			now.State, now.Tried = parley.ChatPending, 0
		}
		if givenUp = s.why(now, tx.Now, f); givenUp != "" {
			finish(&now, tx.Now, parley.ChatGivenUp, givenUp)
			s.giveUp(tx, row, now, notPosted, givenUp)
		}
		tx.UpdateChatPost(now)
		return nil
	})
	switch {
	case givenUp != "":
		s.gaveUp(p, notPosted, givenUp)
	case !known || f.After == 0:
		s.say(ctx, failed)
	}
	return err
}

// putOff has a post tried again.
func (s *sender) putOff(p *parley.ChatPost, at parley.Micros, failed error) {
	wait := s.Timing.Pauses[min(p.Tries, len(s.Timing.Pauses)-1)]
	if f := (*Failure)(nil); errors.As(failed, &f) && f.After > 0 {
		wait = f.After
	}
	p.Due = at.Add(wait)
	p.Tries++
}

// edit shows a post anew.
func (s *sender) edit(ctx context.Context, p parley.ChatPost) error {
	var ids []string
	known := true
	err := s.Store.View(ctx, func(tx *store.Tx) (err error) {
		if p.Agent != 0 {
			if known, err = s.linked(tx, p); err != nil {
				return err
			}
		}
		ids, err = tx.PostedParts(p.ID)
		return err
	})
	if err != nil {
		return err
	}
	var parts []Post
	if known { // who is not linked any more reads nothing new: what would change is taken away
		if parts, err = s.parts(ctx, p); err != nil && !errors.Is(err, errGone) {
			return err
		}
	}
	var hopeless error
	for i, id := range ids {
		part := Post{To: Place{p.Conversation, p.Thread}}
		if i < len(parts) {
			part = parts[i]
		}
		_, failed := s.call(ctx, func(ctx context.Context) (string, error) { return "", s.Program.Edit(ctx, id, part) })
		s.called(p.Conversation)
		if failed != nil && !refused(failed) {
			return s.unchanged(ctx, p, failed)
		}
		if failed != nil {
			hopeless = failed // the other parts are shown anew all the same
		}
	}
	if hopeless != nil {
		return s.unchanged(ctx, p, hopeless)
	}
	return s.put(ctx, p, func(now *parley.ChatPost, _ parley.Micros) { settleEdit(now, p) })
}
