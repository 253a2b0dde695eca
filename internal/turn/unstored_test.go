package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
	"parley/internal/turn"
)

// asks is a tool that contacts somebody: it finds what it made before by its key, and
// stores what is to be stored beside it.
func (w *world) asks() tool.Tool {
	return tool.Outside(json.RawMessage(`{"type":"object"}`), tool.Spec[json.RawMessage]{Name: "ask", Replays: true, Contacts: true, Opens: true,
		Run: func(ctx context.Context, c tool.Call, _ json.RawMessage) (tool.Result, error) {
			beside := store.BesideOf(ctx)
			err := w.hub.Update(ctx, func(tx *store.Tx) error { return w.contact(tx, c, beside) })
			if err == nil && beside != nil {
				beside.Stored()
			}
			return tool.Result{Text: w.text("Bob says yes.")}, err
		}})
}

func (w *world) contact(tx *store.Tx, c tool.Call, beside store.Beside) error {
	tasks, err := tx.LockTasks(w.task.ID)
	if err != nil {
		return err
	}
	before, err := tx.SentWithKey([]parley.TaskID{w.task.ID}, w.ann.ID, c.Key)
	if err != nil {
		return err
	}
	if beside != nil {
		if err := beside.Store(tx, &tasks[0]); err != nil {
			return err
		}
	}
	if len(before) > 0 {
		return nil
	}
	dm, err := tx.EnsureDM(w.team, w.ann.ID, w.bob.ID)
	if err != nil {
		return err
	}
	m := parley.Message{Team: w.team, Thread: dm.Main, Author: w.ann.ID, Kind: parley.AskMessage, Body: "Is it so?", Origin: w.task.ID, Key: c.Key}
	return tx.Post(&m, store.Recipient{ID: w.bob.ID})
}

// asked is how many contacts were made.
func (w *world) asked() (n int) {
	w.store.See(func(tx *store.Tx) error {
		dm, err := tx.EnsureDM(w.team, w.ann.ID, w.bob.ID)
		if err != nil {
			return err
		}
		thread, err := tx.Thread(dm.Main)
		if err != nil {
			return err
		}
		list, err := tx.Back(thread.ID, thread.Last, 0, 1000)
		for _, m := range list {
			if m.Kind == parley.AskMessage {
				n++
			}
		}
		return err
	})
	return n
}

// decided is how many contacts the stored replies have decided on.
func (w *world) decided() (n int) {
	w.store.See(func(tx *store.Tx) error {
		steps, err := tx.Steps(w.task.ID)
		for _, s := range steps {
			var reply model.Reply
			if s.Kind == parley.StepReply && json.Unmarshal(s.Content, &reply) == nil {
				for _, call := range reply.Calls {
					if call.Name == "ask" {
						n++
					}
				}
			}
		}
		return err
	})
	return n
}

// What can be found again by its key is not stored by itself.
func TestCommitsOfATurn(t *testing.T) {
	for name, c := range map[string]struct {
		replies []reply
		want    int
	}{
		"an answer":                        {nil, 1},
		"a contact":                        {[]reply{{Calls: []string{"ask"}}}, 2},
		"three contacts, one by one":       {[]reply{{Calls: []string{"ask"}}, {Calls: []string{"ask"}}, {Calls: []string{"ask"}}}, 4},
		"three contacts at once":           {[]reply{{Calls: []string{"ask", "ask", "ask"}}}, 4},
		"a call that is put on record":     {[]reply{{Calls: []string{"once"}}}, 3},
		"five of them":                     {slices.Repeat([]reply{{Calls: []string{"once"}}}, 5), 11},
		"calls that only look":             {[]reply{{Calls: []string{"look", "look", "look"}}}, 3},
		"a contact, and a look":            {[]reply{{Calls: []string{"ask", "look"}}}, 4},
		"a contact and a call on record":   {[]reply{{Calls: []string{"ask", "once"}}}, 4},
		"a contact of a model that thinks": {[]reply{{Calls: []string{"ask"}}, {Slow: true, Calls: []string{"once"}}}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			if _, commits := undisturbed(t, plan{Replies: c.replies}); commits != c.want {
				t.Errorf("%d commits, want %d", commits, c.want)
			}
		})
	}
}

// A turn waits for the disk where something outside begins, and at its end. It goes on with
// results at once, unless a budget counts what they cost.
func TestWhatATurnWaitsFor(t *testing.T) {
	once := slices.Repeat([]reply{{Calls: []string{"once"}}}, 5)
	for name, c := range map[string]struct {
		plan plan
		want int
	}{
		"five calls that are put on record": {plan{Replies: once}, 6},
		"the same with a budget":            {plan{Replies: once, Budget: true}, 21},
		"a call that only looks":            {plan{Replies: []reply{{Calls: []string{"look"}}}}, 2},
		"calls that wait for an approval":   {plan{Replies: []reply{{Calls: []string{"hold"}}}}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				w := newWorld(t, c.plan)
				if w.play(0, false); w.hub.waited != c.want {
					t.Errorf("it waits for %d commits, want %d", w.hub.waited, c.want)
				}
			})
		})
	}
}

// A turn that is cut anywhere makes each contact once.
func TestACutTurnContactsOnce(t *testing.T) {
	p := plan{History: 2, Replies: []reply{{Calls: []string{"ask", "once", "ask"}}, {Slow: true, Calls: []string{"ask", "look"}}, {Calls: []string{"ask"}}}}
	_, commits := undisturbed(t, p)
	for cut := range 2 * commits {
		bubbletest.Test(t, func(t *testing.T) {
			w := newWorld(t, p)
			w.play(cut/2+1, cut%2 == 0)
			if n := w.asked(); n != 4 || n != w.decided() {
				t.Errorf("cut at commit %d of %d (before: %v): %d contacts", cut/2+1, commits, cut%2 == 0, n)
			}
		})
	}
}

// What has come for the task when a contact was answered is shown with the answer.
func TestWhatComesDuringAContactIsShown(t *testing.T) {
	for what, want := range map[string]string{"news": "By the way, 1.", "mail": "Elsewhere, 0.", "result": "Done by Bob."} {
		whole, _ := undisturbed(t, plan{Replies: []reply{{Calls: []string{what, "ask"}}}})
		shown := false
		for _, m := range whole[1].Messages {
			shown = shown || strings.Contains(m.Text, want)
		}
		if !shown {
			t.Errorf("%s: %q is missing in %+v", what, want, whole[1].Messages)
		}
	}
}

// A turn that was handed its task looks only if something may have come, and its model is
// shown the same.
func TestNobodyLooksForWhatHasNotCome(t *testing.T) {
	for name, c := range map[string]struct {
		replies []reply
		looks   int
	}{
		"nothing comes":                 {[]reply{{Calls: []string{"ask"}}, {Calls: []string{"ask", "ask"}}, {Calls: []string{"once"}}}, 0},
		"news":                          {[]reply{{Calls: []string{"ask"}}, {Calls: []string{"news", "ask"}}, {Calls: []string{"ask"}}}, 2},
		"mail about the task":           {[]reply{{Calls: []string{"mail", "ask"}}}, 1},
		"the result of a subtask":       {[]reply{{Calls: []string{"delegate", "ask"}}, {Calls: []string{"result", "ask"}}}, 1},
		"mail, and a model that thinks": {[]reply{{Calls: []string{"mail", "ask"}}, {Slow: true, Calls: []string{"ask"}}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan{Replies: c.replies}
			whole, _ := undisturbed(t, p)
			p.Handed = true
			bubbletest.Test(t, func(t *testing.T) {
				w := newWorld(t, p)
				lives, _ := w.play(0, false)
				if d := cmp.Diff(whole, lives[0]); d != "" {
					t.Error(d)
				}
				if w.hub.looks != c.looks {
					t.Errorf("looked %d times, want %d", w.hub.looks, c.looks)
				}
			})
		})
	}
}

// A reply whose contact was not made yet is not thrown away with a pause.
func TestAPauseLosesNoReply(t *testing.T) {
	for _, call := range []string{"ask", "once"} {
		bubbletest.Test(t, func(t *testing.T) {
			w := newWorld(t, plan{Replies: []reply{{Calls: []string{call}}}})
			w.pausedAt = 1
			w.hub = &mortal{Store: w.store}
			runner := &turn.Runner{Store: w.hub, Agents: w, Ender: ender{w, w.hub}, Rules: w, Pauses: w, Log: slog.New(slog.DiscardHandler), Live: &live.Fan{}, Enricher: w}
			if err := runner.Run(t.Context(), w.store.Claim(w.task.ID, 1), nil, w); !errors.Is(err, parley.ErrPaused) {
				t.Errorf("%s: %v", call, err)
			}
			if w.replied() != 1 || w.asked() != 0 {
				t.Errorf("%s: %d replies, %d contacts", call, w.replied(), w.asked())
			}
		})
	}
}
