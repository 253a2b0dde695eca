package turn

import (
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/store"
)

// shownMembers bounds how many members of a channel are named.
const shownMembers = 50

// enter learns who is in the channel, and of a group how far the agent has read
// it.
func (t *run) enter(tx *store.Tx) error {
	if t.channel.Kind != parley.Group {
		return t.meet(tx, t.asked.Author, t.channel.Peer(t.lease.Agent))
	}
	if err := t.meet(tx, t.asked.Author); err != nil {
		return err
	}
	own, err := tx.Member(t.channel.ID, t.lease.Agent)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // it may have been removed since it was mentioned
		return err
	}
	t.read = own.Read
	if t.members, err = tx.Members(t.channel.ID); err != nil {
		return err
	}
	for _, m := range t.members[:min(shownMembers, len(t.members))] {
		if err := t.meet(tx, m.Agent); err != nil {
			return err
		}
	}
	return nil
}

// readChannel finds what is shown of a group for the first time: the history and
// the request. What was posted later stays unread.
func (t *run) readChannel() {
	t.readTo = t.asked.N
	if t.task.Turns == 0 {
		t.fresh = t.newHistory()
	}
}

// groupPlace names the channel, its topic and its members, and says how much of
// it the agent has not seen.
func (t *run) groupPlace(b *strings.Builder) {
	fmt.Fprintf(b, "\nThis is the channel %s. Everyone in it reads what you say here.\n", t.channel.Place())
	if t.channel.Topic != "" {
		fmt.Fprintf(b, "Its topic: %q.\n", t.channel.Topic) // somebody else's words
	}
	var names []string
	for _, m := range t.members[:min(shownMembers, len(t.members))] {
		if m.Agent == t.lease.Agent {
			names = append(names, "you")
		} else {
			names = append(names, t.name(m.Agent))
		}
	}
	if more := len(t.members) - shownMembers; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	fmt.Fprintf(b, "Its members: %s.\n", strings.Join(names, ", "))
	if unseen := t.shownFrom() - 1 - t.read; unseen > 0 {
		fmt.Fprintf(b, "You have not seen %d earlier messages of it; read_channel shows them.\n", unseen)
	}
}

// isPost reports whether a message is shown as one of a channel: a post, and in a
// group also what a turn said.
func (t *run) isPost(m parley.Message) bool {
	switch m.Kind {
	case parley.PostMessage:
		return true
	case parley.ReplyMessage:
		return t.channel.Kind == parley.Group || m.ID == t.asked.ID
	}
	return false
}
