package config

import (
	"parley"
	"parley/internal/policy"
)

// ContactRule is one line of an agent's contacts.
type ContactRule struct {
	Deny bool // else it allows
	// Name is an agent's or a person's, or * for everyone.
	Name             string
	RequiresApproval bool
}

// Profile is which tool calls an agent may make: a preset, and patterns of its
// own that go before it.
type Profile struct {
	Preset string
	Own    policy.Patterns
}

// Rules puts together what the files say of the agent. Everything was checked
// when it was read.
func (a Agent) Rules() (*policy.Rules, error) {
	r := &policy.Rules{Manager: parley.FoldName(a.Manager), ReadOnly: a.Mode == "read"}
	if a.CanInvoke != nil {
		r.CanInvoke = map[string]bool{}
		for _, name := range a.CanInvoke {
			r.CanInvoke[parley.FoldName(name)] = true
		}
	}
	for _, c := range a.Contacts {
		if c.Deny {
			r.Contacts.Forbid(c.Name)
		} else {
			r.Contacts.Permit(c.Name, policy.Allowance{NeedsApproval: c.RequiresApproval})
		}
	}
	var err error
	if r.Behavior, err = policy.ParseBehavior(a.Behavior); err != nil {
		return nil, err
	}
	r.Profile, err = policy.NewProfile(a.Profile.Preset, a.Profile.Own)
	return r, err
}

// contactsInto accepts a list of {deny: NAME} and {allow: NAME,
// requires_approval: true}.
func contactsInto(dst *[]ContactRule) func(value) []mistake {
	return func(v value) []mistake {
		items, found := v.items()
		for _, item := range items {
			rule, wrongs := item.contactRule()
			found = append(found, wrongs...)
			*dst = append(*dst, rule)
		}
		return found
	}
}

func (v value) contactRule() (ContactRule, []mistake) {
	var r ContactRule
	lines, found := v.fields([]key{
		{name: "deny", read: targetInto(&r.Name), explicit: true},
		{name: "allow", read: targetInto(&r.Name), explicit: true},
		{name: "requires_approval", read: flagInto(&r.RequiresApproval)},
	})
	if found != nil {
		return r, found
	}
	r.Deny = lines["deny"] != 0
	switch {
	case r.Deny == (lines["allow"] != 0):
		return r, v.wrong("A contact rule says either deny: NAME or allow: NAME.")
	case r.Deny && r.RequiresApproval:
		return r, v.wrong("A deny cannot require approval. Write allow: %s with requires_approval: true.", r.Name)
	}
	return r, nil
}

// targetInto accepts a name or *.
func targetInto(dst *string) func(value) []mistake {
	return func(v value) []mistake {
		if s, _ := v.text(); s == policy.Everyone {
			*dst = s
			return nil
		}
		return nameInto(dst)(v)
	}
}

// flagInto accepts true or false.
func flagInto(dst *bool) func(value) []mistake {
	return func(v value) []mistake {
		var s string
		found := choiceInto(&s, "true", "false")(v)
		*dst = s == "true"
		return found
	}
}

// profileInto accepts the name of a preset, or a mapping with patterns.
func profileInto(dst *Profile) func(value) []mistake {
	preset := choiceInto(&dst.Preset, policy.Presets()...)
	return func(v value) []mistake {
		if _, found := v.text(); found == nil {
			return preset(v)
		}
		_, found := v.fields([]key{
			{name: "preset", read: preset},
			{name: "deny", read: patternsInto(&dst.Own.Deny)},
			{name: "allow", read: patternsInto(&dst.Own.Allow)},
			{name: "ask", read: patternsInto(&dst.Own.Ask)},
		})
		return found
	}
}

// patternsInto accepts a list of regular expressions.
func patternsInto(dst *[]string) func(value) []mistake {
	return func(v value) []mistake {
		items, found := v.items()
		for _, item := range items {
			s, wrongs := item.text()
			if wrongs == nil {
				if err := policy.CheckPattern(s); err != nil {
					wrongs = item.wrong("%s", parley.Public(err))
				}
			}
			found = append(found, wrongs...)
			*dst = append(*dst, s)
		}
		return found
	}
}
