package storetest

import (
	"fmt"
	"testing"

	"parley"
	"parley/internal/store"
)

// FirstContent is a conversation in the first schema: one that is over, and a task that
// is open.
const FirstContent = `
	INSERT INTO team (id, name, folded) VALUES (1, 'Old', 'old');
	INSERT INTO agent (id, team_id, name, folded, kind, turns) VALUES (1, 1, 'ada', 'ada', 'person', 1), (2, 1, 'DataBot', 'databot', 'native', 8);
	INSERT INTO channel (id, team_id, kind, a_id, b_id, main_thread) VALUES (1, 1, 'dm', 1, 2, 1);
	INSERT INTO thread (id, channel_id, last_message, message_count) VALUES (1, 1, 3, 3);
	INSERT INTO message (id, team_id, thread_id, n, prev_id, author_id, kind, body, context, task_id, origin_id, key, at, priority) VALUES
		(1, 1, 1, 1, 0, 1, 'ask', 'How much?', '', 101, 0, 'k', 1700000000000000, 0),
		(2, 1, 1, 2, 1, 2, 'reply', 'Seven.', '', 101, 101, NULL, 1700000001000000, 0),
		(3, 1, 1, 3, 2, 1, 'delegate', 'Count again.', '', 102, 0, NULL, 1700000002000000, 2);
	INSERT INTO delivery (message_id, recipient_id, pull, delivered_at, seen_at, answered_at) VALUES
		(1, 2, 0, 1700000000000000, 1700000000000001, 1700000001000000), (2, 1, 1, 1700000001000000, 1700000001000001, 0), (3, 2, 0, 0, 0, 0);
	INSERT INTO task (id, team_id, parent_id, root_id, retry_of, pattern, requester_id, agent_id, thread_id, request_id, title, priority, state, callback,
		due_at, deadline_at, wait_until, ask_depth, delegation_depth, result_id, created_at) VALUES
		(101, 1, 0, 101, 0, 'ask', 1, 2, 1, 1, 'How much?', 2, 4, 1, 0, 0, 0, 1, 0, 2, 1700000000000000),
		(102, 1, 0, 102, 0, 'delegate', 1, 2, 1, 3, 'Count again.', 2, 1, 1, 0, 0, 0, 0, 1, 0, 1700000002000000);
	INSERT INTO step (task_id, turn, n, kind, content, at) VALUES (101, 1, 1, 'reply', '{"Reply":{"Text":"Seven."}}', 1700000000500000);`

// EverySchema opens a database of every schema so far. old makes one that began as the
// first with FirstContent in it and was brought to the nth.
func EverySchema(t *testing.T, count int, old func(t *testing.T, n int) store.Store) {
	for n := 1; n <= count; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) { checkUpgraded(t, old(t, n)) })
	}
}

// checkUpgraded looks for what was there, and goes on with it.
func checkUpgraded(t *testing.T, s store.Store) {
	t.Helper()
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		team, err := tx.TeamByName("old")
		if err != nil || team.ID != 1 || team.Paused {
			t.Errorf("the team is %+v, %v", team, err)
		}
		for id, want := range map[parley.MessageID]string{1: "How much?", 2: "Seven.", 3: "Count again."} {
			if m, err := tx.Message(id); err != nil || m.Body != want || m.Thread != 1 {
				t.Errorf("%s is %+v, %v", id, m, err)
			}
		}
		if to, err := tx.Deliveries(1); err != nil || len(to) != 1 || to[0].State() != "answered" {
			t.Errorf("deliveries: %+v, %v", to, err)
		}
		done, err := tx.Task(101)
		if err != nil || done.State != parley.Completed || done.Result != 2 || done.Chain != 101 {
			t.Errorf("the task that is over is %+v, %v", done, err)
		}
		if list, err := tx.Steps(101); err != nil || len(list) != 1 || list[0].Kind != parley.StepReply {
			t.Errorf("steps: %+v, %v", list, err)
		}
		open, err := tx.Tasks(store.TaskFilter{Team: 1, Open: true, Limit: 10})
		if err != nil || len(open) != 1 || open[0].ID != 102 || open[0].State != parley.Queued {
			t.Errorf("open tasks: %+v, %v", open, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	next := parley.Message{Team: 1, Thread: 1, Author: 1, Kind: parley.NotificationMessage, Body: "Thank you."}
	err = s.Update(t.Context(), func(tx *store.Tx) error { return tx.Post(&next, store.Recipient{ID: 2, Mail: true}) })
	if err != nil || next.N != 4 || next.ID <= 3 {
		t.Errorf("the next message is %+v, %v", next, err)
	}
}
