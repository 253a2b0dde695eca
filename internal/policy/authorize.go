package policy

import "parley"

// Authorize decides by its rules whether a participant may do something. The first
// rule that denies decides; otherwise the first that needs approval; otherwise the
// last that allows. Decide checks the limits.
func Authorize(who *Party, c Call) Ruling {
	d := evaluation{who: who, rules: who.Rules, call: c}
	d.run()
	return d.ruling
}

// Explain is Authorize with the path of all rules that were looked at.
func Explain(who *Party, c Call) Ruling {
	d := evaluation{who: who, rules: who.Rules, call: c, explain: true}
	d.run()
	return d.ruling
}

// evaluation is the evaluation of one call. Each rule is a method that records its
// verdict, if the rule applies, and returns whether the decision is final.
type evaluation struct {
	who     *Party
	rules   *Rules
	call    Call
	explain bool

	applied bool // some rule has
	ruling  Ruling
}

func (d *evaluation) run() {
	d.ruling.who, d.ruling.action = d.who.Name, d.call.Action
	if d.call.To != nil {
		d.ruling.to = d.call.To.Name
	}
	_ = d.unknown() || d.self() || d.manager() || d.person() || d.canInvoke() ||
		d.contacts() || d.mode() || d.profile() || d.behavior()
}

// record takes the verdict of a rule. It is final if the rule denies.
func (d *evaluation) record(v Verdict, rule Rule) (final bool) {
	if d.explain {
		step := d.ruling
		step.Verdict, step.Rule = v, rule
		d.ruling.Path = append(d.ruling.Path, Step{Rule: rule, Verdict: v.String(), Why: step.Reason()})
	}
	if !d.applied || v < d.ruling.Verdict || v == Allow && d.ruling.Verdict == Allow {
		d.applied, d.ruling.Verdict, d.ruling.Rule = true, v, rule
	}
	return v == Deny
}

// allow records the verdict of a rule that ends the decision.
func (d *evaluation) allow(rule Rule) (final bool) {
	d.record(Allow, rule)
	return true
}

// skip notes on the path that a rule does not apply to the call.
func (d *evaluation) skip(kind RuleKind, why string) (final bool) {
	if d.explain {
		d.ruling.Path = append(d.ruling.Path, Step{Rule: Rule{Kind: kind}, Why: why})
	}
	return false
}

const contactsNobody = "The action contacts nobody."

func (d *evaluation) unknown() bool {
	switch {
	case d.call.To != nil && d.call.To.Key == "":
		return d.record(Deny, Rule{Kind: RuleUnknown, Of: d.call.To.Name})
	case d.rules == nil && d.who.Kind != parley.Person:
		return d.record(Deny, Rule{Kind: RuleUnknown, Of: d.who.Name})
	}
	return d.skip(RuleUnknown, "The hub knows who is involved.")
}

func (d *evaluation) self() bool {
	switch {
	case d.call.To == nil:
		return d.skip(RuleSelf, contactsNobody)
	case d.call.To.Key == d.who.Key:
		return d.record(Deny, Rule{Kind: RuleSelf})
	}
	return d.skip(RuleSelf, "It is somebody else.")
}

func (d *evaluation) manager() bool {
	switch to := d.call.To; {
	case to == nil:
		return d.skip(RuleManager, contactsNobody)
	case d.who.reportsTo(to):
		return d.allow(Rule{Kind: RuleManager, Of: d.who.Name})
	case to.reportsTo(d.who):
		return d.allow(Rule{Kind: RuleManager, Of: to.Name})
	}
	return d.skip(RuleManager, "Neither is the other's manager.")
}

func (d *evaluation) person() bool {
	switch to := d.call.To; {
	case d.who.Kind == parley.Person:
		return d.allow(Rule{Kind: RulePerson, Of: d.who.Name})
	case to != nil && to.Kind == parley.Person:
		return d.allow(Rule{Kind: RulePerson, Of: to.Name})
	}
	return d.skip(RulePerson, "No person is involved.")
}

func (d *evaluation) canInvoke() bool {
	switch to := d.call.To; {
	case to == nil:
		return d.skip(RuleCanInvoke, contactsNobody)
	case d.rules.CanInvoke == nil:
		return d.skip(RuleCanInvoke, "There is no list, which means everyone.")
	case !d.rules.CanInvoke[to.Key]:
		return d.record(Deny, Rule{Kind: RuleCanInvoke})
	default:
		return d.record(Allow, Rule{Kind: RuleCanInvoke, Entry: to.Name})
	}
}

func (d *evaluation) contacts() bool {
	to, r := d.call.To, &d.rules.Contacts
	if to == nil {
		return d.skip(RuleContacts, contactsNobody)
	}
	allowance, allowed := r.Allow[to.Key]
	switch {
	case r.Deny[to.Key]:
		return d.record(Deny, Rule{Kind: RuleContacts, List: "deny", Entry: to.Name})
	case allowed:
		return d.allowContact(allowance, to.Name)
	case r.DenyAll:
		return d.record(Deny, Rule{Kind: RuleContacts, List: "deny", Entry: Everyone})
	case r.AllowAll != nil:
		return d.allowContact(*r.AllowAll, Everyone)
	}
	return d.skip(RuleContacts, "No rule names this agent or everyone, which means allowed.")
}

func (d *evaluation) allowContact(a Allowance, whom string) bool {
	v := Allow
	if a.NeedsApproval {
		v = NeedsApproval
	}
	return d.record(v, Rule{Kind: RuleContacts, List: "allow", Entry: whom})
}

func (d *evaluation) mode() bool {
	switch {
	case !d.rules.ReadOnly:
		return d.skip(RuleMode, "The mode is write.")
	case !d.call.touchesWorkspace():
		return d.skip(RuleMode, "The action writes no file and runs no shell.")
	}
	return d.record(Deny, Rule{Kind: RuleMode, Entry: "read"})
}

func (d *evaluation) profile() bool {
	p := d.rules.Profile
	if p == nil {
		p = presets[DefaultPreset]
	}
	return d.record(p.decide(d.call.Action))
}

func (d *evaluation) behavior() bool {
	switch b := d.rules.Behavior; {
	case b == Strict, b == Supervised && d.call.writes():
		return d.record(NeedsApproval, Rule{Kind: RuleBehavior, Entry: b.String()})
	case b == Supervised:
		return d.skip(RuleBehavior, "The action changes nothing.")
	}
	return d.skip(RuleBehavior, "The agent is autonomous.")
}
