package config

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"parley"
	"parley/internal/policy"
)

// The rules of an agent as words, the same in commands, in the HTTP API and in
// the record: contacts are deny:NAME, allow:NAME and, where it needs approval,
// ask:NAME; a profile is a preset's name and deny:, allow: and ask:PATTERN; the
// others are names.

// The keys of an agent's file that are its rules.
const (
	KeyManager   = "manager"
	KeyCanInvoke = "can_invoke"
	KeyContacts  = "contacts"
	KeyMode      = "mode"
	KeyProfile   = "profile"
	KeyBehavior  = "behavior"
)

// RuleKeys are those keys, in the order in which a decision looks at them.
func RuleKeys() []string {
	return []string{KeyManager, KeyCanInvoke, KeyContacts, KeyMode, KeyProfile, KeyBehavior}
}

// CheckRuleKey refuses a key that is not a rule.
func CheckRuleKey(key string) error {
	if slices.Contains(RuleKeys(), key) {
		return nil
	}
	return parley.Errorf(parley.Invalid, "%q is not a rule.", parley.Clip(key, 40)).
		WithHint("%s The rules are %s.", suggestRule(key), strings.Join(RuleKeys(), ", "))
}

func suggestRule(key string) string {
	if near := parley.Nearest(key, RuleKeys(), 1); len(near) > 0 {
		return "Did you mean " + near[0] + "?"
	}
	return "Other keys are changed in the file."
}

// RuleWords is the value that holds for a key, even if no file sets it. For
// can_invoke, no words mean everyone if the file has no such key, and nobody if
// it has.
func (a *Agent) RuleWords(key string) []string {
	switch key {
	case KeyManager:
		return oneWord(a.Manager)
	case KeyCanInvoke:
		return slices.Clone(a.CanInvoke)
	case KeyContacts:
		return contactWords(a.Contacts)
	case KeyMode:
		return oneWord(a.Mode)
	case KeyProfile:
		return profileWords(a.Profile)
	case KeyBehavior:
		return oneWord(a.Behavior)
	}
	return nil
}

func oneWord(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func contactWords(rules []ContactRule) (words []string) {
	for _, r := range rules {
		switch {
		case r.Deny:
			words = append(words, "deny:"+r.Name)
		case r.RequiresApproval:
			words = append(words, "ask:"+r.Name)
		default:
			words = append(words, "allow:"+r.Name)
		}
	}
	return words
}

func profileWords(p Profile) []string {
	words, own := []string{p.Preset}, p.own()
	for _, list := range []struct {
		verb  string
		texts []string
	}{{"deny", own.Deny}, {"allow", own.Allow}, {"ask", own.Ask}} {
		for _, text := range list.texts {
			words = append(words, list.verb+":"+text)
		}
	}
	return words
}

// ruleLines is a key with its value as lines of YAML; the first line begins
// with the key. It refuses malformed words. Whether the others mean something
// is found out by reading the lines.
func ruleLines(key string, words []string) ([]string, error) {
	for i, word := range words {
		if words[i] = strings.TrimSpace(word); words[i] == "" || strings.ContainsFunc(word, unicode.IsControl) {
			return nil, parley.Errorf(parley.Invalid, "A value of %s is empty or has a line end in it.", key)
		}
	}
	switch key {
	case KeyCanInvoke:
		return listLines(key, words), nil
	case KeyContacts:
		return contactLines(words)
	case KeyProfile:
		return profileLines(words)
	}
	if len(words) != 1 {
		return nil, parley.Errorf(parley.Invalid, "%s has one value, not %d.", key, len(words)).
			WithHint("To take it away, use unset.")
	}
	return []string{key + ": " + scalar(words[0])}, nil
}

// lineWidth is how long a list on one line may be.
const lineWidth = 80

func listLines(key string, words []string) []string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = scalar(w)
	}
	if line := key + ": [" + strings.Join(quoted, ", ") + "]"; len(line) <= lineWidth {
		return []string{line}
	}
	lines := []string{key + ":"}
	for _, w := range quoted {
		lines = append(lines, "  - "+w)
	}
	return lines
}

func contactLines(words []string) ([]string, error) {
	if len(words) == 0 {
		return []string{KeyContacts + ": []"}, nil
	}
	lines := []string{KeyContacts + ":"}
	for _, word := range words {
		verb, name, _ := strings.Cut(word, ":")
		switch verb {
		case "deny", "allow":
			lines = append(lines, "  - "+verb+": "+scalar(name))
		case "ask":
			lines = append(lines, "  - allow: "+scalar(name), "    requires_approval: true")
		default:
			return nil, parley.Errorf(parley.Invalid, "%q is not a contact rule.", parley.Clip(word, 80)).
				WithHint("Write allow:NAME, deny:NAME, or ask:NAME for one that needs approval; * is everyone.")
		}
	}
	return lines, nil
}

func profileLines(words []string) ([]string, error) {
	preset, lists := "", map[string][]string{}
	for _, word := range words {
		verb, text, isPattern := strings.Cut(word, ":")
		switch {
		case !isPattern && preset == "":
			preset = word
		case isPattern && slices.Contains([]string{"deny", "allow", "ask"}, verb):
			lists[verb] = append(lists[verb], text)
		default:
			return nil, parley.Errorf(parley.Invalid, "%q does not fit into the profile.", parley.Clip(word, 80)).
				WithHint("Write one of %s, and patterns like deny:tool:shell:.*, allow:… or ask:…", strings.Join(policy.Presets(), ", "))
		}
	}
	if len(lists) == 0 {
		return []string{KeyProfile + ": " + scalar(preset)}, nil
	}
	lines := []string{KeyProfile + ":"}
	if preset != "" {
		lines = append(lines, "  preset: "+scalar(preset))
	}
	for _, verb := range []string{"deny", "allow", "ask"} {
		if len(lists[verb]) > 0 {
			lines = append(lines, "  "+verb+":")
		}
		for _, text := range lists[verb] {
			lines = append(lines, "    - "+scalar(text))
		}
	}
	return lines, nil
}

// plain matches what means the same with and without quotes, anywhere in YAML.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 _.-]*$`)

// scalar writes a text as YAML.
func scalar(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
	default:
		if plain.MatchString(s) {
			return s
		}
	}
	return fmt.Sprintf("'%s'", strings.ReplaceAll(s, "'", "''"))
}

// ReadRules reads an agent's file on its own, for its rules. What the team adds
// to an agent is not there.
func ReadRules(file string, data []byte) (*Agent, error) {
	if line := binaryLine(data); line > 0 {
		return &Agent{}, refuse(problems(file, wrong(line, "This is not UTF-8 text.")))
	}
	d, found := newDraft(file, fallbackName(file), plainLines(string(bytes.TrimPrefix(data, []byte("\uFEFF")))))
	if d == nil {
		d = &draft{}
	}
	return &d.agent, refuse(problems(file, found))
}

// Differs names the keys in which two versions of an agent differ. Instructions
// count as one key, whichever file they are in. It tells nothing about the
// values.
func (a *Agent) Differs(b *Agent) (keys []string) {
	for _, k := range []struct {
		name string
		same bool
	}{
		{"file", a.File == b.File},
		{"name", a.Name == b.Name},
		{"description", a.Description == b.Description},
		{"kind", a.Kind == b.Kind},
		{"model", a.Model == b.Model},
		{"tools", slices.Equal(a.Tools, b.Tools)},
		{"toolsets", slices.Equal(a.Toolsets, b.Toolsets)},
		{"limits", sameLimits(a.Limits, b.Limits)},
		{"role", a.Role == b.Role},
		{"shared", a.Shared == b.Shared},
		{"isolated", a.Isolated == b.Isolated},
		{"mcp_servers", reflect.DeepEqual(a.MCPServers, b.MCPServers)},
		{"schedule", slices.EqualFunc(a.Schedule, b.Schedule, Schedule.Equal)},
		{"instructions", a.Instructions == b.Instructions && a.Knowledge() == b.Knowledge()},
	} {
		if !k.same {
			keys = append(keys, k.name)
		}
	}
	for _, key := range RuleKeys() {
		// Nobody and everyone both have no words.
		if !slices.Equal(a.RuleWords(key), b.RuleWords(key)) || key == KeyCanInvoke && (a.CanInvoke == nil) != (b.CanInvoke == nil) {
			keys = append(keys, key)
		}
	}
	return keys
}

func sameLimits(a, b *parley.Limits) bool {
	return a == b || a != nil && b != nil && *a == *b
}
