package policy

import "parley"

// Authorize decides whether a participant may do something, by its rules. The
// first rule that denies decides; else the first that wants an approval; else
// the last that allows. Limits are not its business: see Decide.
func Authorize(who *Party, c Call) Ruling {
	d := deciding{who: who, rules: who.Rules, call: c}
	d.run()
	return d.ruling
}

// Explain is Authorize with the whole path.
func Explain(who *Party, c Call) Ruling {
	d := deciding{who: who, rules: who.Rules, call: c, explains: true}
	d.run()
	return d.ruling
}

// deciding is one decision. Each of its rules says allowed, denied or needs
// approval, or that it does not apply, and whether the decision is final.
type deciding struct {
	who      *Party
	rules    *Rules
	call     Call
	explains bool

	said   bool // some rule has applied
	ruling Ruling
}

func (d *deciding) run() {
	d.ruling.who, d.ruling.action = d.who.Name, d.call.Action
	if d.call.To != nil {
		d.ruling.to = d.call.To.Name
	}
	_ = d.unknown() || d.self() || d.manager() || d.person() || d.canInvoke() ||
		d.contacts() || d.mode() || d.profile() || d.behavior()
}

// say takes a rule's word. It is final if the rule denies.
func (d *deciding) say(v Verdict, rule Rule) (final bool) {
	if d.explains {
		step := d.ruling
		step.Verdict, step.Rule = v, rule
		d.ruling.Path = append(d.ruling.Path, Step{Rule: rule, Verdict: v.String(), Why: step.Reason()})
	}
	if !d.said || v < d.ruling.Verdict || v == Allow && d.ruling.Verdict == Allow {
		d.said, d.ruling.Verdict, d.ruling.Rule = true, v, rule
	}
	return v == Deny
}

// allow takes the word of a rule after which no other is asked.
func (d *deciding) allow(rule Rule) (final bool) {
	d.say(Allow, rule)
	return true
}

// skip puts a rule on the path that does not apply to the call.
func (d *deciding) skip(kind RuleKind, why string) (final bool) {
	if d.explains {
		d.ruling.Path = append(d.ruling.Path, Step{Rule: Rule{Kind: kind}, Why: why})
	}
	return false
}

const contactsNobody = "The action contacts nobody."

func (d *deciding) unknown() bool {
	switch {
	case d.call.To != nil && d.call.To.Key == "":
		return d.say(Deny, Rule{Kind: RuleUnknown, Of: d.call.To.Name})
	case d.rules == nil && d.who.Kind != parley.Person:
		return d.say(Deny, Rule{Kind: RuleUnknown, Of: d.who.Name})
	}
	return d.skip(RuleUnknown, "The hub knows who is involved.")
}

func (d *deciding) self() bool {
	switch {
	case d.call.To == nil:
		return d.skip(RuleSelf, contactsNobody)
	case d.call.To.Key == d.who.Key:
		return d.say(Deny, Rule{Kind: RuleSelf})
	}
	return d.skip(RuleSelf, "It is somebody else.")
}

func (d *deciding) manager() bool {
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

func (d *deciding) person() bool {
	switch to := d.call.To; {
	case d.who.Kind == parley.Person:
		return d.allow(Rule{Kind: RulePerson, Of: d.who.Name})
	case to != nil && to.Kind == parley.Person:
		return d.allow(Rule{Kind: RulePerson, Of: to.Name})
	}
	return d.skip(RulePerson, "No person is involved.")
}

func (d *deciding) canInvoke() bool {
	switch to := d.call.To; {
	case to == nil:
		return d.skip(RuleCanInvoke, contactsNobody)
	case d.rules.CanInvoke == nil:
		return d.skip(RuleCanInvoke, "There is no list, which means everyone.")
	case !d.rules.CanInvoke[to.Key]:
		return d.say(Deny, Rule{Kind: RuleCanInvoke})
	default:
		return d.say(Allow, Rule{Kind: RuleCanInvoke, Entry: to.Name})
	}
}

func (d *deciding) contacts() bool {
	to, r := d.call.To, &d.rules.Contacts
	if to == nil {
		return d.skip(RuleContacts, contactsNobody)
	}
	allowance, allowed := r.Allow[to.Key]
	switch {
	case r.Deny[to.Key]:
		return d.say(Deny, Rule{Kind: RuleContacts, List: "deny", Entry: to.Name})
	case allowed:
		return d.allowContact(allowance, to.Name)
	case r.DenyAll:
		return d.say(Deny, Rule{Kind: RuleContacts, List: "deny", Entry: Everyone})
	case r.AllowAll != nil:
		return d.allowContact(*r.AllowAll, Everyone)
	}
	return d.skip(RuleContacts, "No rule names this agent or everyone, which means allowed.")
}

func (d *deciding) allowContact(a Allowance, whom string) bool {
	v := Allow
	if a.NeedsApproval {
		v = NeedsApproval
	}
	return d.say(v, Rule{Kind: RuleContacts, List: "allow", Entry: whom})
}

func (d *deciding) mode() bool {
	switch {
	case !d.rules.ReadOnly:
		return d.skip(RuleMode, "The mode is write.")
	case !d.call.workspace():
		return d.skip(RuleMode, "The action writes no file and runs no shell.")
	}
	return d.say(Deny, Rule{Kind: RuleMode, Entry: "read"})
}

func (d *deciding) profile() bool {
	p := d.rules.Profile
	if p == nil {
		p = presets[DefaultPreset]
	}
	return d.say(p.decide(d.call.Action))
}

func (d *deciding) behavior() bool {
	switch b := d.rules.Behavior; {
	case b == Strict, b == Supervised && d.call.writes():
		return d.say(NeedsApproval, Rule{Kind: RuleBehavior, Entry: b.String()})
	case b == Supervised:
		return d.skip(RuleBehavior, "The action changes nothing.")
	}
	return d.skip(RuleBehavior, "The agent is autonomous.")
}
