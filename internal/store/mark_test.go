package store_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
	"parley/internal/store/memtest"
)

// Of several marks in one transaction, in whatever order, the furthest one counts.
func TestTheFurthestMarkOfATransactionStands(t *testing.T) {
	st := memtest.Open(t)
	ann, bob := &parley.Agent{Name: "Ann", Kind: parley.Native}, &parley.Agent{Name: "Bob", Kind: parley.Native}
	team := st.Team("main", ann, bob)
	delivered, seen, answered := (*store.Tx).MarkDelivered, (*store.Tx).MarkSeen, (*store.Tx).MarkAnswered
	for _, c := range []struct {
		want  string
		marks []func(*store.Tx, parley.MessageID, parley.AgentID)
	}{
		{"delivered", []func(*store.Tx, parley.MessageID, parley.AgentID){delivered}},
		{"seen", []func(*store.Tx, parley.MessageID, parley.AgentID){delivered, seen}},
		{"seen", []func(*store.Tx, parley.MessageID, parley.AgentID){seen, delivered}},
		{"answered", []func(*store.Tx, parley.MessageID, parley.AgentID){delivered, seen, answered}},
		{"answered", []func(*store.Tx, parley.MessageID, parley.AgentID){answered, delivered, seen}},
		{"answered", []func(*store.Tx, parley.MessageID, parley.AgentID){seen, answered}},
	} {
		st.Do(func(tx *store.Tx) error {
			dm, err := tx.EnsureDM(team, ann.ID, bob.ID)
			if err != nil {
				return err
			}
			m := parley.Message{Team: team, Thread: dm.Main, Author: ann.ID, Kind: parley.NotificationMessage, Body: "Hello."}
			if err := tx.Post(&m, store.Recipient{ID: bob.ID}); err != nil {
				return err
			}
			for _, mark := range c.marks {
				mark(tx, m.ID, bob.ID)
			}
			return nil
		})
		st.See(func(tx *store.Tx) error {
			dm, err := tx.DM(ann.ID, bob.ID)
			if err != nil {
				return err
			}
			thread, err := tx.Thread(dm.Main)
			if err != nil {
				return err
			}
			list, err := tx.Deliveries(thread.Last)
			if len(list) != 1 || list[0].State() != c.want {
				t.Errorf("%d marks: %+v, want %s", len(c.marks), list, c.want)
			}
			return err
		})
	}
}

// Removing from a keeper removes the texts, even that of the newest message of all,
// whose row stays for its number.
func TestWhatIsRemovedFromAKeeperIsGoneWithItsWords(t *testing.T) {
	st := memtest.Open(t)
	ann := &parley.Agent{Name: "Ann", Kind: parley.Native}
	team := st.Team("main", ann)
	k := parley.Keeper{Team: team, Owner: ann.ID, Topic: "A topic"}
	st.Do(func(tx *store.Tx) error {
		tx.InsertKeeper(&k, []parley.KeptMessage{{Role: "user", Text: "first words"}, {Role: "user", Text: "last words"}})
		return nil
	})
	st.Do(func(tx *store.Tx) error { return tx.TrimKeeper(k.ID, tx.Now+1) })
	for table, rows := range st.Rows() {
		if strings.Contains(strings.Join(rows, ""), "words") {
			t.Errorf("%s: %v", table, rows)
		}
	}
}
