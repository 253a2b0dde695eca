package rulebook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/access"
	"parley/internal/rulebook"
	"parley/internal/store"
)

func (h *house) happened(kind parley.EventKind, from, to, detail string) {
	h.t.Helper()
	e := parley.Event{Team: h.team.ID, Kind: kind, Actor: h.as(from).Agent, Detail: detail}
	if to != "" {
		e.Target = h.as(to).Agent
	}
	err := h.hub.Store.Update(h.t.Context(), func(tx *store.Tx) error {
		tx.Record(e)
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// differ lists the contacts that a change would decide otherwise.
func (h *house) differ(e rulebook.Edit, last int) (looked int, list []string) {
	h.t.Helper()
	w, err := h.WhatIf(h.t.Context(), h.as("Ada"), e, last)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, d := range w.Differ {
		list = append(list, fmt.Sprintf("%s: %v, then %v", d.Detail, d.Now.Verdict, d.Then.Verdict))
	}
	return w.Looked, list
}

func TestWhatIfFindsExactlyWhatWouldDiffer(t *testing.T) {
	h := build(t)
	for _, e := range []struct {
		kind             parley.EventKind
		from, to, detail string
	}{
		{parley.EventTask, "Bot", "Dir", "ask"},
		{parley.EventMessage, "Bot", "Dir", "notify"},
		{parley.EventRefused, "Bot", "Dir", "delegate: too many [rule: rate]"},
		{parley.EventTask, "Dir", "Bot", "delegate"},
		{parley.EventTask, "Ada", "Bot", "ask"},
		{parley.EventTask, "Bot", "Ada", "question"},
		{parley.EventMessage, "Bot", "", "post in #news"},
		{parley.EventTask, "Bot", "Dir", "answer"},              // no rule decides about answers
		{parley.EventMessage, "Bot", "Dir", "approval_request"}, // nor about what the hub says
		{parley.EventCompleted, "Bot", "Dir", "ask"},            // no contact
	} {
		h.happened(e.kind, e.from, e.to, e.detail)
	}
	before, events := h.read("agents/Bot.md"), len(h.details(parley.EventRule))
	for _, c := range []struct {
		edit rulebook.Edit
		want []string
	}{
		{rulebook.Edit{Agent: "bot", Verb: "add", Key: "contacts", Words: []string{"deny:Dir"}},
			[]string{"delegate: too many [rule: rate]: allowed, then denied", "notify: allowed, then denied", "ask: allowed, then denied"}},
		{rulebook.Edit{Agent: "Bot", Verb: "add", Key: "contacts", Words: []string{"ask:Dir"}},
			[]string{"delegate: too many [rule: rate]: allowed, then needs approval", "notify: allowed, then needs approval", "ask: allowed, then needs approval"}},
		{rulebook.Edit{Agent: "Bot", Verb: "set", Key: "can_invoke"},
			[]string{"delegate: too many [rule: rate]: allowed, then denied", "notify: allowed, then denied", "ask: allowed, then denied"}},
		{rulebook.Edit{Agent: "Bot", Verb: "add", Key: "profile", Words: []string{"deny:tool:channel:send #news"}}, []string{"post in #news: allowed, then denied"}},
		{rulebook.Edit{Agent: "Bot", Verb: "set", Key: "mode", Words: []string{"read"}}, nil},
		{rulebook.Edit{Agent: "Bot", Verb: "unset", Key: "mode"}, nil},
	} {
		looked, got := h.differ(c.edit, 1000)
		if diff := cmp.Diff(c.want, got); diff != "" || looked != 7 {
			t.Errorf("%+v: %d looked at, %s", c.edit, looked, diff)
		}
	}
	if looked, got := h.differ(rulebook.Edit{Agent: "Bot", Verb: "set", Key: "can_invoke"}, 4); looked != 2 || got != nil {
		t.Errorf("of the last ones %d, %q", looked, got)
	}
	if h.read("agents/Bot.md") != before || len(h.details(parley.EventRule)) != events {
		t.Error("a trial was written")
	}
	rules, err := h.Write(t.Context(), h.as("Ada"), rulebook.Edit{Agent: "Bot", Verb: "add", Key: "contacts", Words: []string{"deny:Dir"}})
	if err != nil || !strings.Contains(h.read("agents/Bot.md"), "- deny: Dir") || rules.File != "agents/Bot.md" {
		t.Errorf("%+v, %v", rules, err)
	}
}

func TestATrialIsForPeopleAndRefusesWhatCannotBeWritten(t *testing.T) {
	h := build(t)
	edit := rulebook.Edit{Agent: "Bot", Verb: "add", Key: "contacts", Words: []string{"deny:Dir"}}
	for _, c := range []access.Caller{h.as("Bot"), h.as("Dir"), {Team: h.team.ID, Agent: h.as("Ada").Agent, Task: 7, Token: 1}} {
		if _, err := h.WhatIf(t.Context(), c, edit, 10); parley.KindOf(err) != parley.Denied {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := h.AddClient(t.Context(), c, "New", "Helps.", "standard"); parley.KindOf(err) != parley.Denied {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, e := range []rulebook.Edit{
		{Agent: "Bot", Verb: "burn", Key: "contacts"}, {Agent: "Bot", Verb: "set", Key: "model", Words: []string{"x"}},
		{Agent: "Bot", Verb: "add", Key: "contacts", Words: []string{"nonsense"}}, {Agent: "Bot", Verb: "set", Key: "manager", Words: []string{"Bot"}},
		{Agent: "Bot", Verb: "add", Key: "mode", Words: []string{"write"}},
	} {
		if _, err := h.Try(t.Context(), h.as("Ada"), e); parley.KindOf(err) != parley.Invalid {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if _, err := h.Try(t.Context(), h.as("Ada"), rulebook.Edit{Agent: "Bot", Verb: "remove", Key: "contacts", Words: []string{"deny:Dir"}}); parley.KindOf(err) != parley.NotFound {
		t.Error(err)
	}
}
