package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/api"
	"parley/client"
)

// lossy is a line to the hub on which the first answer to each change is lost:
// the hub has done it, and nobody hears of it.
func (w *world) lossy(as string) *client.Client {
	var mu sync.Mutex
	heard := map[string]bool{}
	line := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.RequestURI, r.URL.Scheme, r.URL.Host, r.Host = "", "http", strings.TrimPrefix(w.url, "http://"), ""
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		mu.Lock()
		defer mu.Unlock()
		key := r.Header.Get(api.KeyHeader)
		if first := !heard[key]; key != "" && first {
			heard[key] = true
			panic(http.ErrAbortHandler)
		}
		rw.WriteHeader(resp.StatusCode)
		_, _ = rw.Write(body)
	}))
	line.Config.ErrorLog = nil
	c := client.New(line.URL, w.tokens[as])
	w.t.Cleanup(func() {
		c.Close()
		line.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return c
}

// Whoever repeats a change because its answer was lost finds it done, once.
func TestAChangeWhoseAnswerIsLostIsDoneOnce(t *testing.T) {
	w := newWorld(t)
	ada, ctx := w.lossy("Ada"), t.Context()
	check := func(what string, ok bool, err error) {
		t.Helper()
		if !ok || err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}

	_, err := ada.Contact(ctx, api.ContactRequest{Action: "notify", Agent: "WriterBot", Message: "Once."})
	read, _ := w.as("Ada").Read(ctx, "Ada", "WriterBot", 10)
	check("notify", len(read) == 1, err)

	broken, err := ada.Contact(ctx, api.ContactRequest{Action: "delegate", Agent: "DataBot", Message: "break", Budget: &api.Budget{Tokens: 100000}})
	check("delegate", broken.Task != nil, err)
	_, err = w.as("Ada").WaitTask(ctx, broken.Task.ID, 0)
	check("wait", true, err)
	again, err := ada.Retry(ctx, broken.Task.ID)
	tasks, _ := w.as("Ada").Tasks(ctx, client.TaskFilter{Agent: "DataBot"})
	check("retry", len(tasks) == 2 && tasks[0].ID == again.ID, err)

	spent, err := ada.RaiseTaskBudget(ctx, broken.Task.ID, api.Budget{Tokens: 5})
	check("budget", spent.Budget != nil && spent.Budget.Tokens == 100005, err)

	open, err := ada.Contact(ctx, api.ContactRequest{Action: "delegate", Agent: "Bob", Message: "Later."})
	check("delegate to Bob", open.Task != nil, err)
	ended, err := ada.Cancel(ctx, open.Task.ID)
	check("cancel", ended.State == "cancelled", err)

	asked, err := w.as("Bob").Contact(ctx, api.ContactRequest{Action: "delegate", Agent: "Ada", Message: "What?"})
	check("delegate to Ada", asked.Task != nil, err)
	ended, err = ada.Complete(ctx, asked.Task.ID, "That.")
	check("reply", ended.State == "completed" && ended.Result == "That.", err)
	asked, err = w.as("Bob").Contact(ctx, api.ContactRequest{Action: "delegate", Agent: "Ada", Message: "And?"})
	check("delegate to Ada", asked.Task != nil, err)
	ended, err = ada.Fail(ctx, asked.Task.ID, "No.")
	check("decline", ended.State == "failed", err)

	made, err := ada.AddChannel(ctx, api.ChannelRequest{Name: "once"})
	check("channel", made.Name == "once", err)
	made, err = ada.Invite(ctx, "once", "Bob")
	check("invite", slices.Contains(made.Members, "Bob"), err)
	made, err = ada.RemoveMember(ctx, "once", "Bob")
	check("remove", !slices.Contains(made.Members, "Bob"), err)
	_, err = ada.Post(ctx, api.PostRequest{Channel: "once", Message: "Once."})
	check("post", true, err)
	check("delete", true, ada.DeleteChannel(ctx, "once"))
}

// A change of a rule is found too, and what somebody has done since stays.
func TestAChangeOfARuleWhoseAnswerIsLostIsDoneOnce(t *testing.T) {
	w := newWorld(t)
	ada, ctx := w.lossy("Ada"), t.Context()
	contacts := func(r api.AgentRules) []string {
		i := slices.IndexFunc(r.Rules, func(r api.AgentRule) bool { return r.Key == "contacts" })
		return r.Rules[i].Values
	}
	for _, c := range []struct {
		what   string
		change func() (api.AgentRules, error)
		want   []string
	}{
		{"add", func() (api.AgentRules, error) {
			return ada.AddRule(ctx, "DataBot", "contacts", []string{"deny:Joiner"})
		}, []string{"allow:WriterBot", "deny:Joiner"}},
		{"remove", func() (api.AgentRules, error) {
			return ada.UnsetRule(ctx, "DataBot", "contacts", []string{"allow:WriterBot"})
		}, []string{"deny:Joiner"}},
		{"unset", func() (api.AgentRules, error) { return ada.UnsetRule(ctx, "DataBot", "contacts", nil) }, []string{}},
	} {
		if r, err := c.change(); err != nil || !slices.Equal(contacts(r), c.want) {
			t.Errorf("%s: %v, %v; want %v", c.what, r.Rules, err, c.want)
		}
	}
	if _, err := ada.UnsetRule(ctx, "DataBot", "contacts", []string{"allow:Bob"}); parley.KindOf(err) != parley.NotFound {
		t.Errorf("what was never there: %v", err)
	}
	_, events := w.do("Ada", "GET", "/v1/events?follow=false", "")
	if n := strings.Count(events, `"kind":"`+string(parley.EventRule)+`"`); n != 3 {
		t.Errorf("%d changes are on record", n)
	}
}

func TestADecisionWhoseAnswerIsLostIsMadeOnce(t *testing.T) {
	w := newWorld(t)
	w.supervise()
	ada := w.lossy("Ada")
	for i, decide := range []func() (api.Approval, error){
		func() (api.Approval, error) { return ada.Approve(t.Context(), "approval-1", "") },
		func() (api.Approval, error) { return ada.Deny(t.Context(), "approval-2", "", "Not now.") },
		func() (api.Approval, error) { return w.lossy("Trainee").Withdraw(t.Context(), "approval-3") },
	} {
		w.do("Trainee", "POST", "/v1/contacts", strings.Replace(wants, `"k"`, `"`+string(rune('k'+i))+`"`, 1))
		a, err := decide()
		if want := []string{"approved", "denied", "withdrawn"}[i]; err != nil || a.State != want {
			t.Errorf("%s: %+v, %v", want, a, err)
		}
	}
}

// A key belongs to one request of one caller.
func TestAKeyIsForOneRequest(t *testing.T) {
	w := newWorld(t)
	send := func(as, path, body string) (int, string) {
		req := w.request(as, "POST", path, body)
		req.Header.Set(api.KeyHeader, "k")
		resp, text := w.send(req)
		return resp.StatusCode, text
	}
	if status, text := send("Ada", "/v1/channels", `{"name": "one"}`); status != http.StatusOK {
		t.Fatal(text)
	}
	if status, text := send("Ada", "/v1/channels", `{"name": "two"}`); status != http.StatusConflict || !strings.Contains(text, "was used for something else") {
		t.Errorf("another request under the same key: %d %s", status, text)
	}
	if status, text := send("Bob", "/v1/channels", `{"name": "two"}`); status != http.StatusOK {
		t.Errorf("another caller with the same key: %d %s", status, text)
	}
	// What was refused has left its key free.
	if status, _ := send("Eve", "/v1/tasks/task-1/cancel", ""); status != http.StatusNotFound {
		t.Errorf("a task that is not there: %d", status)
	}
	if status, text := send("Eve", "/v1/channels", `{"name": "three"}`); status != http.StatusOK {
		t.Errorf("a key whose request was refused: %d %s", status, text)
	}
	req := w.request("Ada", "POST", "/v1/channels", `{"name": "four"}`)
	req.Header.Set(api.KeyHeader, strings.Repeat("k", 2000))
	if _, text := w.send(req); !strings.Contains(text, string(parley.Invalid)) {
		t.Errorf("a key without end: %s", text)
	}
}
