package policy

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"parley"
)

// Grant is one rule that allows a call from now on, as it is added to an agent's file.
type Grant struct {
	Key  RuleKind // contacts or profile
	Word string   // allow:NAME or allow:PATTERN
	// Covers says what the rule allows beyond the call, where its words do not.
	Covers string
}

// maxGrant is how long an action may be that a rule names. A rule that nobody can read
// is worse than being asked again.
const maxGrant = 300

// Always finds the one rule that allows a call which needs approval now. The error
// says why there is none: where two rules ask, or where it is the agent's behavior,
// one more rule would not be enough.
func Always(who *Party, c Call) (Grant, error) {
	ruling := Explain(who, c)
	switch ruling.Verdict {
	case Allow:
		return Grant{}, parley.Errorf(parley.Conflict, "The rules allow it by now.")
	case Deny:
		return Grant{}, parley.Errorf(parley.Denied, "The rules deny it by now: %s", ruling.Reason())
	}
	var asking []string
	for _, s := range ruling.Path {
		if s.Verdict == NeedsApproval.String() {
			asking = append(asking, s.Rule.String())
		}
	}
	if len(asking) > 1 {
		return Grant{}, parley.Errorf(parley.Conflict, "More than one rule asks for approval: %s.", strings.Join(asking, "; "))
	}
	return grant(who, c, ruling)
}

// grant makes the rule and looks whether it decides.
func grant(who *Party, c Call, ruling Ruling) (Grant, error) {
	rules := *who.Rules
	var g Grant
	switch ruling.Rule.Kind {
	case RuleContacts:
		g = Grant{Key: RuleContacts, Word: "allow:" + c.To.Name}
		rules.Contacts.Allow = maps.Clone(rules.Contacts.Allow)
		if rules.Contacts.Allow == nil {
			rules.Contacts.Allow = map[string]Allowance{}
		}
		rules.Contacts.Allow[c.To.Key] = Allowance{}
	case RuleProfile:
		if len(c.Action) > maxGrant || strings.ContainsFunc(c.Action, unicode.IsControl) {
			return Grant{}, parley.Errorf(parley.Conflict, "The call is too long, or has several lines, for a rule that can be read.")
		}
		text := regexp.QuoteMeta(c.Action)
		with, err := rules.Profile.allowing(text)
		if err != nil {
			return Grant{}, err
		}
		g, rules.Profile = Grant{Key: RuleProfile, Word: "allow:" + text, Covers: covers(c.Action)}, with
	default:
		return Grant{}, parley.Errorf(parley.Conflict, "%s", ruling.Reason())
	}
	after := *who
	after.Rules = &rules
	if then := Authorize(&after, c); then.Verdict != Allow {
		return Grant{}, parley.Errorf(parley.Conflict, "One rule is not enough: %s", then.Reason())
	}
	return g, nil
}

// covers says that a rule about a tool which the hub does not know has no arguments in it.
func covers(action string) string {
	switch category, _ := parts(action); category {
	case MCP, MCPRead, Other:
		return "whatever the arguments are"
	}
	return ""
}

// allowing is the profile with one more pattern of the agent's own.
func (p *Profile) allowing(text string) (*Profile, error) {
	made, err := newPattern("", text)
	if err != nil {
		return nil, err
	}
	if p == nil {
		p = presets[DefaultPreset]
	}
	if p.base == nil { // a preset, which other agents have too
		return &Profile{name: "own", base: p, allow: []pattern{made}}, nil
	}
	with := *p
	with.allow = append(slices.Clone(p.allow), made)
	return &with, nil
}
