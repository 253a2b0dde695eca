package turn

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
)

func TestTheRoomOfAWindow(t *testing.T) {
	for _, c := range []struct{ window, reply, want int }{
		{1000, 100, 850}, // the reply, and a twentieth for the estimate
		{1000, 900, 700}, // a reply takes a quarter at most
		{100, 0, 95},
	} {
		if got := room(c.window, c.reply); got != c.want {
			t.Errorf("%d with a reply of %d: %d, want %d", c.window, c.reply, got, c.want)
		}
	}
}

// A window is taken from the provider's figures, or else halved, unless only its words
// say that a short request is too long.
func TestWhatARefusalShowsOfAWindow(t *testing.T) {
	for name, c := range map[string]struct {
		window, sent int
		e            model.Error
		want         int
	}{
		"figures":                         {100_000, 9000, model.Error{Window: 8000}, 8000},
		"figures, in other tokens":        {100_000, 9000, model.Error{Window: 8000, Counted: 18_000}, 4000},
		"figures that change nothing":     {100_000, 9000, model.Error{Window: 200_000}, 0},
		"a code":                          {100_000, 9000, model.Error{Certain: true}, 4500},
		"words, and a long request":       {100_000, 50_001, model.Error{}, 25_000},
		"words, and half of it":           {100_000, 50_000, model.Error{}, 0},
		"words, and no window":            {0, 9000, model.Error{}, 4500},
		"words, and more than the window": {1000, 9000, model.Error{}, 500},
	} {
		if got := smallerWindow(c.window, 100, c.sent, &c.e); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Everything that is sent takes room, and what just fits is kept.
func TestWhatTakesRoom(t *testing.T) {
	long := strings.Repeat("word ", 40) // 60 tokens
	plain := func() model.Request {
		return model.Request{Messages: []model.Message{{Role: model.User, Text: long}, {Role: model.User, Text: long}}}
	}
	const window = 136 // of which a twentieth is not used: 130 are left, the two have 128
	for name, c := range map[string]struct {
		change func(r *model.Request)
		fits   bool
	}{
		"as it is":     {func(*model.Request) {}, true},
		"to the last":  {func(r *model.Request) { r.Messages[0].Text += "......"[:3] }, true},
		"one too many": {func(r *model.Request) { r.Messages[0].Text += "......" }, false},
		"system":       {func(r *model.Request) { r.System = "Be brief, now." }, false},
		"tools":        {func(r *model.Request) { r.Tools = []model.Tool{{Name: "look"}} }, false},
		"private":      {func(r *model.Request) { r.Messages[0].Private = json.RawMessage(`{"signature":"0123456789"}`) }, false},
		"calls":        {func(r *model.Request) { r.Messages[0].Calls = []model.Call{{Name: "look"}} }, false},
	} {
		r := plain()
		c.change(&r)
		got := fit(r, 1, bounded{window, 0}).Messages
		if kept := got[0].Text == r.Messages[0].Text; kept != c.fits {
			t.Errorf("%s: kept is %v: %+v", name, kept, got)
		}
	}
	if got := fit(plain(), 1, bounded{0, 0}).Messages; got[0].Text != long {
		t.Errorf("a window that nobody knows: %+v", got)
	}
}

func TestSignsCountMoreThanLetters(t *testing.T) {
	for text, least := range map[string]int{"{}[]();:": 4, "Здравствуйте": 6, "😀😀😀😀": 8} {
		if got := tokens(text); got < least {
			t.Errorf("%s: %d tokens, at least %d", text, got, least)
		}
	}
}

func TestHowManyCallsRunAtOnce(t *testing.T) {
	named := func(name, category string, replays bool) tool.Tool {
		return tool.Outside(nil, tool.Spec[json.RawMessage]{Name: name, Replays: replays,
			Action: func(json.RawMessage) string { return policy.Action(category, "x") }})
	}
	r := run{agent: Agent{Tools: []tool.Tool{named("look", policy.FileRead, true), named("write", policy.FileWrite, true),
		named("once", policy.FileRead, false)}}}
	for names, want := range map[string]int{
		"look": 1, "look look look": 3, "look look write look": 2, "write look": 1, "write write": 1,
		"look once": 1, "look unknown": 1, "unknown look": 1, strings.Repeat("look ", 20): maxParallel,
	} {
		calls := slices.Collect(func(yield func(pendingCall) bool) {
			for name := range strings.FieldsSeq(names) {
				if !yield(pendingCall{Call: model.Call{Name: name}}) {
					return
				}
			}
		})
		if got := r.readersIn(calls); got != want {
			t.Errorf("%s: %d, want %d", names, got, want)
		}
	}
	if maxParallel > 32 {
		t.Errorf("%d calls at once are more than a machine is asked for", maxParallel)
	}
}
