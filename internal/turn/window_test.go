package turn

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/model"
)

// The figures are those that providers publish: OpenAI's guide to counting
// tokens, its rule of four letters of English for a token, and Anthropic's of
// three and a half.
func TestTokensAreNotUnderestimated(t *testing.T) {
	english := strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody minds. ", 40)
	for _, c := range []struct {
		text string
		real int
	}{
		{"antidisestablishmentarianism", 6},
		{"お誕生日おめでとう", 9},
		{english, len(english) * 10 / 35},
		{strings.Repeat("1234567890", 30), 100},
		{"", 0},
	} {
		if got := tokens(c.text); got < c.real || got > 2*c.real {
			t.Errorf("%.30q…: %d, really %d", c.text, got, c.real)
		}
	}
}

// bounded has a window and does not think.
type bounded struct{ window, reply int }

func (b bounded) Window() (int, int) { return b.window, b.reply }
func (bounded) Step(context.Context, model.Request, func(model.Delta)) (model.Reply, error) {
	return model.Reply{}, nil
}

type boundless struct{ model.Model }

func TestWhatFitsIsLeftAlone(t *testing.T) {
	r := model.Request{Messages: []model.Message{{Role: model.User, Text: "old"}, {Role: model.User, Text: "asked"}}}
	for _, m := range []model.Model{bounded{1000, 100}, bounded{0, 0}, boundless{}} {
		if got := fit(r, 1, m); len(got.Messages) != 2 {
			t.Errorf("%+v: %+v", m, got.Messages)
		}
	}
}

func TestTheOldestGoesFirst(t *testing.T) {
	long := strings.Repeat("word ", 100) // 150 tokens
	call := []model.Call{{ID: "a", Name: "look", Args: []byte(`{}`)}}
	r := model.Request{System: "You are Bob.", Messages: []model.Message{
		{Role: model.User, Text: "1 " + long},
		{Role: model.Assistant, Text: "2 " + long},
		{Role: model.User, Text: "asked"},
		{Role: model.Assistant, Text: "3", Calls: call},
		{Role: model.ToolResult, CallID: "a", Text: "4 " + long},
		{Role: model.Assistant, Text: "5", Calls: call},
		{Role: model.ToolResult, CallID: "a", Text: "6 " + long},
	}}
	for window, want := range map[int]string{
		2000: "1 2 asked 3 4 5 6",
		600:  "[1 2 asked 3 4 5 6",
		400:  "[2 asked 3 4 5 6",
		300:  "[2 asked [2 5 6",
		100:  "[2 asked [2 5 6",
	} {
		var got []string
		for _, m := range fit(r, 2, bounded{window, 10}).Messages {
			got = append(got, strings.Fields(m.Text)[0])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%d: %s, want %s", window, s, want)
		}
	}
}

// Whatever is left out: the request and the newest stay, the order stays, calls
// and results stay together, and it fits if it can.
func TestTrimProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var messages []model.Message
		for i := range rapid.IntRange(1, 30).Draw(t, "units") {
			text := strings.Repeat("x", rapid.IntRange(0, 400).Draw(t, "length"))
			calls := rapid.IntRange(0, 3).Draw(t, "calls")
			m := model.Message{Role: model.User, Text: text}
			for c := range calls {
				m.Role = model.Assistant
				m.Calls = append(m.Calls, model.Call{ID: fmt.Sprintf("%d-%d", i, c), Name: "look", Args: []byte("{}")})
			}
			messages = append(messages, m)
			for _, c := range m.Calls {
				messages = append(messages, model.Message{Role: model.ToolResult, CallID: c.ID, Text: text})
			}
		}
		var users []int
		for i, m := range messages {
			if m.Role == model.User {
				users = append(users, i)
			}
		}
		if users == nil {
			return
		}
		asked := rapid.SampledFrom(users).Draw(t, "asked")
		room := rapid.IntRange(0, 5000).Draw(t, "room")
		messages[asked].Text = "the request"
		messages[len(messages)-1].Text = "the newest" // may be the request
		request := messages[asked].Text
		kept := trim(messages, asked, room)
		size, requests := 0, 0
		open := map[string]bool{}
		for _, m := range kept {
			if m.Role != model.User || !strings.HasPrefix(m.Text, "[") {
				size += sizeOf(m)
			}
			if m.Text == request {
				requests++
			}
			for _, c := range m.Calls {
				open[c.ID] = true
			}
			if m.Role == model.ToolResult {
				if !open[m.CallID] {
					t.Fatalf("a result without its call: %+v", m)
				}
				delete(open, m.CallID)
			}
		}
		if len(open) > 0 {
			t.Fatalf("calls without their results: %v", open)
		}
		if requests != 1 || kept[len(kept)-1].Text != "the newest" {
			t.Fatalf("the request is there %d times, the last is %q", requests, kept[len(kept)-1].Text)
		}
		units := unitsOf(messages)
		least := units[len(units)-1].tokens
		if last := units[len(units)-1]; asked < last.from {
			least += sizeOf(messages[asked])
		}
		if size > max(room, least) {
			t.Fatalf("%d tokens in a room of %d", size, room)
		}
	})
}
