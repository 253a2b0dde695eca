package rulebook

import (
	"context"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/config"
	"parley/internal/policy"
	"parley/internal/store"
)

// Edit is one change of a rule.
type Edit struct {
	Agent string
	Verb  string // set, add, remove or unset
	Key   string
	Words []string
}

// wording is how the edit words the rule.
func (e Edit) wording() (wording, error) {
	switch e.Verb {
	case "set":
		return setting(e.Words), nil
	case "add":
		return adding(e.Key, e.Words), nil
	case "remove":
		return removing(e.Key, e.Words), nil
	case "unset":
		return nil, nil
	}
	return nil, parley.Errorf(parley.Invalid, "A rule cannot be changed by %q.", parley.Clip(e.Verb, 40)).WithHint("It is set, add, remove or unset.")
}

// Write makes the change: Set, Add, Remove or Unset.
func (s *Service) Write(ctx context.Context, c access.Caller, e Edit) (Rules, error) {
	to, err := e.wording()
	if err != nil {
		return Rules{}, err
	}
	return s.change(ctx, c, e.Agent, e.Key, strings.TrimSpace(e.Verb+" "+strings.Join(e.Words, " ")), to)
}

// Trial is a change that was not made.
type Trial struct {
	Agent, File string
	// Before and After are the file as it is and as it would be.
	Before, After string

	id    parley.AgentID
	rules *policy.Rules // as they would be
}

// Try finds out what a change would do to the agent's file, and refuses what could not be
// written. Nothing is changed. Only people may try: the file is private.
func (s *Service) Try(ctx context.Context, c access.Caller, e Edit) (Trial, error) {
	who, err := s.dir.Find(c.Team, e.Agent)
	if err != nil {
		return Trial{}, err
	}
	if err := s.peopleOnly(ctx, c, "try "+e.Key+" of "+who.Name); err != nil {
		return Trial{}, err
	}
	if err := config.CheckRuleKey(e.Key); err != nil {
		return Trial{}, err
	}
	to, err := e.wording()
	if err != nil {
		return Trial{}, err
	}
	a, err := s.agent(who)
	if err != nil {
		return Trial{}, err
	}
	before, after, tried, err := config.TryFile(s.files.Current(), a, func(file []byte) ([]byte, error) {
		r, err := ruleIn(a.File, file, e.Key)
		if err != nil {
			return nil, err
		}
		return edited(file, r, false, to)
	})
	if err != nil {
		return Trial{}, err
	}
	rules, err := tried.Rules()
	return Trial{Agent: who.Name, File: a.File, Before: string(before), After: string(after), id: who.ID, rules: rules}, err
}

// WhatIf is a trial with the contacts of the past that it would have decided otherwise.
type WhatIf struct {
	Trial
	Looked int // how many contacts were looked at
	Differ []Differing
}

// Differing is a contact about which the rules say something else on trial than now.
type Differing struct {
	parley.Event
	Now, Then policy.Ruling
}

// contacts are the events of contacts, each of which is recorded once.
var contacts = []parley.EventKind{parley.EventMessage, parley.EventTask, parley.EventRefused}

// WhatIf tries a change on the last contacts of the team: those that the rules of now and
// the rules on trial decide differently, the newest first. Limits and who was offline play
// no part in it. Nothing is changed.
func (s *Service) WhatIf(ctx context.Context, c access.Caller, e Edit, last int) (WhatIf, error) {
	trial, err := s.Try(ctx, c, e)
	if err != nil {
		return WhatIf{}, err
	}
	out := WhatIf{Trial: trial}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out.Looked, out.Differ = 0, nil
		events, _, err := tx.LastEvents(store.EventFilter{Team: c.Team, Kinds: contacts}, last)
		if err != nil {
			return err
		}
		for i := len(events) - 1; i >= 0; i-- {
			if err := out.replay(tx, s.access, events[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// replay decides about one contact of the past, by the rules of now and by those on trial.
func (w *WhatIf) replay(tx *store.Tx, control *access.Control, e parley.Event) error {
	place, posted := strings.CutPrefix(e.Detail, "post in #")
	if !posted && !decided(e) {
		return nil
	}
	w.Looked++
	if e.Actor != w.id && e.Target != w.id {
		return nil // it is about the rules of others
	}
	sender, err := control.StoredParty(tx, e.Actor)
	if err != nil {
		return access.NotFound(err, "%d", e.Actor)
	}
	decide := func(trial bool) (policy.Ruling, error) {
		from := sender
		if trial && e.Actor == w.id {
			from.Rules = w.rules
		}
		if posted {
			return policy.Authorize(&from, policy.PostIn(place)), nil
		}
		to, err := control.StoredParty(tx, e.Target)
		if trial && e.Target == w.id {
			to.Rules = w.rules
		}
		return policy.Authorize(&from, policy.Send(&to)), err
	}
	now, err := decide(false)
	if err != nil {
		return err
	}
	then, err := decide(true)
	if err == nil && now.Verdict != then.Verdict {
		w.Differ = append(w.Differ, Differing{Event: e, Now: now, Then: then})
	}
	return err
}

// decided reports whether the rules have decided about a contact with somebody. They do
// not about answers, and about what the hub says by itself.
func decided(e parley.Event) bool {
	if e.Actor == 0 || e.Target == 0 {
		return false
	}
	verb, _, _ := strings.Cut(e.Detail, " ")
	switch parley.Pattern(verb) {
	case parley.Ask, parley.Delegate, parley.Notify, parley.QuestionPattern, "send", "tell", "mention", "retry", "resume":
		return true
	}
	return e.Kind == parley.EventRefused
}
