package policy

import (
	"regexp"

	"parley"
)

// Profile says which tool calls an agent may make: deny, then allow, then ask for
// approval. What no pattern matches is refused. An agent's own profile is based on a
// preset, which decides where the agent's patterns say nothing. A deny in either goes
// before everything else.
type Profile struct {
	name             string
	deny, allow, ask []pattern
	base             *Profile
}

// Patterns are the texts of a profile's patterns: regular expressions that must match
// a whole action.
type Patterns struct {
	Deny, Allow, Ask []string
}

// pattern is one line of a profile.
type pattern struct {
	text string
	expr *regexp.Regexp
}

func (p pattern) matches(action string) bool { return p.expr.MatchString(action) }

// CheckPattern checks that text can be a pattern.
func CheckPattern(text string) error {
	_, err := newPattern("", text)
	return err
}

// newPattern compiles a pattern. A dot also matches line ends, so that a command of
// two lines does not slip past a deny.
func newPattern(flags, text string) (pattern, error) {
	// First on its own: a text like a)|(b is valid only between our brackets.
	_, err := regexp.Compile(text)
	var expr *regexp.Regexp
	if err == nil {
		expr, err = regexp.Compile(`(?s` + flags + `)\A(?:` + text + `)\z`)
	}
	if err != nil {
		return pattern{}, parley.Errorf(parley.Invalid, "%q is not a regular expression.", text).
			WithHint("A pattern is matched with a whole action, like tool:agent_comm:send .*").WithCause(err)
	}
	return pattern{text, expr}, nil
}

// presets are the built-in profiles. The default is standard.
var presets = map[string]*Profile{
	"open": preset("open", Patterns{Allow: []string{`tool:.*`}}),
	"standard": preset("standard", Patterns{
		Allow: []string{`tool:(agent_comm|channel|task|self|file_read):.*`, `tool:keeper:.*`, `tool:mcp_read:.*`},
		Ask:   []string{`tool:.*`},
	}),
	"guarded": preset("guarded", Patterns{
		Allow: []string{`tool:file_read:.*`, `tool:agent_comm:(list|read_docs .*)`, `tool:agent_comm:read_inbox`, `tool:channel:read .*`, `tool:task:(status|await|remind) .*`, `tool:keeper:(retrieve|list)`, `tool:mcp_read:.*`},
		Ask:   []string{`tool:.*`},
	}),
	"locked": preset("locked", Patterns{Allow: []string{`tool:file_read:.*`}}),
}

// Presets are the names of the built-in profiles.
func Presets() []string { return []string{"open", "standard", "guarded", "locked"} }

// DefaultPreset is the profile of an agent that names none.
const DefaultPreset = "standard"

func preset(name string, p Patterns) *Profile {
	made, err := compile(name, nil, p)
	if err != nil {
		panic(err) // our own mistake; no test would even start
	}
	return made
}

// NewProfile makes a profile from a preset and the agent's own patterns.
func NewProfile(base string, own Patterns) (*Profile, error) {
	begin, ok := presets[base]
	if !ok {
		return nil, parley.Errorf(parley.Invalid, "Unknown profile %q.", base).
			WithHint("Use 'open', 'standard', 'guarded' or 'locked'.")
	}
	if len(own.Deny)+len(own.Allow)+len(own.Ask) == 0 {
		return begin, nil
	}
	return compile("own", begin, own)
}

// compile ignores case in patterns that restrict, as names do, but not in those that
// allow. A slip then refuses too much, never too little.
func compile(name string, base *Profile, texts Patterns) (*Profile, error) {
	p := &Profile{name: name, base: base}
	for _, list := range []struct {
		into  *[]pattern
		flags string
		texts []string
	}{{&p.deny, "i", texts.Deny}, {&p.allow, "", texts.Allow}, {&p.ask, "i", texts.Ask}} {
		for _, text := range list.texts {
			made, err := newPattern(list.flags, text)
			if err != nil {
				return nil, err
			}
			*list.into = append(*list.into, made)
		}
	}
	return p, nil
}

// decide returns the pattern that decides. Without one it refuses. What restricts a
// command restricts it in every folder; what allows one names the folder.
func (p *Profile) decide(action string) (Verdict, Rule) {
	bare := bare(action)
	for layer := p; layer != nil; layer = layer.base {
		if text, ok := match(layer.deny, action, bare); ok {
			return Deny, layer.rule("deny", text)
		}
	}
	for layer := p; ; layer = layer.base {
		if text, ok := match(layer.allow, action); ok {
			return Allow, layer.rule("allow", text)
		}
		if text, ok := match(layer.ask, action, bare); ok {
			return NeedsApproval, layer.rule("ask", text)
		}
		if layer.base == nil {
			return Deny, layer.rule("", "")
		}
	}
}

// match finds the first pattern that matches one of the actions; an empty one is none.
func match(list []pattern, actions ...string) (text string, ok bool) {
	for i := range list {
		for _, action := range actions {
			if action != "" && list[i].matches(action) {
				return list[i].text, true
			}
		}
	}
	return "", false
}

func (p *Profile) rule(list, text string) Rule {
	return Rule{Kind: RuleProfile, Of: p.name, List: list, Entry: text}
}
