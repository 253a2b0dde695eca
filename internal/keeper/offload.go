package keeper

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/keeper/topic"
	"parley/internal/store"
)

const (
	// minMessages is the shortest conversation of which something can be put away.
	minMessages = 4
	// These limit what a caller may pass.
	topicRunes  = 200
	maxMessages = 10000
	keyBytes    = 1000
)

// Offloading is what to put away.
type Offloading struct {
	Topic string
	// Count is how many of the oldest messages; 0 is about three tenths, up to the
	// end of a topic.
	Count int
	// Share lets the whole team read the keeper.
	Share bool
	// Key makes the call idempotent: with the same key the same owner gets the keeper
	// made before.
	Key string
	// Said is the conversation, or the oldest of it, oldest first. Total is how many
	// messages it has in all; 0 if those are all.
	Said  []parley.KeptMessage
	Total int
}

// Offload stores the oldest part of a conversation in a keeper and leaves the
// conversation as it is. If the conversation is too short it makes no keeper.
func (s *Service) Offload(ctx context.Context, c access.Caller, o Offloading) (k parley.Keeper, made bool, err error) {
	verb := "offload"
	if o.Share {
		verb = "share"
	}
	if err := s.permit(ctx, c, verb); err != nil {
		return k, false, err
	}
	if err := o.check(); err != nil {
		return k, false, err
	}
	chosen := o.choose()
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		k, err = tx.KeeperByKey(c.Agent, o.Key)
		if made = err == nil; made || !errors.Is(err, store.ErrNotFound) {
			return err
		}
		k = parley.Keeper{Team: c.Team, Owner: c.Agent, Topic: strings.TrimSpace(o.Topic), Shared: o.Share, Key: o.Key}
		if err := place(tx, c, &k); err != nil || len(chosen) == 0 {
			return err
		}
		made = true
		tx.InsertKeeper(&k, chosen)
		tx.Record(parley.Event{Team: k.Team, Kind: parley.EventKept, Actor: k.Owner, Task: k.Task, Detail: fmt.Sprintf("%s: %d messages", k.ID, k.Count)})
		if o.Share {
			recordShared(tx, c, k)
		}
		return nil
	})
	return k, made && err == nil, err
}

func (o Offloading) check() error {
	switch {
	case strings.TrimSpace(o.Topic) == "":
		return parley.Errorf(parley.Invalid, "The topic is empty.").WithHint("Say in a few words what the messages are about.")
	case utf8.RuneCountInString(o.Topic) > topicRunes || strings.ContainsAny(o.Topic, "\n\r"):
		return parley.Errorf(parley.Invalid, "The topic is not one line of at most %d characters.", topicRunes)
	case o.Count < 0:
		return parley.Errorf(parley.Invalid, "message_count is not a number of messages.").WithHint("Leave it out to put away what is oldest.")
	case len(o.Said) > maxMessages:
		return parley.Errorf(parley.Limited, "%d messages are too many at once; the limit is %d.", len(o.Said), maxMessages)
	case len(o.Key) > keyBytes:
		return parley.Errorf(parley.Invalid, "The key is not a text of at most %d bytes.", keyBytes)
	}
	for _, text := range append([]string{o.Topic, o.Key}, texts(o.Said)...) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return parley.Errorf(parley.Invalid, "A text is not valid UTF-8, or contains a NUL character.")
		}
	}
	return nil
}

func texts(list []parley.KeptMessage) (out []string) {
	for _, m := range list {
		out = append(out, m.Text)
	}
	return out
}

// choose returns what to put away; nothing if the conversation is too short.
func (o Offloading) choose() []parley.KeptMessage {
	if len(o.Said) < minMessages {
		return nil
	}
	n := min(o.Count, len(o.Said))
	if n == 0 {
		n = topic.Border(o.Said, max(o.Total, len(o.Said)))
	}
	return o.Said[:n]
}

// place sets where a keeper comes from: the thread of the caller's task. A caller
// from outside may name only a task of its own.
func place(tx *store.Tx, c access.Caller, k *parley.Keeper) error {
	if c.Task == 0 {
		return nil
	}
	t, err := tx.Task(c.Task)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil || t.Team != c.Team || t.Agent != c.Agent {
		return parley.Errorf(parley.Denied, "%s is not a task of yours.", c.Task).WithRule("own_task")
	}
	thread, err := tx.Thread(t.Thread)
	k.Task, k.Thread, k.Channel = t.ID, thread.ID, thread.Channel
	return err
}

// Passed turns messages from a caller outside into kept ones. Nobody knows whether
// they were said in a channel, so they are private to their owner.
func Passed(c access.Caller, roles, contents []string) ([]parley.KeptMessage, error) {
	list := make([]parley.KeptMessage, len(roles))
	for i, role := range roles {
		switch role {
		case parley.RoleUser, parley.RoleAssistant, parley.RoleTool:
		default:
			return nil, parley.Errorf(parley.Invalid, "There is no role %q.", parley.Clip(role, 40)).WithHint("Use 'user', 'assistant' or 'tool'.")
		}
		list[i] = parley.KeptMessage{Role: role, Text: contents[i], Private: true}
		if role == parley.RoleAssistant {
			list[i].Author = c.Agent
		}
	}
	return list, nil
}
