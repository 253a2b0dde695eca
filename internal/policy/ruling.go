package policy

import (
	"slices"
	"strings"

	"parley"
)

// Verdict is what a rule says about a call.
type Verdict int

const (
	Deny Verdict = iota
	NeedsApproval
	Allow
)

var verdicts = [...]string{Deny: "denied", NeedsApproval: "needs approval", Allow: "allowed"}

func (v Verdict) String() string { return verdicts[v] }

// Rule names one rule: its kind, and which of that kind.
type Rule struct {
	Kind RuleKind
	// Of is the agent or the profile that the rule belongs to.
	Of string
	// List is deny, allow or ask.
	List string
	// Entry is the entry in the list: a name, * or a pattern.
	Entry string
}

type RuleKind string

const (
	RuleUnknown   RuleKind = "unknown"
	RuleSelf      RuleKind = "self"
	RuleManager   RuleKind = "manager"
	RulePerson    RuleKind = "person"
	RuleCanInvoke RuleKind = "can_invoke"
	RuleContacts  RuleKind = "contacts"
	RuleMode      RuleKind = "mode"
	RuleProfile   RuleKind = "profile"
	RuleBehavior  RuleKind = "behavior"
)

// RuleKinds are all kinds, in the order in which they decide.
func RuleKinds() []RuleKind {
	return []RuleKind{RuleUnknown, RuleSelf, RuleManager, RulePerson, RuleCanInvoke, RuleContacts, RuleMode, RuleProfile, RuleBehavior}
}

// String is the rule as shown to people, such as "contacts deny Writer" or "profile
// standard: ask tool:.*".
func (r Rule) String() string {
	text := string(r.Kind)
	switch {
	case r.Of == "":
	case r.Kind == RuleManager:
		text += " of " + r.Of
	case r.List != "":
		text += " " + r.Of + ":"
	default:
		text += " " + r.Of
	}
	for _, word := range []string{r.List, r.Entry} {
		if word != "" {
			text += " " + word
		}
	}
	return text
}

// Ruling is a verdict with the rule that decided.
type Ruling struct {
	Verdict Verdict
	Rule    Rule
	// Path is every rule that was looked at, in order. Only Explain fills it.
	Path []Step

	// The reason is composed only when somebody reads it: usually a call is allowed
	// and nobody asks why.
	who, to, action string
}

// Step is one rule on the path to a decision.
type Step struct {
	Rule Rule
	// Verdict is what the rule says; empty if it does not apply to the call.
	Verdict string
	// Why explains the step to a person.
	Why string
}

// Reason explains the ruling in a sentence that an agent can act on.
func (r Ruling) Reason() string {
	switch r.Rule.Kind {
	case RuleUnknown:
		return r.unknownReason()
	case RuleSelf:
		if strings.HasPrefix(r.action, Action(AgentComm, "read_docs ")) {
			return parley.ErrOwnDocs().Message
		}
		return parley.ErrSelf().Message
	case RuleManager:
		if r.Rule.Of == r.who {
			return r.to + " is " + r.who + "'s manager."
		}
		return r.to + " reports to " + r.who + "."
	case RulePerson:
		return r.Rule.Of + " is a person."
	case RuleCanInvoke:
		if r.Verdict == Deny {
			return "agent '" + r.who + "' cannot invoke '" + r.to + "' (blocked by can_invoke policy)"
		}
		return r.to + " is in " + r.who + "'s can_invoke list."
	case RuleContacts:
		return r.contactsReason()
	case RuleMode:
		if strings.HasPrefix(r.action, Action(MCP, "")) {
			return r.who + " is in read mode: it uses no outside tool that is not trusted to read only."
		}
		return r.who + " is in read mode: it writes no files and runs no shell."
	case RuleProfile:
		return r.profileReason()
	default:
		return r.behaviorReason()
	}
}

func (r Ruling) unknownReason() string {
	if r.Rule.Of == r.who {
		return "This hub does not have the rules of " + r.who + "."
	}
	return "Agent '" + r.to + "' not found."
}

func (r Ruling) contactsReason() string {
	switch {
	case r.Verdict == Deny && r.Rule.Entry == Everyone:
		return r.who + " may contact only those whom its contact rules allow, and " + r.to + " is not one of them."
	case r.Verdict == Deny:
		return r.who + "'s contact rules deny it to contact " + r.to + "."
	case r.Verdict == NeedsApproval:
		return r.who + "'s contact rules let it contact " + r.to + " only with approval."
	default:
		return r.who + "'s contact rules allow it to contact " + r.to + "."
	}
}

func (r Ruling) profileReason() string {
	action := parley.Clip(r.action, 120)
	whose := r.who + "'s profile"
	switch {
	case r.Verdict == Allow:
		return whose + " allows " + action + "."
	case r.Verdict == NeedsApproval:
		return whose + " asks for approval of " + action + "."
	case r.Rule.List == "":
		return whose + " has nothing that allows " + action + "."
	default:
		return whose + " denies " + action + "."
	}
}

func (r Ruling) behaviorReason() string {
	if r.Rule.Entry == Strict.String() {
		return r.who + " is strict: everything it does needs approval."
	}
	return r.who + " is supervised: what changes something needs approval."
}

// Err is the error that the caller reads; nil if the call is allowed. A need for
// approval has its own type, since a turn waits for it.
func (r Ruling) Err() error {
	switch r.Verdict {
	case Allow:
		return nil
	case NeedsApproval:
		return &parley.NeedsApproval{Rule: r.Rule.String(), Reason: r.Reason()}
	default:
		return parley.Errorf(parley.Denied, "%s", r.Reason())
	}
}

// Explained is the text of err with the rule, for the record.
func (r Ruling) Explained(err error) string {
	return parley.WithRule(parley.Public(err), r.Rule.String())
}

func (r Ruling) decisive(s Step) bool { return s.Rule == r.Rule && s.Verdict == r.Verdict.String() }

// Deciding is the index in Path of the rule that decided, or -1.
func (r Ruling) Deciding() int { return slices.IndexFunc(r.Path, r.decisive) }
