package config

import (
	"crypto/sha256"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/yamlfile"
)

// Team is a team's folder, checked and complete.
type Team struct {
	// Dir is the folder, absolute.
	Dir  string
	Name string
	// Person is whom the command line acts as; empty leaves it to the caller.
	Person string
	// People are the other persons that parley.yaml names. A person may also have
	// a file among the agents.
	People []string
	// Lead is the agent to talk to first; empty if the files name none. LeadLine is where
	// they do.
	Lead     string
	LeadLine int
	// Model is the default of the agents that name none.
	Model Model
	// Providers are the team's own, and what it changes about known ones.
	Providers []Provider
	// Models are what the team says about single models, and the names that it
	// has given to models.
	Models []ModelInfo
	// Toolsets are the default of the agents that name none.
	Toolsets []string
	Store    Store
	// Data is the hub's own folder, absolute.
	Data string
	// Listen is the address of the doors, host:port.
	Listen string
	// TLS encrypts what comes to Listen from other machines.
	TLS TLS
	// PublicURL is where others reach the hub, if that is not Listen; empty if it is.
	PublicURL string
	// Proxies are the addresses of what stands before the hub there.
	Proxies []netip.Prefix
	// Door is what a token, or an address, may do.
	Door Door
	// Workers is how many turns the hub runs at once.
	Workers int
	// Memory is how many bytes the hub may have resident: its caches, and the heap up
	// to which the collector lets it grow.
	Memory int
	// Lease is how long the work of a hub that has died is left alone before
	// another hub on the same database takes it over; 0 leaves it to the hub.
	Lease time.Duration
	// ClientLease is how long a client agent counts as connected after a call; 0 leaves
	// it to the hub.
	ClientLease time.Duration
	// Grace is how long turns may go on after the stop; 0 leaves it to the hub.
	Grace time.Duration
	// KeepMessages and KeepEvents are how long old ones are kept; 0 is for ever.
	KeepMessages, KeepEvents time.Duration
	// Workspace is the folder that agents work in.
	Workspace Workspace
	// Limits are those of the team; each agent has its own, resolved.
	Limits parley.Limits
	// Channels are the group channels that parley.yaml names.
	Channels []Channel
	// Notify are the commands and addresses through which people are told what waits
	// for them.
	Notify []Notify
	// Bridges are the chat programs that the team is in.
	Bridges []Bridge
	// MCPServers are those that agents may name.
	MCPServers []MCPServer
	// Agents are in the order of their files' names.
	Agents []*Agent
	// Warnings are things that the files say but this version does not do.
	Warnings []Problem

	digest [sha256.Size]byte // of the text of parley.yaml
	stamp  stamp             // what that file looked like from outside
	seen   *seen
}

const (
	defaultListen  = "127.0.0.1:7420"
	defaultWorkers = 256
	defaultMemory  = 256 << 20
)

// DatabaseFile is the name of the database in the hub's own folder.
const DatabaseFile = "parley.db"

// DefaultData is the hub's own folder within that of its team.
const DefaultData = ".parley"

// readTeam reads parley.yaml. Its mistakes come back as one error that lists
// them all.
func readTeam(root *os.Root, dir string) (*Team, error) {
	var looks stamp
	looks.note(root, TeamFile)
	text, found, err := readText(root, TeamFile)
	if err != nil {
		return nil, parley.Errorf(parley.NotFound, "There is no team in %s: it has no %s.", dir, TeamFile).
			WithHint("%s", initHint).WithCause(err)
	}
	team, err := parseTeam(text, found, dir)
	if team != nil {
		team.stamp = looks
	}
	return team, err
}

// parseTeam reads the text of parley.yaml. found are the mistakes that it has as a
// file.
func parseTeam(text string, found []yamlfile.Mistake, dir string) (*Team, error) {
	t := &Team{
		digest:    sha256.Sum256([]byte(text)),
		Dir:       dir,
		Name:      parley.MainTeam,
		Toolsets:  []string{"contact"},
		Store:     Store{Driver: SQLite},
		Data:      DefaultData,
		Listen:    defaultListen,
		Workers:   defaultWorkers,
		Memory:    defaultMemory,
		Workspace: Workspace{Folder: "."},
	}
	var limits overlay
	var servers serverDraft
	if found == nil {
		var lines map[string]int
		lines, found = decode(text, append(teamKeys(t, &limits), yamlfile.Key{Name: "mcp_servers", Read: serversInto(&servers, false)}))
		t.LeadLine = lines["lead"]
		found = append(found, t.checkModel(lines["model"])...)
		found = append(found, t.checkPeople(lines["people"])...)
	}
	if found != nil {
		return nil, parley.Errorf(parley.Invalid, "%s", list(problems(TeamFile, found)))
	}
	t.Limits = limits.over(parley.DefaultLimits())
	t.locate()
	for _, s := range servers.own {
		t.MCPServers = append(t.MCPServers, s.located(t))
	}
	t.Warnings = problems(TeamFile, servers.warned)
	return t, nil
}

func teamKeys(t *Team, limits *overlay) []yamlfile.Key {
	return slices.Concat([]yamlfile.Key{
		{Name: "team", Read: nameInto(&t.Name)},
		{Name: "person", Read: nameInto(&t.Person)},
		{Name: "people", Read: peopleInto(&t.People)},
		{Name: "lead", Read: nameInto(&t.Lead)},
		{Name: "model", Read: parsedInto(&t.Model, ParseModel)},
		{Name: "providers", Read: providersInto(&t.Providers)},
		{Name: "models", Read: modelsInto(&t.Models)},
		{Name: "toolsets", Read: toolsetsInto(&t.Toolsets)},
		{Name: "store", Read: parsedInto(&t.Store, ParseStore)},
		{Name: "data", Read: textInto(&t.Data)},
		{Name: "listen", Read: listenInto(&t.Listen)},
		{Name: "workers", Read: integerInto(&t.Workers, 1, 10_000)},
		{Name: "memory", Read: sizeInto(&t.Memory, 128<<20, 1<<40)},
		{Name: "lease", Read: spanInto(&t.Lease, time.Second, time.Hour)},
		{Name: "client_lease", Read: spanInto(&t.ClientLease, time.Second, 24*time.Hour)},
		{Name: "grace", Read: spanInto(&t.Grace, time.Second, time.Hour)},
		{Name: "workspace", Read: workspaceInto(&t.Workspace)},
		{Name: "retention", Read: retentionInto(t)},
		{Name: "limits", Read: limitsInto(limits, teamLimitKeys)},
		{Name: "channels", Read: channelsInto(&t.Channels)},
		{Name: "notify", Read: notifyInto(&t.Notify), Explicit: true},
		{Name: "bridges", Read: bridgesInto(&t.Bridges), Explicit: true},
		{Name: "notify_command", Read: notifyCommandInto(&t.Notify), Explicit: true},
	}, doorKeys(t), noSecrets())
}

// retentionInto accepts how long messages and events are kept. A day is the
// least: anything younger is still in use.
func retentionInto(t *Team) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		_, found := v.Fields([]yamlfile.Key{
			{Name: "messages", Read: spanInto(&t.KeepMessages, day, 36500*day)},
			{Name: "events", Read: spanInto(&t.KeepEvents, day, 36500*day)},
		})
		return found
	}
}

// peopleInto accepts a list of names without repetition.
func peopleInto(dst *[]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		for _, item := range items {
			name, wrongs := readName(item)
			if wrongs == nil && containsName(*dst, name) {
				wrongs = item.Wrong("The name %q is in the list twice.", name)
			}
			found = append(found, wrongs...)
			*dst = append(*dst, name)
		}
		return found
	}
}

func containsName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return parley.FoldName(n) == parley.FoldName(name) })
}

// listenInto accepts host:port. The host may be empty, which means all
// interfaces.
func listenInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		_, port, err := net.SplitHostPort(s)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return v.Wrong("Expected an address like %s, not %q.", defaultListen, s)
		}
		*dst = s
		return nil
	}
}

// locate makes the paths absolute, so that nothing depends on where the hub
// was started.
func (t *Team) locate() {
	t.Data = t.within(t.Data)
	t.Workspace.locate(t)
	if t.TLS.On() {
		t.TLS = TLS{Certificate: t.within(t.TLS.Certificate), Key: t.within(t.TLS.Key)}
	}
	if t.Store.Driver != SQLite {
		return
	}
	if t.Store.Path == "" {
		t.Store.Path = filepath.Join(t.Data, DatabaseFile)
	}
	t.Store.Path = t.within(t.Store.Path)
}

// MoveData gives the hub another folder of its own. A database that lies there
// by default goes with it; one that the files put elsewhere stays.
func (t *Team) MoveData(dir string) {
	if t.Store.Path == filepath.Join(t.Data, DatabaseFile) {
		t.Store.Path = filepath.Join(dir, DatabaseFile)
	}
	t.Data = dir
}

func (t *Team) within(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(t.Dir, filepath.FromSlash(strings.TrimSpace(path)))
}
