package config

import (
	"parley"
	"parley/internal/policy"
	"parley/internal/yamlfile"
)

// ContactRule is one line of an agent's contacts.
type ContactRule struct {
	Deny bool // else it allows
	// Name is an agent's or a person's, or * for everyone.
	Name             string
	RequiresApproval bool
}

// Profile says which tool calls an agent may make: a preset, and patterns of
// its own that come first.
type Profile struct {
	Preset string
	Own    *policy.Patterns // nil if there are none
}

// own are the patterns.
func (p Profile) own() policy.Patterns {
	if p.Own == nil {
		return policy.Patterns{}
	}
	return *p.Own
}

// Rules collects what the files say about the agent. Everything was checked
// when it was read.
func (a *Agent) Rules() (*policy.Rules, error) {
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
	r.Profile, err = policy.NewProfile(a.Profile.Preset, a.Profile.own())
	return r, err
}

// contactsInto accepts a list of {deny: NAME} and {allow: NAME,
// requires_approval: true}.
func contactsInto(dst *[]ContactRule) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		for _, item := range items {
			rule, wrongs := readContactRule(item)
			found = append(found, wrongs...)
			*dst = append(*dst, rule)
		}
		return found
	}
}

func readContactRule(v yamlfile.Value) (ContactRule, []yamlfile.Mistake) {
	var r ContactRule
	fields, found := v.Fields([]yamlfile.Key{
		{Name: "deny", Read: targetInto(&r.Name), Explicit: true},
		{Name: "allow", Read: targetInto(&r.Name), Explicit: true},
		{Name: "requires_approval", Read: flagInto(&r.RequiresApproval)},
	})
	if found != nil {
		return r, found
	}
	r.Deny = fields.Has("deny")
	switch {
	case r.Deny == fields.Has("allow"):
		return r, v.Wrong("A contact rule says either deny: NAME or allow: NAME.")
	case r.Deny && r.RequiresApproval:
		return r, v.Wrong("A deny cannot require approval. Write allow: %s with requires_approval: true.", r.Name)
	}
	return r, nil
}

// targetInto accepts a name or *.
func targetInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if s, _ := v.Trimmed(); s == policy.Everyone {
			*dst = s
			return nil
		}
		return nameInto(dst)(v)
	}
}

// flagInto accepts true or false.
func flagInto(dst *bool) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var s string
		found := yamlfile.Choice(&s, "true", "false")(v)
		*dst = s == "true"
		return found
	}
}

// profileInto accepts the name of a preset, or a mapping with patterns.
func profileInto(dst *Profile) yamlfile.Reader {
	preset := yamlfile.Choice(&dst.Preset, policy.Presets()...)
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if _, found := v.Trimmed(); found == nil {
			return preset(v)
		}
		var own policy.Patterns
		_, found := v.Fields([]yamlfile.Key{
			{Name: "preset", Read: preset},
			{Name: "deny", Read: patternsInto(&own.Deny)},
			{Name: "allow", Read: patternsInto(&own.Allow)},
			{Name: "ask", Read: patternsInto(&own.Ask)},
		})
		if own.Deny != nil || own.Allow != nil || own.Ask != nil {
			dst.Own = &own
		}
		return found
	}
}

// patternsInto accepts a list of regular expressions.
func patternsInto(dst *[]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		for _, item := range items {
			s, wrongs := item.Trimmed()
			if wrongs == nil {
				if err := policy.CheckPattern(s); err != nil {
					wrongs = item.Wrong("%s", parley.Public(err))
				}
			}
			found = append(found, wrongs...)
			*dst = append(*dst, s)
		}
		return found
	}
}
