package scripted

import (
	"regexp"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"parley"
	"parley/internal/model"
)

// anyAgent names the rules of agents that have none of their own.
const anyAgent = "*"

// Parse reads a script. Errors begin with name:line:column. Everything that
// can be wrong about a script without knowing the conversation is found here,
// so that a turn does not stumble over it later.
func Parse(name string, data []byte) (*Script, error) {
	src := source{name: name}
	root, err := src.root(data)
	if err != nil {
		return nil, err
	}
	fields, err := src.fields(root, "a script", "agents")
	if err != nil {
		return nil, err
	}
	if fields["agents"] == nil {
		return nil, src.errorf(root, "a script needs agents")
	}
	entries, err := src.entries(fields["agents"], "agents")
	if err != nil {
		return nil, err
	}
	agents := make(map[string][]*rule, len(entries))
	for _, e := range entries {
		if err := src.agent(agents, e); err != nil {
			return nil, err
		}
	}
	return &Script{agents: agents, unmatched: unmatchedRule()}, nil
}

func unmatchedRule() *rule {
	return &rule{steps: []step{{say: template{parts: []part{unmatchedText}}}}}
}

// agent adds the rules of one agent.
func (s source) agent(agents map[string][]*rule, e *ast.MappingValueNode) error {
	name, err := s.text(e.Key, "an agent's name")
	if err != nil {
		return err
	}
	if name != anyAgent {
		if err := parley.CheckName(name); err != nil {
			return s.errorf(e.Key, "%s", parley.Public(err))
		}
	}
	if _, ok := agents[parley.FoldName(name)]; ok {
		return s.errorf(e.Key, "%q is here twice; case makes no difference", name)
	}
	items, err := s.list(e.Value, "the rules of "+name)
	if err != nil {
		return err
	}
	rules := make([]*rule, len(items))
	for i, item := range items {
		if i > 0 && rules[i-1].match == nil {
			return s.errorf(item, "this rule is never reached: the one before it has no match and takes everything")
		}
		if rules[i], err = s.rule(item); err != nil {
			return err
		}
	}
	agents[parley.FoldName(name)] = rules
	return nil
}

func (s source) rule(n ast.Node) (*rule, error) {
	f, err := s.fields(n, "a rule", "match", "seen", "steps")
	if err != nil {
		return nil, err
	}
	r := &rule{}
	if v, ok := f["match"]; ok {
		if r.match, err = s.pattern(v, "match"); err != nil {
			return nil, err
		}
	}
	if v, ok := f["seen"]; ok {
		if r.match == nil {
			return nil, s.errorf(v, "seen counts the inputs that match: it needs match")
		}
		if r.seen, err = s.count(v, "seen"); err != nil {
			return nil, err
		}
	}
	steps, ok := f["steps"]
	if !ok {
		return nil, s.errorf(n, "a rule needs steps")
	}
	r.steps, err = s.steps(steps, r.match)
	return r, err
}

func (s source) steps(n ast.Node, match *regexp.Regexp) ([]step, error) {
	items, err := s.list(n, "steps")
	if err != nil {
		return nil, err
	}
	steps := make([]step, len(items))
	for i, item := range items {
		if i > 0 && steps[i-1].when == nil && len(steps[i-1].calls) == 0 {
			return nil, s.errorf(item, "this step is never reached: the one before it ends the turn, for it calls no tool")
		}
		if steps[i], err = s.step(item, match); err != nil {
			return nil, err
		}
		if i == 0 && steps[i].when != nil {
			return nil, s.errorf(item, "the first step cannot have when: there is no tool result yet")
		}
	}
	return steps, nil
}

func (s source) step(n ast.Node, match *regexp.Regexp) (step, error) {
	f, err := s.fields(n, "a step", "when", "wait", "say", "call", "args", "calls", "fail", "class", "retry_after", "usage")
	if err != nil {
		return step{}, err
	}
	if err := s.checkKeys(n, f); err != nil {
		return step{}, err
	}
	var st step
	if v, ok := f["when"]; ok {
		if st.when, err = s.pattern(v, "when"); err != nil {
			return step{}, err
		}
	}
	if v, ok := f["wait"]; ok {
		if st.wait, err = s.duration(v, "wait"); err != nil {
			return step{}, err
		}
	}
	if v, ok := f["say"]; ok {
		if st.say, err = s.template(v, "say", match); err != nil {
			return step{}, err
		}
	}
	if st.calls, err = s.calls(f, match); err != nil {
		return step{}, err
	}
	if st.usage, err = s.usage(f["usage"]); err != nil {
		return step{}, err
	}
	st.fail, err = s.failure(f, match)
	return st, err
}

// checkKeys refuses keys that make no sense together.
func (s source) checkKeys(n ast.Node, f map[string]ast.Node) error {
	has := func(key string) bool { return f[key] != nil }
	switch {
	case !has("say") && !has("call") && !has("calls") && !has("fail"):
		return s.errorf(n, "a step needs something to do: say, call, calls or fail")
	case has("fail") && (has("say") || has("call") || has("calls")):
		return s.errorf(f["fail"], "a step that fails cannot say or call anything")
	case has("call") && has("calls"):
		return s.errorf(f["calls"], "a step has call or calls, not both")
	case has("args") && !has("call"):
		return s.errorf(f["args"], "args belong to call; in calls each call has its own")
	case has("fail") && has("usage"):
		return s.errorf(f["usage"], "a step that fails reports no usage")
	case has("class") && !has("fail"):
		return s.errorf(f["class"], "class belongs to fail")
	case has("retry_after") && !has("fail"):
		return s.errorf(f["retry_after"], "retry_after belongs to fail")
	}
	return nil
}

func (s source) calls(f map[string]ast.Node, match *regexp.Regexp) ([]call, error) {
	if tool, ok := f["call"]; ok {
		c, err := s.call(tool, f["args"], match)
		return []call{c}, err
	}
	n, ok := f["calls"]
	if !ok {
		return nil, nil
	}
	items, err := s.list(n, "calls")
	if err != nil {
		return nil, err
	}
	calls := make([]call, len(items))
	for i, item := range items {
		f, err := s.fields(item, "an entry of calls", "tool", "args")
		if err != nil {
			return nil, err
		}
		if f["tool"] == nil {
			return nil, s.errorf(item, "an entry of calls needs tool")
		}
		if calls[i], err = s.call(f["tool"], f["args"], match); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

func (s source) call(tool, args ast.Node, match *regexp.Regexp) (call, error) {
	name, err := s.text(tool, "the name of a tool")
	if err != nil {
		return call{}, err
	}
	if name == "" {
		return call{}, s.errorf(tool, "the name of a tool must not be empty")
	}
	c := call{tool: name, args: value{json: []byte("{}")}}
	if args == nil {
		return c, nil
	}
	if _, err := s.entries(args, "args"); err != nil {
		return call{}, err
	}
	c.args, err = s.value(args, match)
	return c, err
}

func (s source) failure(f map[string]ast.Node, match *regexp.Regexp) (*failure, error) {
	n, ok := f["fail"]
	if !ok {
		return nil, nil
	}
	text, err := s.template(n, "fail", match)
	if err != nil {
		return nil, err
	}
	if len(text.parts) == 0 {
		return nil, s.errorf(n, "fail must say why")
	}
	fail := &failure{text: text, class: model.Refused}
	if v, ok := f["class"]; ok {
		if fail.class, err = s.class(v); err != nil {
			return nil, err
		}
	}
	if v, ok := f["retry_after"]; ok {
		if fail.retryAfter, err = s.duration(v, "retry_after"); err != nil {
			return nil, err
		}
	}
	return fail, nil
}

func (s source) class(n ast.Node) (model.Class, error) {
	text, err := s.text(n, "class")
	if err != nil {
		return "", err
	}
	class := model.Class(text)
	if !slices.Contains([]model.Class{model.RateLimited, model.Overloaded, model.Refused, model.Broken}, class) {
		return "", s.errorf(n, "class is rate_limited, overloaded, refused or broken, not %q", text)
	}
	return class, nil
}
