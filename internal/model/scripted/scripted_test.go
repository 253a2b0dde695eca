package scripted

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/model"
)

var _ model.Model = (*Script)(nil)

func hello(agent string) model.Request {
	return model.Request{Agent: agent, Messages: []model.Message{{Role: model.User, Text: "hello"}}}
}

func TestReply(t *testing.T) {
	s := mustParse(t, `
agents:
  A:
    - steps:
        - say: 'one moment'
          calls:
            - {tool: look, args: {text: '{{input}} <b> "x"', n: 3, f: 1.5, yes: true, none: null, list: [a, '{{agent}}', {k: v}]}}
            - {tool: list}
`)
	req := hello("A")
	req.System = "You are A."
	got, err := s.Step(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := model.Reply{
		Text: "one moment",
		Calls: []model.Call{
			{ID: "call-1-1", Name: "look", Args: []byte(`{"text":"hello <b> \"x\"","n":3,"f":1.5,"yes":true,"none":null,"list":["a","A",{"k":"v"}]}`)},
			{ID: "call-1-2", Name: "list", Args: []byte(`{}`)},
		},
		Usage: model.Usage{Input: 4, Output: 28},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reply differs (-want +got):\n%s", diff)
	}
}

func TestCallIDsAreUniqueInATurn(t *testing.T) {
	c := talk(t, "A", "agents: {A: [steps: [{call: x}, {calls: [tool: x, tool: x]}, {call: x}]]}")
	c.hears("hello")
	seen := map[string]bool{}
	for _, results := range [][]string{{"1"}, {"2", "3"}, {"4"}} {
		for _, call := range c.steps().Calls {
			if seen[call.ID] {
				t.Errorf("%s is used twice", call.ID)
			}
			seen[call.ID] = true
		}
		c.returns(results...)
	}
}

func TestManyAtOnce(t *testing.T) {
	s := mustParse(t, "agents: {A: [steps: [{call: x, args: {a: [1, '{{input}}']}}]]}")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			reply, err := s.Step(t.Context(), hello("A"), nil)
			if err != nil || string(reply.Calls[0].Args) != `{"a":[1,"hello"]}` {
				t.Errorf("reply %+v, err %v", reply, err)
			}
		})
	}
	group.Wait()
}

func TestStreaming(t *testing.T) {
	const text = "three words,  and\na line "
	s := mustParse(t, "agents: {A: [steps: [say: \"three words,  and\\na line \"]]}")
	var pieces []string
	reply, err := s.Step(t.Context(), hello("A"), func(d model.Delta) { pieces = append(pieces, d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"three ", "words, ", " ", "and\na ", "line "}, pieces); diff != "" {
		t.Errorf("pieces differ (-want +got):\n%s", diff)
	}
	if reply.Text != text {
		t.Errorf("text = %q", reply.Text)
	}
}

// Whoever watches sees the words come one by one. The step takes as long as it says.
func TestStreamingTakesTime(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		s := mustParse(t, "agents: {A: [steps: [{wait: 8s, say: one two three four}]]}")
		began := time.Now()
		var at []time.Duration
		if _, err := s.Step(t.Context(), hello("A"), func(model.Delta) { at = append(at, time.Since(began)) }); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{5 * time.Second, 6 * time.Second, 7 * time.Second, 8 * time.Second}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("the words came at other times (-want +got):\n%s", diff)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := s.Step(ctx, hello("A"), func(model.Delta) { cancel() }); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after a word: %v", err)
		}
	})
}

func TestFail(t *testing.T) {
	tests := []struct {
		step string
		want *model.Error
	}{
		{"{fail: 'no quota for {{agent}}'}", &model.Error{Class: model.Refused, Message: "no quota for A"}},
		{"{fail: slow down, class: rate_limited, retry_after: 2s}", &model.Error{Class: model.RateLimited, Message: "slow down", RetryAfter: 2 * time.Second}},
		{"{fail: busy, class: overloaded}", &model.Error{Class: model.Overloaded, Message: "busy"}},
		{"{fail: what, class: broken}", &model.Error{Class: model.Broken, Message: "what"}},
		{"{fail: '{{result}}'}", &model.Error{Class: model.Broken, Message: "The script cannot go on: test.yaml:1:30: {{result}}: there is no tool result yet."}},
		{"{say: '{{result}}'}", &model.Error{Class: model.Broken, Message: "The script cannot go on: test.yaml:1:29: {{result}}: there is no tool result yet."}},
		{"{call: x, args: {a: ['{{result}}']}}", &model.Error{Class: model.Broken, Message: "The script cannot go on: test.yaml:1:44: {{result}}: there is no tool result yet."}},
	}
	for _, tt := range tests {
		s := mustParse(t, "agents: {A: [{steps: ["+tt.step+"]}]}")
		_, err := s.Step(t.Context(), hello("A"), nil)
		var got *model.Error
		if !errors.As(err, &got) {
			t.Errorf("%s: %v is not a *model.Error", tt.step, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(model.Error{}, "Cause")); diff != "" {
			t.Errorf("%s: error differs (-want +got):\n%s", tt.step, diff)
		}
	}
}

func TestWait(t *testing.T) {
	for _, step := range []string{"{wait: 150ms, say: x}", "{wait: 150ms, call: x}", "{wait: 150ms, fail: x}"} {
		s := mustParse(t, "agents: {A: [{steps: ["+step+"]}]}")
		bubbletest.Test(t, func(t *testing.T) {
			began := time.Now()
			_, _ = s.Step(t.Context(), hello("A"), nil)
			if took := time.Since(began); took != 150*time.Millisecond {
				t.Errorf("%s took %v", step, took)
			}
		})
	}
}

func TestWaitEndsWithTheContext(t *testing.T) {
	s := mustParse(t, "agents: {A: [{steps: [{wait: 1h, say: x}]}]}")
	bubbletest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		for range 2 { // while waiting, and when it has already ended
			_, err := s.Step(ctx, hello("A"), func(model.Delta) { t.Error("it spoke") })
			var failed *model.Error
			if !errors.As(err, &failed) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err = %v", err)
			}
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestLoad(t *testing.T) {
	if _, err := Load("testdata/report.yaml"); err != nil {
		t.Error(err)
	}
	missing := filepath.Join(t.TempDir(), "none.yaml")
	_, err := Load(missing)
	if parley.KindOf(err) != parley.Invalid || !strings.Contains(err.Error(), missing) {
		t.Errorf("err = %v", err)
	}
}

func TestNoop(t *testing.T) {
	var heard string
	reply, err := Noop().Step(t.Context(), hello("A"), func(d model.Delta) { heard += d.Text })
	if err != nil || reply.Text != "ok" || heard != "ok" {
		t.Errorf("reply %+v, heard %q, err %v", reply, heard, err)
	}
	m, req := Noop(), hello("A")
	if n := testing.AllocsPerRun(100, func() { _, _ = m.Step(t.Context(), req, nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkStep(b *testing.B) {
	s, err := Load("testdata/report.yaml")
	if err != nil {
		b.Fatal(err)
	}
	req := hello("CoordinatorBot")
	req.Messages[0].Text = "Prepare the Q3 report"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Step(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	data := []byte(readFile(b, "testdata/report.yaml"))
	for b.Loop() {
		if _, err := Parse("report.yaml", data); err != nil {
			b.Fatal(err)
		}
	}
}
