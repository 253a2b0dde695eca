package page

import (
	"net/url"
	"slices"
	"strings"

	"parley"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/rulebook"
)

// RulesView are the rules of an agent, what they decide, and what they would on trial.
type RulesView struct {
	rulebook.Rules
	Readable bool // the hub has the team's files
	Keys     []string

	// From, Action and To are what is asked about; Answer is nil if nothing is.
	From, Action, To string
	Answer           *Explained
	Unclear          string // what is wrong with the question

	// Verb, Key and Words are on trial; Trial is nil if nothing is.
	Verb, Key, Words string
	Trial            *TrialView
	Wrong            string // why it cannot be tried
}

// Explained is the path to a decision.
type Explained struct {
	reading.Explanation
	Mark    Mark
	Verdict string
	Path    []PathStep
}

// PathStep is one rule on the path.
type PathStep struct {
	policy.Step
	Mark    Mark // empty if the rule does not apply
	Decides bool
}

// TrialView is a change on trial, and what it would have changed.
type TrialView struct {
	rulebook.WhatIf
	Diff    []DiffLine
	Changes []Changed
	More    int
	// Free, Asked and Refused are how many would have been allowed at once, would have
	// needed an approval, and would have been refused.
	Free, Asked, Refused int
}

// Outcome says how they would have been decided.
func (t TrialView) Outcome() string {
	var list []string
	for _, o := range []struct {
		n    int
		what string
	}{{t.Free, "allowed at once"}, {t.Asked, "only after an approval"}, {t.Refused, "refused"}} {
		if o.n > 0 {
			list = append(list, count(o.n)+" "+o.what)
		}
	}
	return strings.Join(list, ", ")
}

// Changed is a contact that would have been decided otherwise.
type Changed struct {
	rulebook.Differing
	From, To  Who
	Place     string
	What, URL string
	Was, Will Mark
}

const (
	lookedAt     = 1000
	changedShown = 200
	namesChosen  = 300
)

func (v *visit) fillRules(a *AgentPage) error {
	q := v.r.URL.Query()
	a.Rules = RulesView{From: q.Get("from"), Action: q.Get("action"), To: q.Get("to"), Verb: q.Get("verb"), Key: q.Get("key"), Words: q.Get("words")}
	if a.Rules.From == "" {
		a.Rules.From = a.Name
	}
	rules := v.rules()
	if rules != nil {
		shown, err := rules.Show(v.Caller, a.Name)
		if err != nil {
			return err
		}
		a.Rules.Rules, a.Rules.Readable = shown, shown.File != ""
		for _, r := range shown.Rules {
			a.Rules.Keys = append(a.Rules.Keys, r.Key)
		}
	}
	if a.Rules.Action != "" {
		v.explain(&a.Rules)
	}
	if a.Rules.Verb != "" && rules != nil {
		v.try(&a.Rules, rules, a.Name)
	}
	return v.nameTeam(a)
}

// nameTeam lists whom one may ask about, unless they are too many to choose from.
func (v *visit) nameTeam(a *AgentPage) error {
	list, err := v.Reading.Agents(v.ctx, v.Caller)
	if err != nil || len(list) > namesChosen {
		return err
	}
	for _, one := range list {
		a.Names = append(a.Names, one.Name)
	}
	return nil
}

func (v *visit) explain(r *RulesView) {
	e, err := v.Reading.Explain(v.ctx, v.Caller, r.From, r.To, r.Action)
	if err != nil {
		p := v.problem(v.r, err)
		r.Unclear = strings.TrimSpace(p.Error + " " + p.Hint)
		return
	}
	out := &Explained{Explanation: e, Mark: verdictMark(e.Ruling.Verdict), Verdict: verdictWords(e.Ruling.Verdict)}
	deciding := e.Deciding()
	for i, s := range e.Ruling.Path {
		step := PathStep{Step: s, Decides: i == deciding}
		for _, verdict := range []policy.Verdict{policy.Allow, policy.NeedsApproval, policy.Deny} {
			if s.Verdict == verdict.String() {
				step.Mark = verdictMark(verdict)
			}
		}
		out.Path = append(out.Path, step)
	}
	r.Answer = out
}

func verdictMark(v policy.Verdict) Mark {
	switch v {
	case policy.Allow:
		return Mark{"done", "allowed"}
	case policy.NeedsApproval:
		return Mark{"wait", "needs approval"}
	}
	return Mark{"fail", "refused"}
}

func verdictWords(v policy.Verdict) string {
	switch v {
	case policy.Allow:
		return "Yes."
	case policy.NeedsApproval:
		return "Yes, after an approval."
	}
	return "No."
}

// words are the values of a rule, one a line.
func (r RulesView) words() (list []string) {
	for line := range strings.Lines(r.Words) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func (v *visit) try(r *RulesView, rules *rulebook.Service, name string) {
	found, err := rules.WhatIf(v.ctx, v.Caller, rulebook.Edit{Agent: name, Verb: r.Verb, Key: r.Key, Words: r.words()}, lookedAt)
	if err != nil {
		p := v.problem(v.r, err)
		r.Wrong = strings.TrimSpace(p.Error + " " + p.Hint)
		return
	}
	t := &TrialView{WhatIf: found, Diff: diffOf(found.Trial)}
	for _, d := range found.Differ {
		switch d.Then.Verdict {
		case policy.Allow:
			t.Free++
		case policy.NeedsApproval:
			t.Asked++
		default:
			t.Refused++
		}
		if len(t.Changes) < changedShown {
			t.Changes = append(t.Changes, v.changed(d))
		} else {
			t.More++
		}
	}
	r.Trial = t
}

func (v *visit) changed(d rulebook.Differing) Changed {
	c := Changed{Differing: d, From: v.whois(d.Actor), Was: verdictMark(d.Now.Verdict), Will: verdictMark(d.Then.Verdict)}
	if d.Target != 0 {
		c.To = v.whois(d.Target)
	}
	c.What, _, _ = strings.Cut(d.Detail, " [rule: ")
	c.What, _, _ = strings.Cut(c.What, ":")
	if place, posted := strings.CutPrefix(c.What, "post in "); posted {
		c.What, c.Place = "post", place
	}
	switch {
	case d.Message != 0:
		c.URL = "/messages/" + d.Message.String()
	case d.Task != 0:
		c.URL = "/tasks/" + d.Task.String()
	}
	return c
}

// writeRule makes a change that was on trial.
func (v *visit) writeRule() (Done, error) {
	rules := v.rules()
	if rules == nil {
		return Done{}, parley.Errorf(parley.NotFound, "This hub has no files of your team.")
	}
	name := v.r.PathValue("name")
	r := RulesView{Words: v.r.PostFormValue("words")}
	written, err := rules.Write(v.ctx, v.Caller, rulebook.Edit{Agent: name, Verb: v.r.PostFormValue("verb"), Key: v.r.PostFormValue("rule"), Words: r.words()})
	if err != nil {
		return Done{}, err
	}
	said := "Written to " + written.File + "."
	if len(written.Warnings) > 0 {
		said += " " + strings.Join(slices.Compact(written.Warnings), " ")
	}
	return Done{Go: "/agents/" + url.PathEscape(written.Agent) + "/rules", Said: said}, nil
}
