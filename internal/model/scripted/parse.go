package scripted

import (
	"regexp"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/yamlfile"
)

// anyAgent names the rules of agents that have none of their own.
const anyAgent = "*"

// Parse reads a script. Errors begin with name:line:column. Everything that
// can be wrong about a script without knowing the conversation is found here,
// so that a turn does not stumble over it later.
func Parse(name string, data []byte) (*Script, error) {
	s := &Script{agents: map[string][]*rule{}}
	root, found := yamlfile.Parse(string(data))
	if found == nil {
		found = s.read(name, root)
	}
	if found != nil {
		// Only the first: the others often follow from it.
		m := found[0]
		return nil, parley.Errorf(parley.Invalid, "%s:%d:%d: %s", name, m.Line, m.Column, m.Text)
	}
	return s, nil
}

func (s *Script) read(file string, root yamlfile.Value) []yamlfile.Mistake {
	if root.Absent() {
		return root.Wrong("The script is empty.")
	}
	fields, found := root.Fields([]yamlfile.Key{key("agents", yamlfile.Any)})
	if found != nil {
		return found
	}
	if !fields.Has("agents") {
		return root.Wrong("A script needs agents.")
	}
	agents, found := fields["agents"].Entries("the names of agents with their rules below them")
	for _, a := range agents {
		found = append(found, s.readAgent(file, a)...)
	}
	return found
}

// key makes every key explicit: one without a value is a slip.
func key(name string, read yamlfile.Reader) yamlfile.Key {
	return yamlfile.Key{Name: name, Read: read, Explicit: true}
}

func (s *Script) readAgent(file string, v yamlfile.Value) []yamlfile.Mistake {
	if v.Key != anyAgent {
		if err := parley.CheckName(v.Key); err != nil {
			return v.WrongKey("%s", parley.Public(err))
		}
	}
	name := parley.FoldName(v.Key)
	if _, ok := s.agents[name]; ok {
		return v.WrongKey("%q is here twice; case makes no difference.", v.Key)
	}
	items, found := list(v)
	for i, item := range items {
		if i > 0 && s.agents[name][i-1].match == nil {
			return append(found, item.Wrong("This rule is never reached: the one before it has no match and takes everything.")...)
		}
		r, wrongs := readRule(file, item)
		s.agents[name] = append(s.agents[name], r)
		found = append(found, wrongs...)
	}
	return found
}

// list is the items of a list that must not be empty.
func list(v yamlfile.Value) ([]yamlfile.Value, []yamlfile.Mistake) {
	items, found := v.Items()
	if found == nil && len(items) == 0 {
		found = v.Wrong("The list must not be empty.")
	}
	return items, found
}

func readRule(file string, v yamlfile.Value) (*rule, []yamlfile.Mistake) {
	r := &rule{}
	fields, found := v.Fields([]yamlfile.Key{
		key("match", yamlfile.Into(&r.match, pattern)),
		key("seen", yamlfile.Into(&r.seen, count)),
		key("steps", yamlfile.Any), // read below, when match is known
	})
	switch {
	case found != nil:
	case fields.Has("seen") && r.match == nil:
		found = fields["seen"].Wrong("It counts the inputs that match, so it needs match.")
	case !fields.Has("steps"):
		found = v.Wrong("A rule needs steps.")
	default:
		r.steps, found = reader{file: file, match: r.match}.steps(fields["steps"])
	}
	return r, found
}

// reader reads the steps of a rule.
type reader struct {
	file  string
	match *regexp.Regexp // of the rule; nil if it has none
}

func (r reader) steps(v yamlfile.Value) ([]step, []yamlfile.Mistake) {
	items, found := list(v)
	steps := make([]step, len(items))
	for i, item := range items {
		if i > 0 && steps[i-1].when == nil && len(steps[i-1].calls) == 0 {
			return nil, append(found, item.Wrong("This step is never reached: the one before it ends the turn, for it calls no tool.")...)
		}
		var wrongs []yamlfile.Mistake
		steps[i], wrongs = r.step(item)
		if found = append(found, wrongs...); i == 0 && steps[i].when != nil {
			found = append(found, item.Wrong("The first step cannot have when: there is no tool result yet.")...)
		}
	}
	return steps, found
}

func (r reader) step(v yamlfile.Value) (step, []yamlfile.Mistake) {
	var st step
	one := call{args: noArguments()}
	fail := failure{class: model.Refused}
	fields, found := v.Fields([]yamlfile.Key{
		key("when", yamlfile.Into(&st.when, pattern)),
		key("wait", yamlfile.Into(&st.wait, duration)),
		key("say", yamlfile.Into(&st.say, r.text)),
		key("call", yamlfile.Into(&one.tool, toolName)),
		key("args", yamlfile.Into(&one.args, r.arguments)),
		key("calls", yamlfile.Into(&st.calls, r.calls)),
		key("fail", yamlfile.Into(&fail.text, r.text)),
		key("class", yamlfile.Choice(&fail.class, model.RateLimited, model.Overloaded, model.Refused, model.Broken)),
		key("retry_after", yamlfile.Into(&fail.retryAfter, duration)),
		key("usage", yamlfile.Into(&st.usage, readUsage)),
	})
	if fields.Has("call") {
		st.calls = []call{one}
	}
	if fields.Has("fail") {
		st.fail = &fail
	}
	if found == nil {
		found = st.check(v, fields)
	}
	return st, found
}

// check refuses keys that make no sense together.
func (s *step) check(v yamlfile.Value, f yamlfile.Fields) []yamlfile.Mistake {
	acts := f.Has("say") || f.Has("call") || f.Has("calls")
	switch {
	case !acts && !f.Has("fail"):
		return v.Wrong("A step needs something to do: say, call, calls or fail.")
	case acts && f.Has("fail"):
		return f["fail"].Wrong("A step that fails cannot say or call anything.")
	case f.Has("call") && f.Has("calls"):
		return f["calls"].Wrong("A step has call or calls, not both.")
	case f.Has("args") && !f.Has("call"):
		return f["args"].Wrong("This belongs to call; in calls each call has its own.")
	case f.Has("fail") && f.Has("usage"):
		return f["usage"].Wrong("A step that fails reports no usage.")
	case f.Has("fail") && s.fail.text.empty():
		return f["fail"].Wrong("A failure must say why.")
	}
	for _, key := range []string{"class", "retry_after"} {
		if f.Has(key) && !f.Has("fail") {
			return f[key].Wrong("This belongs to fail.")
		}
	}
	return nil
}

func (r reader) calls(v yamlfile.Value) ([]call, []yamlfile.Mistake) {
	items, found := list(v)
	calls := make([]call, len(items))
	for i, item := range items {
		calls[i].args = noArguments()
		fields, wrongs := item.Fields([]yamlfile.Key{
			key("tool", yamlfile.Into(&calls[i].tool, toolName)),
			key("args", yamlfile.Into(&calls[i].args, r.arguments)),
		})
		if wrongs == nil && !fields.Has("tool") {
			wrongs = item.Wrong("Each of the calls needs tool.")
		}
		found = append(found, wrongs...)
	}
	return calls, found
}

// text reads a text that may have something to fill in.
func (r reader) text(v yamlfile.Value) (text, []yamlfile.Mistake) {
	s, found := v.Text()
	if found != nil {
		return text{}, found
	}
	t, err := newText(s, r.match)
	if err != nil {
		return text{}, v.Wrong("%v.", err)
	}
	t.place = r.file + ":" + v.Place()
	return t, nil
}

func toolName(v yamlfile.Value) (string, []yamlfile.Mistake) {
	name, found := v.Text()
	if found == nil && name == "" {
		found = v.Wrong("The name of a tool must not be empty.")
	}
	return name, found
}

func pattern(v yamlfile.Value) (*regexp.Regexp, []yamlfile.Mistake) {
	s, found := v.Text()
	if found != nil {
		return nil, found
	}
	if s == "" {
		return nil, v.Wrong("A pattern must not be empty.")
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, v.Wrong("%v.", err)
	}
	return re, nil
}

func duration(v yamlfile.Value) (time.Duration, []yamlfile.Mistake) {
	s, found := v.Text()
	if found != nil {
		return 0, found
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, v.Wrong("Expected a time like 150ms, 2s or 1m30s, not %q.", s)
	}
	return d, nil
}

func count(v yamlfile.Value) (int, []yamlfile.Mistake) { return v.Integer(1, 1_000_000) }
