package channel

import (
	"slices"

	"parley"
	"parley/internal/store"
)

// join adds the members of a new channel.
func join(tx *store.Tx, ch parley.Channel, ids []parley.AgentID, by parley.AgentID, home string) {
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		tx.InsertMember(parley.Member{Channel: ch.ID, Agent: id, Home: home})
		record(tx, ch, by, id, "joined")
	}
}

// joinMissing adds those who are not members yet. What was said before does not
// count as unread for them.
func joinMissing(tx *store.Tx, ch parley.Channel, ids []parley.AgentID, by parley.AgentID, home string) error {
	thread, err := tx.Thread(ch.Main)
	if err != nil {
		return err
	}
	var missing []parley.AgentID
	for _, id := range ids {
		member, err := tx.IsMember(ch.ID, id)
		if err != nil {
			return err
		}
		if !member && !slices.Contains(missing, id) {
			missing = append(missing, id)
		}
	}
	for _, id := range missing {
		tx.InsertMember(parley.Member{Channel: ch.ID, Agent: id, Read: thread.Count, Home: home})
		record(tx, ch, by, id, "joined")
	}
	return nil
}

func leave(tx *store.Tx, ch parley.Channel, id, by parley.AgentID) {
	tx.DeleteMember(ch.ID, id)
	record(tx, ch, by, id, "left")
}

// remove deletes a channel and its memberships.
func remove(tx *store.Tx, ch parley.Channel, by parley.AgentID) {
	tx.DeleteMembers(ch.ID)
	ch.Removed = true
	tx.UpdateGroup(ch)
	record(tx, ch, by, 0, "deleted")
}

func record(tx *store.Tx, ch parley.Channel, by, whom parley.AgentID, what string) {
	tx.Record(parley.Event{Team: ch.Team, Kind: parley.EventChannel, Actor: by, Target: whom, Detail: ch.Place() + ": " + what})
}
