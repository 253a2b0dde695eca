package provider

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/model"
)

// replay is a provider that answers with a recording.
type replay struct{ body, kind string }

func (r replay) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{StatusCode: http.StatusOK, Request: req, Header: http.Header{"Content-Type": {r.kind}},
		Body: io.NopCloser(strings.NewReader(r.body))}, nil
}

// ours makes a model of the kind that a recording is of.
func ours(t *testing.T, r recording, body string) *Model {
	t.Helper()
	kinds := map[string]Kind{"anthropic": Anthropic, "responses": OpenAI, "gemini": Gemini, "chat": Compatible}
	p := Provider{Name: "test", Kind: kinds[r.format], BaseURL: "https://" + r.url.Host, Whole: !r.stream}
	if r.url.Host == "openrouter.ai" {
		p.Kind = OpenRouter
	}
	name := "some-model"
	if r.format == "responses" {
		name = "gpt-5"
	}
	kind := "text/event-stream"
	if !r.stream {
		kind = "application/json"
	}
	m, err := New(Config{Provider: p, Name: name, Attempts: 1, Client: &http.Client{Transport: replay{body, kind}}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fewest are how many recordings of a format there are at least, whole and as
// streams.
var fewest = map[string]int{"anthropic": 22, "chat": 145, "responses": 38, "gemini": 42}

// Every recorded reply of a real provider reads as it says: its text, its calls,
// why it ended, what it consumed. What the provider wants to see again goes into
// the next request.
func TestRecordedReplies(t *testing.T) {
	count := map[string]map[bool]int{}
	left := map[string]int{}
	for _, r := range recordings(t) {
		if why := r.skipped(); why != "" {
			left[why]++
			continue
		}
		if count[r.format] == nil {
			count[r.format] = map[bool]int{}
		}
		count[r.format][r.stream]++
		m := ours(t, r, r.body)
		d := &draft{show: func(string) {}}
		resp, err := m.client.Post(m.provider.BaseURL, "", http.NoBody)
		if err == nil {
			err = m.read(resp, d)
		}
		if want := r.expected(t); err != nil || d.end != want.end {
			t.Errorf("%s ended: %q, %v; want %q", r.label(), d.end, err, want.end)
		} else {
			replayed(t, r, m, want)
		}
	}
	for format, least := range fewest {
		n := count[format]
		t.Logf("%s: %d whole and %d streamed", format, n[false], n[true])
		if n[false] < least || n[true] < least {
			t.Errorf("that is less than %d", least)
		}
	}
	t.Logf("left out: %v", left)
	if len(count) != len(fewest) {
		t.Errorf("there are replies of another format: %v", count)
	}
}

// replayed asks for the reply as a turn does.
func replayed(t *testing.T, r recording, m *Model, want expected) {
	t.Helper()
	shown := ""
	got, err := m.Step(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "Hello."}}}, func(d model.Delta) { shown += d.Text })
	var e *model.Error
	if want.text == "" && len(want.calls) == 0 && errors.As(err, &e) && e.Class == model.Broken {
		return // it thought until it was cut off
	}
	if err != nil {
		t.Errorf("%s: %v", r.label(), err)
		return
	}
	if want.end == cut {
		got.Text, _, _ = strings.Cut(got.Text, "\n\n[The reply was cut off")
	}
	if diff := want.differs(got.Text, got.Calls, got.Usage); diff != "" {
		t.Errorf("%s: %s", r.label(), diff)
	}
	if r.stream && shown != want.text {
		t.Errorf("%s: shown is %q", r.label(), shown)
	}
	next := string(bodyOf(t, m, follow(got)))
	for _, text := range want.kept {
		if !strings.Contains(next, text) {
			t.Errorf("%s: %.40s… does not go back", r.label(), text)
		}
	}
}

// follow is the request that goes on after a reply.
func follow(reply model.Reply) model.Request {
	req := model.Request{System: "You are Bob.", Messages: []model.Message{
		{Role: model.User, Text: "Hello."},
		{Role: model.Assistant, Text: reply.Text, Calls: reply.Calls, Private: reply.Private}}}
	for _, c := range reply.Calls {
		req.Messages = append(req.Messages, model.Message{Role: model.ToolResult, CallID: c.ID, Text: "Fine."})
	}
	return req
}

func bodyOf(t *testing.T, m *Model, req model.Request) []byte {
	t.Helper()
	post, err := m.post(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(post.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
