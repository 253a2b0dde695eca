package policy

import (
	"slices"

	"parley"
)

// Rules are what the team's files say of one agent. They name others by their
// keys, the folded names, which are unique in a team: a rule about somebody who
// has not joined yet matches nobody until then, and nothing has to be looked up.
type Rules struct {
	// Manager is a key; empty for none.
	Manager string
	// CanInvoke is nil for everyone; an empty one is nobody.
	CanInvoke map[string]bool
	Contacts  ContactRules
	Profile   *Profile // standard if nil
	Behavior  Behavior
	// ReadOnly is mode: read, which keeps from writing files and from the shell.
	ReadOnly bool
}

// ContactRules say whom an agent may contact, by key. What is said of a target
// goes before what is said of all; a deny goes before an allow.
type ContactRules struct {
	Deny  map[string]bool
	Allow map[string]Allowance
	// DenyAll and AllowAll are the rules for "*".
	DenyAll  bool
	AllowAll *Allowance
}

// Everyone is the name that a contact rule has for everyone.
const Everyone = "*"

// Forbid adds a deny for a name, or for everyone.
func (r *ContactRules) Forbid(name string) {
	if name == Everyone {
		r.DenyAll = true
		return
	}
	if r.Deny == nil {
		r.Deny = map[string]bool{}
	}
	r.Deny[parley.FoldName(name)] = true
}

// Permit adds an allow for a name, or for everyone. Of two for the same name the
// one that needs approval stands.
func (r *ContactRules) Permit(name string, a Allowance) {
	if name == Everyone {
		if r.AllowAll == nil || a.NeedsApproval {
			r.AllowAll = &a
		}
		return
	}
	if r.Allow == nil {
		r.Allow = map[string]Allowance{}
	}
	key := parley.FoldName(name)
	a.NeedsApproval = a.NeedsApproval || r.Allow[key].NeedsApproval
	r.Allow[key] = a
}

// Allowance is how a contact is allowed.
type Allowance struct {
	NeedsApproval bool
}

// Behavior is how much an agent does by itself.
type Behavior int

const (
	Autonomous Behavior = iota // everything that is allowed
	Supervised                 // nothing that writes without approval
	Strict                     // nothing without approval
)

// Behaviors are their names, as the files spell them.
func Behaviors() []string {
	return []string{Autonomous: "autonomous", Supervised: "supervised", Strict: "strict"}
}

func (b Behavior) String() string { return Behaviors()[b] }

// ParseBehavior reads a name.
func ParseBehavior(name string) (Behavior, error) {
	if i := slices.Index(Behaviors(), name); i >= 0 {
		return Behavior(i), nil
	}
	return 0, parley.Errorf(parley.Invalid, "Unknown behavior %q.", name).WithHint("Use 'autonomous', 'supervised' or 'strict'.")
}
