package storetest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/store"
)

func bridges(t *testing.T, open Open) {
	w := newWorld(t, open)
	ctx := context.Background()
	update := func(do func(*store.Tx) error) {
		t.Helper()
		if err := w.Update(ctx, do); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.View(ctx, func(tx *store.Tx) error { _, err := tx.Bridge(w.team.ID, "chat"); return err }); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("a bridge that has not begun: %v", err)
	}
	var took atomic.Int32
	atOnce(t, 8, func(int) error {
		mine := false
		err := w.Update(ctx, func(tx *store.Tx) error {
			tx.BeginBridge(w.team.ID, "chat", "1.1")
			b, err := tx.LockBridge(w.team.ID, "chat")
			if mine = err == nil && b.LeaseUntil == 0; !mine {
				return err
			}
			b.Cursor, b.Holder, b.LeaseUntil, b.Problem, b.Repeats, b.GivenUp, b.SummaryAt = "1.2", "hub", 5, "none", 6, 7, 8
			tx.UpdateBridge(b)
			return nil
		})
		if mine {
			took.Add(1)
		}
		return err
	})
	if n := took.Load(); n != 1 {
		t.Errorf("%d took the lease", n)
	}
	// Many store the same event and post; it is there once.
	var first atomic.Int32
	atOnce(t, 8, func(int) error {
		taken := false
		err := w.Update(ctx, func(tx *store.Tx) (err error) {
			taken, err = tx.TakeChatEvent(store.ChatEvent{Team: w.team.ID, Program: "chat", Event: "7", Conversation: "c", Posted: "p", Message: 3})
			tx.InsertChatPost(parley.ChatPost{Team: w.team.ID, Program: "chat", Key: "a", Conversation: "c", Thread: "t", ReplyTo: "r", Kind: parley.ChatMessage,
				Agent: w.bob.ID, Message: 1, Task: 2, Approval: 3, Text: "words"})
			return err
		})
		if taken {
			first.Add(1)
		}
		return err
	})
	if n := first.Load(); n != 1 {
		t.Errorf("%d were first", n)
	}
	update(func(tx *store.Tx) error {
		for _, p := range []parley.ChatPost{{Key: "b", Conversation: "c"}, {Key: "c", Conversation: "d"}, {Key: "d", Conversation: "d", Program: "other"}} {
			p.Team, p.Kind = w.team.ID, parley.ChatNote
			if p.Program == "" {
				p.Program = "chat"
			}
			tx.InsertChatPost(p)
		}
		return nil
	})
	chatPosts(t, w, update)
	err := w.View(ctx, func(tx *store.Tx) error {
		b, err := tx.Bridge(w.team.ID, "chat")
		want := store.Bridge{Team: w.team.ID, Program: "chat", Cursor: "1.2", Holder: "hub", LeaseUntil: 5, Problem: "none", Repeats: 6, GivenUp: 7, SummaryAt: 8}
		if err != nil || b != want {
			t.Errorf("%+v, %v", b, err)
		}
		said, err := tx.ChatSaid(w.team.ID, "chat", "c", "p")
		if err != nil || said.Event != "7" || said.Message != 3 {
			t.Errorf("%+v, %v", said, err)
		}
		known, err := tx.ChatEventKnown(w.team.ID, "chat", "7")
		other, _ := tx.ChatEventKnown(w.team.ID+1, "chat", "7")
		if !known || other || err != nil {
			t.Errorf("known %v, at another team %v: %v", known, other, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// chatPosts checks how posts go on: one after the other in each conversation.
func chatPosts(t *testing.T, w *world, update func(func(*store.Tx) error)) {
	t.Helper()
	next := func() (keys []string, list []parley.ChatPost) {
		t.Helper()
		if err := w.View(context.Background(), func(tx *store.Tx) (err error) { list, err = tx.NextChatPosts(w.team.ID, "chat"); return err }); err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			keys = append(keys, p.Key)
		}
		return keys, list
	}
	keys, list := next()
	if !slices.Equal(keys, []string{"a", "c"}) {
		t.Fatalf("first %q", keys)
	}
	a := list[0]
	want := parley.ChatPost{ID: a.ID, Team: w.team.ID, Program: "chat", Key: "a", Conversation: "c", Thread: "t", ReplyTo: "r", Kind: parley.ChatMessage,
		Agent: w.bob.ID, Message: 1, Task: 2, Approval: 3, Text: "words", At: a.At, Nonce: a.Nonce}
	if a != want || a.At == 0 || len(a.Nonce) != 20 || a.Nonce == list[1].Nonce {
		t.Errorf("%+v", a)
	}
	a.State, a.Part, a.Tries, a.Due, a.Tried, a.Reason, a.Ended = parley.ChatPosted, 1, 2, 3, 4, "why", 5
	update(func(tx *store.Tx) error {
		tx.UpdateChatPost(a)
		tx.PutPosted(a, 0, "100")
		tx.PutPosted(a, 1, "99")
		tx.ChangedMessage("chat", 1)
		tx.ChangedApproval("chat", 3)
		tx.ChangedApproval("other", 3)
		tx.ChangedQuestion("chat", 2) // it is no question
		tx.SetChatPosition(w.team.ID, "chat", "c", "5")
		tx.SetChatPosition(w.team.ID, "chat", "c", "6")
		return nil
	})
	if keys, _ := next(); !slices.Equal(keys, []string{"b", "c"}) {
		t.Errorf("then %q", keys)
	}
	a.Stale = 2
	err := w.View(context.Background(), func(tx *store.Tx) error {
		stale, err := tx.StaleChatPosts(w.team.ID, "chat", 10)
		if err != nil || len(stale) != 1 || stale[0] != a {
			t.Errorf("%+v, %v", stale, err)
		}
		if ids, err := tx.PostedParts(a.ID); err != nil || !slices.Equal(ids, []string{"100", "99"}) {
			t.Errorf("%q, %v", ids, err)
		}
		if p, err := tx.PostedAs(w.team.ID, "chat", "c", "99"); err != nil || p.ID != a.ID {
			t.Errorf("%+v, %v", p, err)
		}
		if posted, err := tx.PostedMessage("chat", "c", 1); err != nil || posted != "100" {
			t.Errorf("%q, %v", posted, err)
		}
		if n, since, err := tx.ChatCounts(w.team.ID, "chat"); err != nil || n != 2 || since == 0 {
			t.Errorf("%d since %d: %v", n, since, err)
		}
		position, err := tx.ChatPosition(w.team.ID, "chat", "c")
		if position != "6" {
			t.Errorf("position %q", position)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func chatAccounts(t *testing.T, open Open) {
	w := newWorld(t, open)
	ctx := context.Background()
	account := parley.ChatAccount{Program: "chat", Account: "1", Agent: w.bob.ID, Name: "B", Conversation: "c"}
	var linked atomic.Int32
	if err := w.Update(ctx, func(tx *store.Tx) error {
		tx.InsertChatCode("hash", store.ChatCode{Agent: w.bob.ID, ExpiresAt: 9}, 0)
		tx.PutStranger("chat", "1", store.Stranger{ToldAt: 1, Tries: 2}, 0)
		tx.InsertChatPost(parley.ChatPost{Team: w.team.ID, Program: "chat", Key: "x", Conversation: "c", Kind: parley.ChatNote, Agent: w.bob.ID, Text: "words"})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	atOnce(t, 8, func(int) error {
		mine := false
		err := w.Update(ctx, func(tx *store.Tx) error {
			c, err := tx.LockChatCode("hash")
			if mine = err == nil && c.UsedBy == ""; !mine {
				return err
			}
			tx.SetChatCodeUsed("hash", "chat 1")
			tx.PutChatAccount(account)
			return nil
		})
		if mine {
			linked.Add(1)
		}
		return err
	})
	if n := linked.Load(); n != 1 {
		t.Errorf("the code was used %d times", n)
	}
	err := w.Update(ctx, func(tx *store.Tx) error {
		found, team, err := tx.ChatAccount("chat", "1")
		account.LinkedAt = found.LinkedAt
		if err != nil || found != account || team != w.team.ID {
			t.Errorf("%+v of %d, %v", found, team, err)
		}
		if _, err := tx.LockStranger("chat", "1"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("still a stranger: %v", err)
		}
		if list, err := tx.ChatAccounts(w.team.ID); err != nil || len(list) != 1 {
			t.Errorf("%+v, %v", list, err)
		}
		tx.RemoveChatAccount(account, "unlinked")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = w.View(ctx, func(tx *store.Tx) error {
		if _, _, err := tx.ChatAccount("chat", "1"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("still linked: %v", err)
		}
		if list, err := tx.NextChatPosts(w.team.ID, "chat"); err != nil || len(list) != 0 {
			t.Errorf("still to be posted: %+v, %v", list, err)
		}
		known, err := tx.ChatCodeKnown("hash")
		if !known {
			t.Error("the code is not known")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goneFromChats checks what is left of a person who has gone.
func goneFromChats(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.update(func(tx *store.Tx) error {
		for i, who := range []parley.Agent{w.carol, w.carol, w.bob} {
			tx.PutChatAccount(parley.ChatAccount{Program: "chat", Account: string(rune('a' + i)), Agent: who.ID, Name: "Name", Conversation: "c"})
			tx.InsertChatCode(string(rune('a'+i)), store.ChatCode{Agent: who.ID, ExpiresAt: tx.Now + 9}, 0)
		}
		tx.SetChatCodeUsed("b", "chat b")
		return nil
	})
	w.update(func(tx *store.Tx) error {
		tx.RemoveChatCodes(w.carol.ID)
		list, err := tx.ChatAccountsOf(w.carol.ID)
		if len(list) != 2 || list[0].Account != "a" || list[1].Account != "b" || list[0].Agent != w.carol.ID || list[0].LinkedAt == 0 {
			t.Errorf("accounts %+v", list)
		}
		for _, a := range list {
			tx.RemoveChatAccount(a, "gone")
		}
		return err
	})
	w.view(func(tx *store.Tx) error {
		left, err := tx.ChatAccounts(w.team.ID)
		if len(left) != 1 || left[0].Agent != w.bob.ID {
			t.Errorf("left are %+v", left)
		}
		for hash, want := range map[string]bool{"a": false, "b": true, "c": true} { // a used code is known as such
			if known, err := tx.ChatCodeKnown(hash); known != want || err != nil {
				t.Errorf("code %s: %v, %v", hash, known, err)
			}
		}
		return err
	})
}
