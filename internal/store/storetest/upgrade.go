package storetest

import (
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// Schema1 is what a hub with the first schema had stored, on either engine: a
// conversation between two agents, and how far each had read.
const Schema1 = `
	INSERT INTO team (id, name, folded) VALUES (1, 'main', 'main');
	INSERT INTO agent (id, team_id, name, folded, kind, turns, rate_start, rate_count) VALUES
		(1, 1, 'Ann', 'ann', 'native', 8, 111, 3), (2, 1, 'Bob', 'bob', 'native', 8, 0, 0), (3, 1, 'Eve', 'eve', 'person', 8, 0, 0);
	INSERT INTO channel (id, team_id, kind, a_id, b_id, main_thread) VALUES (1, 1, 'dm', 1, 2, 1), (2, 1, 'dm', 1, 3, 2);
	INSERT INTO thread (id, channel_id, last_message, message_count) VALUES (1, 1, 2, 2), (2, 2, 3, 1), (3, 1, 0, 0);
	INSERT INTO reading (thread_id, agent_id, seen_n) VALUES (1, 1, 2), (1, 2, 1), (3, 2, 7);
	INSERT INTO message (id, team_id, thread_id, n, prev_id, author_id, kind, body, context, task_id, origin_id, key, at, priority) VALUES
		(1, 1, 1, 1, 0, 1, 'notification', 'hello', '', 0, 0, NULL, 5, 0), (2, 1, 1, 2, 1, 2, 'notification', 'and you', '', 0, 0, NULL, 6, 0),
		(3, 1, 2, 1, 0, 3, 'notification', 'news', '', 0, 0, NULL, 4102444800000000, 0);
	INSERT INTO delivery (message_id, recipient_id, pull) VALUES (1, 2, 0), (2, 1, 0), (3, 1, 0);
	INSERT INTO token (hash, agent_id, created_at) VALUES ('second', 3, 6), ('first', 1, 5);`

// Schema3 is what a hub with the third schema had stored in addition: an open task,
// and one that waits for an approval.
const Schema3 = `
	INSERT INTO task (id, team_id, parent_id, root_id, retry_of, pattern, requester_id, agent_id, thread_id, request_id, title, priority, state,
		callback, due_at, deadline_at, wait_until, ask_depth, delegation_depth, created_at, approvals) VALUES
		(101, 1, 0, 101, 0, 'delegate', 1, 2, 1, 1, 'hello', 2, 1, 0, 0, 0, 0, 0, 1, 5, 0),
		(102, 1, 101, 101, 0, 'ask', 2, 3, 1, 2, 'and you', 2, 3, 1, 0, 0, 9, 1, 1, 6, 1);
	INSERT INTO approval (id, team_id, task_id, turn, call, agent_id, tool, args, digest, target_id, rule, reason, state, created_at, expires_at) VALUES
		(1, 1, 102, 1, 'c', 3, 'contact_agent', '{}', 'd', 1, 'r', 'Because.', 1, 7, 8);
	INSERT INTO step (task_id, turn, n, kind, content, at) VALUES (101, 1, 1, 'reply', '{}', 6);`

// UpgradedTasks checks a store that was opened on Schema3, and continues with a
// channel.
func UpgradedTasks(t *testing.T, s store.Store) {
	t.Helper()
	err := s.View(t.Context(), func(tx *store.Tx) error {
		first, err := tx.Task(101)
		second, failed := tx.Task(102)
		if err != nil || failed != nil || first.Cause != 0 || first.Title != "hello" || second.Parent != 101 || second.Approvals != 1 || second.WaitUntil != 9 {
			t.Errorf("tasks: %+v, %+v, %v, %v", first, second, err, failed)
		}
		a, err := tx.Approval(1)
		if a.Task != 102 || a.Reason != "Because." || !a.PeopleOnly {
			t.Errorf("approval: %+v", a)
		}
		dm, failed := tx.DM(1, 2)
		if dm.Kind != parley.DM || dm.Main != 1 || dm.Name != "" || dm.Removed || failed != nil {
			t.Errorf("dm: %+v, %v", dm, failed)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		c := parley.Channel{Team: 1, Name: "room"}
		if made, err := tx.InsertGroup(&c); !made || err != nil {
			t.Errorf("a channel: %v, %v", made, err)
		}
		tx.InsertMember(parley.Member{Channel: c.ID, Agent: 1})
		m := parley.Message{Team: 1, Thread: c.Main, Author: 1, Kind: parley.PostMessage, Body: "hi"}
		return tx.Post(&m)
	})
	if err != nil {
		t.Error(err)
	}
	upgradedBudgets(t, s)
}

// Upgraded checks a store that was opened on Schema1.
func Upgraded(t *testing.T, s store.Store) {
	t.Helper()
	err := s.View(t.Context(), func(tx *store.Tx) error {
		for hash, want := range map[string]parley.Token{"first": {ID: 1, Agent: 1, CreatedAt: 5}, "second": {ID: 2, Agent: 3, CreatedAt: 6}} {
			if got, err := tx.TokenByHash(hash); got != want || err != nil {
				t.Errorf("the token %s is %+v, %v", hash, got, err)
			}
		}
		ann, err := tx.Agent(1)
		if want := (parley.Rate{At: 111, Debt: 3 * time.Microsecond}); ann.Rate != want {
			t.Errorf("Ann's rate is %+v", ann.Rate)
		}
		agents, _ := tx.Agents(1)
		if len(agents) != 3 {
			t.Errorf("agents: %v", agents)
		}
		for id, want := range map[parley.ThreadID][2]int{1: {2, 1}, 2: {0, 0}, 3: {0, 7}} {
			thread, err := tx.Thread(id)
			if thread.First != 1 || thread.Read != want || err != nil {
				t.Errorf("thread %d: %+v, %v", id, thread, err)
			}
		}
		history, _ := tx.Back(1, 2, 0, 10)
		if len(history) != 2 || history[1].Body != "hello" {
			t.Errorf("history: %v", history)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	upgradedMail(t, s)
	err = s.Update(t.Context(), func(tx *store.Tx) error { // and it goes on
		c, err := tx.ContactState(1, 2, 0, "")
		if err != nil {
			return err
		}
		m := parley.Message{Team: 1, Thread: c.DM.Main, Author: 1, Kind: parley.NotificationMessage, Body: "fine"}
		if err := tx.Post(&m, store.Recipient{ID: 2}); m.N != 3 || err != nil {
			t.Errorf("the next message is number %d: %v", m.N, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// upgradedMail: what an agent was told and has not seen is mail, and counts as seen if
// it is more than a week old.
func upgradedMail(t *testing.T, s store.Store) {
	t.Helper()
	err := s.View(t.Context(), func(tx *store.Tx) error {
		young, err := tx.UnreadMail(store.MailFilter{To: 1, Limit: 10})
		if len(young) != 1 || young[0].Body != "news" || err != nil {
			t.Errorf("unread: %v, %v", young, err)
		}
		old, err := tx.Deliveries(1)
		if len(old) != 1 || old[0].State() != "seen" {
			t.Errorf("what is old: %+v", old)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// upgradedBudgets: nothing has a limit, nobody is paused, and what is stored from now
// on counts.
func upgradedBudgets(t *testing.T, s store.Store) {
	t.Helper()
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		team, err := tx.Team(1)
		if team.Paused {
			t.Error("the team is paused")
		}
		list, _ := tx.Claimable(2, 10)
		if len(list) != 1 || list[0].Budget != 0 || list[0].Waits != parley.WaitNone {
			t.Errorf("to claim: %+v", list)
		}
		tx.InsertStep(parley.Step{Task: 101, Turn: 1, N: 2, Kind: parley.StepReply, Content: []byte("{}"), Spent: parley.Spending{Input: 7}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(t.Context(), func(tx *store.Tx) error {
		spent, tasks, err := tx.SpentBelow(101)
		if want := (parley.Spending{Input: 7}); spent != want || tasks != 2 {
			t.Errorf("spent %+v, %d tasks", spent, tasks)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
