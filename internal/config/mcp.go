package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/internal/yamlfile"
)

// MCPServer is an outside server whose tools an agent has. Texts may name
// variables of the hub's environment as ${NAME}; they are filled in when the
// server is started.
type MCPServer struct {
	Name string
	// Shared means that parley.yaml describes the server: one process serves all
	// who name it.
	Shared bool

	// Command is started with Args in Dir, which is absolute; or else URL is where
	// the server is.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	URL     string
	Headers map[string]string

	// Unsandboxed is sandbox: off.
	Unsandboxed bool
	// TrustReads is trust: read.
	TrustReads bool
	// Timeout bounds a call; 0 leaves it to the hub.
	Timeout time.Duration
}

// serverDraft is what one file says about servers.
type serverDraft struct {
	own    []MCPServer
	named  []string           // those of parley.yaml
	warned []yamlfile.Mistake // no mistakes, but worth knowing
}

// serversInto accepts a mapping from names to servers. In an agent's file, a
// list of names, or a name with nothing after it, refers to servers of
// parley.yaml.
func serversInto(dst *serverDraft, mayName bool) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if mayName && v.IsList() {
			return namesInto(&dst.named)(v)
		}
		pairs, found := v.Entries("names and what they mean, like name: {command: program}")
		for _, p := range pairs {
			found = append(found, dst.add(p, mayName)...)
		}
		return found
	}
}

// serverName is narrow because it becomes part of the names of tools.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

func (d *serverDraft) add(v yamlfile.Value, mayName bool) []yamlfile.Mistake {
	name := v.Key
	switch {
	case !serverName.MatchString(name):
		return v.Wrong("A server's name has 1 to 32 letters, digits, - and _.")
	case slices.ContainsFunc(d.own, func(s MCPServer) bool { return s.Name == name }):
		return v.Wrong("The server is described twice.")
	case v.Absent() && mayName:
		d.named = append(d.named, name)
		return nil
	}
	s := MCPServer{Name: name, Shared: !mayName}
	found := d.read(v, &s)
	d.own = append(d.own, s)
	return found
}

// read accepts the form of Claude Code's .mcp.json, and our own keys.
func (d *serverDraft) read(v yamlfile.Value, s *MCPServer) []yamlfile.Mistake {
	var kind, trust, box string
	fields, found := v.Fields([]yamlfile.Key{
		{Name: "type", Read: yamlfile.Choice(&kind, "stdio", "http")},
		{Name: "command", Read: textInto(&s.Command)},
		{Name: "args", Read: textsInto(&s.Args)},
		{Name: "env", Read: d.settingsInto(&s.Env)},
		{Name: "cwd", Read: textInto(&s.Dir)},
		{Name: "url", Read: textInto(&s.URL)},
		{Name: "headers", Read: d.settingsInto(&s.Headers)},
		{Name: "sandbox", Read: yamlfile.Choice(&box, "on", "off")},
		{Name: "trust", Read: yamlfile.Choice(&trust, "none", "read")},
		{Name: "timeout", Read: spanInto(&s.Timeout, time.Second, day)},
	})
	s.TrustReads = trust == "read"
	s.Unsandboxed = box == "off"
	if found != nil {
		return found
	}
	return s.check(v, kind, fields)
}

// check refuses what is neither a command nor an address.
func (s *MCPServer) check(v yamlfile.Value, kind string, fields yamlfile.Fields) []yamlfile.Mistake {
	if (s.Command == "") == (s.URL == "") {
		return v.Wrong("A server has either a command or a url.")
	}
	process, remote := []string{"args", "env", "cwd", "sandbox"}, []string{"headers"}
	wrongKeys, what := remote, "A server with a command"
	if s.URL != "" {
		wrongKeys, what = process, "A server with a url"
	}
	for _, k := range wrongKeys {
		if f, ok := fields[k]; ok {
			return wrong(f.Line(), "%s: %s has no %s.", v.Key, what, k)
		}
	}
	if kind == "http" && s.URL == "" || kind == "stdio" && s.URL != "" {
		return v.Wrong("The type %s does not fit: stdio is for a command, http for a url.", kind)
	}
	return nil
}

// settingsInto accepts a mapping from names to texts, and warns of what looks
// like a secret.
func (d *serverDraft) settingsInto(dst *map[string]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		pairs, found := v.Entries("names and what they mean, like name: {command: program}")
		*dst = make(map[string]string, len(pairs))
		for _, p := range pairs {
			s, wrongs := p.Trimmed()
			found = append(found, wrongs...)
			(*dst)[p.Key] = s
			if looksSecret(p.Key, s) {
				d.warned = append(d.warned, p.Wrong("This looks like a secret, and files are copied and shared. "+
					"Put it into the hub's environment and write ${NAME} here.")...)
			}
		}
		return found
	}
}

var (
	secretName  = regexp.MustCompile(`(?i)(key|token|secret|passw|credential|authorization)`)
	secretValue = regexp.MustCompile(`^(sk-|gh[pousr]_|github_pat_|xox[a-z]-|AKIA|AIza|glpat-|eyJ|-----BEGIN|Bearer \S|Basic \S)`)
)

// looksSecret guesses from the name, or from how well-known keys begin. What
// comes from the environment is fine.
func looksSecret(name, value string) bool {
	if value == "" || strings.Contains(value, "${") {
		return false
	}
	return secretName.MatchString(name) || secretValue.MatchString(value)
}

// serversKnown refuses agents that name a server which parley.yaml does not
// describe.
func serversKnown(t *Team, drafts []*draft) (passed []*draft, found []Problem) {
	known := []string{}
	for _, s := range t.MCPServers {
		known = append(known, s.Name)
	}
	passed = make([]*draft, 0, len(drafts))
	for _, d := range drafts {
		named := d.has().servers.named
		unknown := slices.IndexFunc(named, func(name string) bool { return !slices.Contains(known, name) })
		if unknown >= 0 {
			name := named[unknown]
			found = append(found, d.at("mcp_servers", "There is no server %q in %s. %s", name, TeamFile, suggestServer(name, known)))
			continue
		}
		passed = append(passed, d)
	}
	return passed, found
}

func suggestServer(name string, known []string) string {
	if len(known) == 0 {
		return "Describe it there under mcp_servers, or here."
	}
	return yamlfile.Suggest(name, known)
}

// mcpServers are the agent's servers. Those of parley.yaml that it names come
// first.
func (d *draft) mcpServers(t *Team) (list []MCPServer) {
	servers := d.has().servers
	for _, s := range t.MCPServers {
		if slices.Contains(servers.named, s.Name) && !slices.ContainsFunc(servers.own, func(o MCPServer) bool { return o.Name == s.Name }) {
			list = append(list, s)
		}
	}
	for _, s := range servers.own {
		list = append(list, s.located(t))
	}
	return list
}

// located makes the folder of a command absolute; it is the team's by default.
func (s MCPServer) located(t *Team) MCPServer {
	if s.Command != "" {
		s.Dir = t.within(s.Dir)
	}
	return s
}
