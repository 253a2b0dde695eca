package turn_test

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/bubbletest"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/turn"
)

// A turn that is cut at any commit and goes on elsewhere shows its model what it
// would have been shown without that: the same requests, byte for byte, of which at
// most one comes twice.
func TestACutTurnShowsItsModelTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := drawPlan(r)
		whole, commits := undisturbed(t, p)
		for range 4 {
			cut, before := rapid.IntRange(1, commits).Draw(r, "cut"), rapid.Bool().Draw(r, "before")
			if problem := compareCut(t, p, whole, cut, before); problem != "" {
				r.Fatalf("cut at commit %d of %d (before: %v): %s", cut, commits, before, problem)
			}
		}
	})
}

// The same of one task in which everything happens, at each of its commits.
func TestATurnCutAtEachCommit(t *testing.T) {
	everything := []reply{
		{Slow: true, Calls: []string{"look", "look", "news"}},
		{Calls: []string{"hold", "delegate", "once", "mail", "look"}},
		{Calls: []string{"ask"}},
		{Slow: true, Calls: []string{"ask", "look", "ask"}},
		{Rejected: true},
		{Calls: []string{"result", "fail", "nonsense"}},
		{News: 2, Mail: 3},
		{Slow: true, Calls: []string{"await", "news", "look", "hold"}},
		{Calls: []string{"look", "news", "once"}},
		{Waits: true, News: 1, Mail: 1},
		{Calls: []string{"result", "look"}},
	}
	for name, p := range map[string]plan{
		"a dm":                 {History: 25, Read: 3, Later: 3, Mail: 22},
		"a channel":            {Group: true, History: 30, Read: 4, Mail: 2},
		"a question":           {Question: true, History: 3, Read: 1, Budget: true},
		"a small window":       {History: 12, Read: 6, Later: 2, Long: true, Window: 1600, Mail: 5},
		"a very small window":  {History: 19, Read: 2, Long: true, Window: 700, Deny: true, Budget: true},
		"all is new":           {History: 14, Long: true, Window: 1765},
		"a channel, and small": {Group: true, History: 22, Read: 10, Long: true, Window: 1500},
	} {
		p.Replies = everything
		t.Run(name, func(t *testing.T) {
			whole, commits := undisturbed(t, p)
			if len(whole) != len(everything)+1 {
				t.Fatalf("%d requests", len(whole))
			}
			for cut := range 2 * commits {
				if problem := compareCut(t, p, whole, cut/2+1, cut%2 == 0); problem != "" {
					t.Fatalf("cut at commit %d of %d (before: %v): %s", cut/2+1, commits, cut%2 == 0, problem)
				}
			}
		})
	}
}

// Mail that another turn of the agent shows first is left out, though this turn had
// found it unread.
func TestMailThatAnotherTurnHasShownIsLeftOut(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		w := newWorld(t, plan{Mail: 3})
		hub := &hasty{mortal: mortal{Store: w.store}, first: func() {
			w.store.Do(func(tx *store.Tx) error {
				list, err := tx.UnreadMail(store.MailFilter{To: w.ann.ID, Limit: 1})
				tx.MarkSeen(list[0].ID, w.ann.ID)
				return err
			})
		}}
		runner := &turn.Runner{Store: hub, Agents: w, Ender: ender{w, hub}, Rules: w, Pauses: w, Log: slog.New(slog.DiscardHandler), Live: &live.Fan{}, Enricher: w}
		if err := runner.Run(t.Context(), w.store.Claim(w.task.ID, 1), nil, w); err != nil {
			t.Fatal(err)
		}
		const want = "[Unread | 2 messages]\nFor you alone; not part of the request.\n\n" +
			"[Agent Notification from Bob]\n\nElsewhere, 1.\n\n[Agent Notification from Bob]\n\nElsewhere, 2."
		if got := w.requests[0].Messages[0].Text; got != want {
			t.Errorf("shown: %s", got)
		}
	})
}

// hasty is a store in which something happens before the first change.
type hasty struct {
	mortal
	first func()
}

func (h *hasty) Update(ctx context.Context, fn func(*store.Tx) error) error {
	if h.first != nil {
		h.first()
		h.first = nil
	}
	return h.mortal.Update(ctx, fn)
}

// What was posted in a channel after a mention was not shown by its turn, and stays
// unread.
func TestPostsAfterAMentionStayUnread(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		w := newWorld(t, plan{Group: true, History: 3, Later: 2})
		w.play(0, false)
		w.store.See(func(tx *store.Tx) error {
			groups, err := tx.GroupsOf(w.ann.ID)
			if err != nil {
				return err
			}
			ann, err := tx.Member(groups[0].ID, w.ann.ID)
			if ann.Read != 4 {
				t.Errorf("read to %d", ann.Read)
			}
			return err
		})
	})
}

func undisturbed(t *testing.T, p plan) (whole []model.Request, commits int) {
	bubbletest.Test(t, func(t *testing.T) {
		var lives [][]model.Request
		lives, commits = newWorld(t, p).play(0, false)
		whole = lives[0]
	})
	return whole, commits
}

// compareCut plays the plan with a cut and says how that differs; empty if it does
// not.
func compareCut(t *testing.T, p plan, whole []model.Request, cut int, before bool) string {
	var lives [][]model.Request
	asked, decided := 0, 0
	bubbletest.Test(t, func(t *testing.T) {
		w := newWorld(t, p)
		lives, _ = w.play(cut, before)
		asked, decided = w.asked(), w.decided()
	})
	if len(lives) != 2 {
		return "there were not so many commits"
	}
	first, second := lives[0], lives[1]
	if len(first) > len(whole) || len(second) > len(whole) {
		return fmt.Sprintf("%d requests and %d, of %d", len(first), len(second), len(whole))
	}
	if diff := diff(whole[:len(first)], first); diff != "" {
		return "before it: " + diff
	}
	if diff := diff(whole[len(whole)-len(second):], second); diff != "" {
		return "after it (-undisturbed +resumed): " + diff
	}
	if asked != decided {
		return fmt.Sprintf("%d contacts of %d", asked, decided)
	}
	if twice := len(first) + len(second) - len(whole); twice < 0 || twice > 1 {
		return fmt.Sprintf("%d requests came twice", twice)
	}
	return ""
}

// diff says how requests differ; empty if they do not.
func diff(want, got []model.Request) string {
	for i := range min(len(want), len(got)) {
		if !reflect.DeepEqual(want[i], got[i]) {
			return cmp.Diff(want[i], got[i])
		}
	}
	return cmp.Diff(len(want), len(got))
}

// drawPlan makes a task up.
func drawPlan(r *rapid.T) plan {
	p := plan{
		Group:   rapid.IntRange(0, 3).Draw(r, "group") == 0,
		History: rapid.IntRange(0, 28).Draw(r, "history"),
		Later:   rapid.IntRange(0, 2).Draw(r, "later"),
		Mail:    rapid.SampledFrom([]int{0, 0, 1, 3, 25}).Draw(r, "mail"),
		Long:    rapid.Bool().Draw(r, "long"),
		Budget:  rapid.Bool().Draw(r, "budget"),
		Window:  rapid.SampledFrom([]int{0, 600, 1200, 3000}).Draw(r, "window"),
	}
	p.Read = rapid.IntRange(0, p.History).Draw(r, "read")
	p.Question = !p.Group && rapid.IntRange(0, 3).Draw(r, "question") == 0
	p.Deny = rapid.Bool().Draw(r, "deny")
	calls := []string{"ask", "ask", "look", "look", "look", "news", "mail", "result", "delegate", "hold", "await", "once", "fail", "nonsense"}
	for range rapid.IntRange(1, 6).Draw(r, "replies") {
		next := reply{Slow: rapid.Bool().Draw(r, "slow")}
		switch kind := rapid.IntRange(0, 5).Draw(r, "kind"); {
		case kind == 0:
			next.Waits, next.News = rapid.Bool().Draw(r, "waits"), rapid.IntRange(0, 2).Draw(r, "news")
			next.Mail = rapid.IntRange(0, 2).Draw(r, "mail at the end")
		case kind == 1:
			next.Rejected = true
		default:
			next.Calls = rapid.SliceOfN(rapid.SampledFrom(calls), 1, 4).Draw(r, "calls")
		}
		p.Replies = append(p.Replies, next)
	}
	return p
}
