package policy

import (
	"slices"

	"parley"
)

// Rules are what the team's files say about one agent. They name others by their
// keys, the folded names, which are unique in a team. So nothing has to be looked up,
// and a rule about somebody who has not joined yet simply matches nobody.
type Rules struct {
	// Manager is the key of the manager; empty for none.
	Manager string
	// CanInvoke is nil for everyone; an empty map is nobody.
	CanInvoke map[string]bool
	Contacts  ContactRules
	Profile   *Profile // standard if nil
	Behavior  Behavior
	// ReadOnly is mode: read, which forbids writing files and running a shell.
	ReadOnly bool
}

// ContactRules say whom an agent may contact, by key. A rule about a target goes
// before a rule about everyone; a deny goes before an allow.
type ContactRules struct {
	Deny  map[string]bool
	Allow map[string]Allowance
	// DenyAll and AllowAll are the rules for "*".
	DenyAll  bool
	AllowAll *Allowance
}

// Everyone is how a contact rule spells everyone.
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

// Permit adds an allow for a name, or for everyone. If a name has two, approval is
// needed as soon as one of them says so.
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

// Allowance says how a contact is allowed.
type Allowance struct {
	NeedsApproval bool
}

// Behavior is how much an agent may do on its own.
type Behavior int

const (
	Autonomous Behavior = iota // everything that is allowed
	Supervised                 // nothing that writes without approval
	Strict                     // nothing without approval
)

// Behaviors are the names of all behaviors, as the files spell them.
func Behaviors() []string {
	return []string{Autonomous: "autonomous", Supervised: "supervised", Strict: "strict"}
}

func (b Behavior) String() string { return Behaviors()[b] }

func ParseBehavior(name string) (Behavior, error) {
	if i := slices.Index(Behaviors(), name); i >= 0 {
		return Behavior(i), nil
	}
	return 0, parley.Errorf(parley.Invalid, "Unknown behavior %q.", name).WithHint("Use 'autonomous', 'supervised' or 'strict'.")
}
