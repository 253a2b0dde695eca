package app

import (
	"context"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/notify"
	"parley/internal/rulebook"
	"parley/internal/store"
	"parley/internal/workspace"
)

// teamFiles applies changes of a team's files while the hub runs. All files are read
// first, and then everything changes at once. A running turn keeps what it began
// with. It implements rulebook.Files.
type teamFiles struct {
	hub    *Hub
	cfg    ServeConfig
	team   parley.Team
	person string // who the command line acts as, as long as the hub runs
	log    *slog.Logger

	mu       sync.Mutex
	held     *config.Team
	problems []config.Problem
	restart  []string
	// read is the team as it was read last, and unread are the files that have changed since.
	// applied is the one that is in force; whole says that all its files are.
	read, applied *config.Team
	unread        []string
	whole         bool
	// recalled are the memories in the data folder that are in force.
	recalled map[string]bool
	biggest  int // the largest message that the doors accept
	// noticed is what the hub took over by itself, at noticedAt, and nobody has asked for
	// since.
	noticed   rulebook.Change
	noticedAt time.Time

	// openTools gives the hub a toolset that depends on the files and that nobody had
	// before.
	openTools func(context.Context, *config.Team) error
	toolsets  func() toolsets
	space     func() *workspace.Workspace
	memories  *memories
	// teller tells people what waits for them.
	teller *notify.Teller
	// bridges bring the team into chat programs.
	bridges *bridges
}

func newTeamFiles(h *Hub, cfg ServeConfig, team parley.Team, person string, r Roster, problems []config.Problem) *teamFiles {
	held := *cfg.Team
	held.Person, held.Agents = person, r.present(held.Agents)
	teller := notify.New(notify.Config{Store: h.Store, Team: team, Dir: held.Dir, Log: cfg.Log})
	return &teamFiles{hub: h, cfg: cfg, team: team, person: person, log: cfg.Log, held: &held, read: cfg.filed, applied: cfg.filed, whole: len(cfg.Problems) == 0 && !r.Partial, problems: problems, recalled: r.recalled, biggest: r.largestMessage(), teller: teller, bridges: newBridges(h, team, cfg.Team.Lease, cfg.Log)}
}

// present leaves out the agents that could not join.
func (r *Roster) present(agents []*config.Agent) []*config.Agent {
	there := r.names()
	return slices.DeleteFunc(slices.Clone(agents), func(a *config.Agent) bool { return !there[parley.FoldName(a.Name)] })
}

// names are the folded names of all members.
func (r *Roster) names() map[string]bool {
	set := make(map[string]bool, r.count())
	for i := range r.count() {
		set[parley.FoldName(r.seat(i).name)] = true
	}
	return set
}

// Held is the team that is in force now.
func (f *teamFiles) Current() *config.Team {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.held
}

// Problems are the mistakes in the files now.
func (f *teamFiles) Problems() []config.Problem {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problems
}

// justNow is how long ago the hub may have taken a change over by itself for a reload to
// report it: who saves a file and says reload wants to hear of it, whoever was first.
const justNow = time.Minute

// Reload reads the files and applies what has changed. If it fails, nothing changes.
func (f *teamFiles) Reload(ctx context.Context, by parley.AgentID) (rulebook.Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change, err := f.take(ctx, by, true, func() (*config.Team, []config.Problem, error) { return config.Reread(f.held, f.read) })
	if err == nil && time.Since(f.noticedAt) < justNow {
		change = change.After(f.noticed)
	}
	if err == nil {
		f.noticed = rulebook.Change{}
	}
	return change, err
}

// take applies what has changed in the files, as read finds them. all says that it reads
// all of them.
func (f *teamFiles) take(ctx context.Context, by parley.AgentID, all bool, read func() (*config.Team, []config.Problem, error)) (rulebook.Change, error) {
	now, problems, err := read()
	if err != nil {
		f.log.Error("the team's files cannot be used; the team stays as it was", "problem", parley.Public(err))
		return rulebook.Change{}, err
	}
	f.read, f.unread = now, nil
	if a, ok := f.amendment(now, problems, all); ok {
		return f.amend(ctx, by, a)
	}
	f.whole = false // until all is applied
	return f.replace(ctx, by, now, problems)
}

// replace takes the whole team over from the files.
func (f *teamFiles) replace(ctx context.Context, by parley.AgentID, read *config.Team, problems []config.Problem) (rulebook.Change, error) {
	now := new(*read)
	roster, left, err := f.roster(now, problems)
	if err != nil {
		return rulebook.Change{}, err
	}
	now.Agents = roster.present(now.Agents)
	if err := f.openTools(ctx, now); err != nil {
		return rulebook.Change{}, err
	}
	f.memories.take(now.Agents)
	roster.Toolsets, roster.Workspace = f.toolsets(), f.space()
	change := f.compare(roster, now, left)
	roster.By, roster.Changes = by, f.details(change)
	if _, err := f.hub.Join(ctx, roster); err != nil {
		return change, err
	}
	if err := f.hub.Contacts.AskNewManagers(ctx, f.team.ID); err != nil {
		f.log.Warn("the managers could not be told what waits", "error", err)
	}
	f.tell(ctx, change, left, by)
	f.tellPeople(ctx, now)
	f.bridges.set(now)
	f.hold(now, left, change.Restart)
	f.recalled = roster.recalled
	f.applied, f.whole = read, len(problems) == 0 && !roster.Partial
	if len(now.Agents) >= largeTeam {
		f.cfg.settleMemory(len(now.Agents))
	}
	return change, nil
}

// roster makes the members from the files. An agent whose model cannot be made stays as
// it was, like one whose file has a mistake.
func (f *teamFiles) roster(now *config.Team, problems []config.Problem) (Roster, []config.Problem, error) {
	cfg := f.cfg
	moved := *placed(now, f.cfg.Team)
	moved.Person, moved.Name = f.person, f.held.Name
	cfg.Team, cfg.Problems, cfg.models = &moved, problems, f.cfg.models.again(now)
	for {
		roster, _, left, err := enlist(cfg)
		if err != nil || !f.keepOld(&moved, left[len(problems):]) {
			// Agents that stay as they were are not missing.
			roster.Partial = slices.ContainsFunc(left, func(p config.Problem) bool { return !f.isKept(&moved, p) })
			now.Agents, f.cfg.models = moved.Agents, cfg.models
			return roster, left, err
		}
		problems = left
		cfg.Problems = left
	}
}

// keepOld restores the agents that enlist has left out, as they were before. It reports
// whether there were any.
func (f *teamFiles) keepOld(team *config.Team, left []config.Problem) (kept bool) {
	team.Agents = slices.Clone(team.Agents)
	for _, p := range left {
		i := slices.IndexFunc(team.Agents, func(a *config.Agent) bool { return a.File == p.File })
		old := slices.IndexFunc(f.held.Agents, func(a *config.Agent) bool { return a.File == p.File })
		if i < 0 || old < 0 || team.Agents[i].Mistake != "" {
			continue
		}
		name := parley.FoldName(f.held.Agents[old].Name)
		if other := slices.IndexFunc(team.Agents, func(a *config.Agent) bool { return parley.FoldName(a.Name) == name }); other >= 0 && other != i {
			continue // somebody else has its name now
		}
		as := *f.held.Agents[old]
		as.Mistake = p.String()
		team.Agents[i] = &as
		kept = true
	}
	return kept
}

func (f *teamFiles) isKept(team *config.Team, p config.Problem) bool {
	return slices.ContainsFunc(team.Agents, func(a *config.Agent) bool { return a.Mistake == p.String() || a.Mistake != "" && a.File == p.File })
}

// compare says what has changed.
func (f *teamFiles) compare(r Roster, now *config.Team, problems []config.Problem) rulebook.Change {
	change := rulebook.Change{Restart: config.NeedRestart(f.cfg.filed, now)}
	if f.cfg.further {
		change.Restart = config.WithoutHubSettings(change.Restart)
	}
	if r.largestMessage() > f.biggest {
		change.Restart = append(change.Restart, "limits.message_bytes")
	}
	before, after := byName(f.held.Agents), byName(now.Agents)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		a := after[name]
		if b, known := before[name]; !known {
			change.Joined = append(change.Joined, a.Name)
		} else if keys := b.Differs(a); keys != nil {
			change.Changed = append(change.Changed, rulebook.Changed{Agent: a.Name, Keys: keys})
		}
		if a.Mistake != "" {
			change.Kept = append(change.Kept, rulebook.Kept{Agent: a.Name, Mistake: a.Mistake})
		}
	}
	f.comparePeople(&change, now)
	change.Channels = config.CompareChannels(f.held.Channels, now.Channels)
	change.Models = config.CompareModels(f.held, now)
	if !reflect.DeepEqual(f.held.Notify, now.Notify) {
		change.Models = append(change.Models, "notify")
	}
	if !reflect.DeepEqual(f.held.Bridges, now.Bridges) {
		change.Models = append(change.Models, "bridges")
	}
	if r.Partial { // nothing is removed, since some files could not be read
		change.Channels = slices.DeleteFunc(change.Channels, func(c config.ChannelChange) bool { return c.What == "removed" })
	}
	there := r.names()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !there[name] {
			change.Removed = append(change.Removed, before[name].Name)
		}
	}
	for _, p := range FoldProblems(problems) {
		change.Problems = append(change.Problems, p.String())
	}
	return change
}

// comparePeople compares the people that only parley.yaml names.
func (f *teamFiles) comparePeople(change *rulebook.Change, now *config.Team) {
	for _, name := range now.People {
		if !containsFolded(f.held.People, name) && parley.FoldName(name) != parley.FoldName(f.person) {
			change.Joined = append(change.Joined, name)
		}
	}
	for _, name := range f.held.People {
		if !containsFolded(now.People, name) && parley.FoldName(name) != parley.FoldName(f.person) {
			change.Removed = append(change.Removed, name)
		}
	}
}

func containsFolded(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return parley.FoldName(n) == parley.FoldName(name) })
}

func byName(agents []*config.Agent) map[string]*config.Agent {
	m := make(map[string]*config.Agent, len(agents))
	for _, a := range agents {
		m[parley.FoldName(a.Name)] = a
	}
	return m
}

// details says for the record which keys of an agent have changed, but never their
// values. If several hubs share a database, each applies the files and records it by
// itself.
func (f *teamFiles) details(c rulebook.Change) map[string]string {
	where := ""
	if f.hub.Store.Shared() {
		where = " (at " + hubName() + ")"
	}
	details := map[string]string{}
	for _, a := range c.Changed {
		details[parley.FoldName(a.Agent)] = "changed: " + strings.Join(a.Keys, ", ") + where
	}
	return details
}

// tell logs what has changed, and records new mistakes.
func (f *teamFiles) tell(ctx context.Context, c rulebook.Change, problems []config.Problem, by parley.AgentID) {
	if !c.Nothing() {
		f.log.Info("the team's files were taken over", "joined", c.Joined, "changed", changedNames(c), "removed", c.Removed, "channels", c.Channels, "models", c.Models)
	}
	var events []parley.Event
	fresh := slices.DeleteFunc(slices.Clone(problems), func(p config.Problem) bool { return slices.Contains(f.problems, p) })
	for _, p := range FoldProblems(fresh) {
		f.log.Error("a file of the team has a mistake; what it says is not taken over", "problem", p.String())
	}
	for _, p := range fresh {
		e := parley.Event{Team: f.team.ID, Kind: parley.EventReload, Actor: by, Detail: p.String()}
		if i := slices.IndexFunc(c.Kept, func(k rulebook.Kept) bool { return k.Mistake == p.String() }); i >= 0 {
			stored, _ := f.hub.Directory.Find(f.team.ID, c.Kept[i].Agent)
			e.Target, e.Detail = stored.ID, "kept as it was: "+e.Detail
		}
		events = append(events, e)
	}
	if len(c.Models) > 0 {
		events = append(events, parley.Event{Team: f.team.ID, Kind: parley.EventReload, Actor: by, Detail: "changed: " + strings.Join(c.Models, "; ")})
	}
	if len(c.Restart) > 0 && !slices.Equal(c.Restart, f.restart) {
		f.log.Warn("settings were changed that need a restart of the hub", "settings", strings.Join(c.Restart, ", "))
		events = append(events, parley.Event{Team: f.team.ID, Kind: parley.EventReload, Actor: by, Detail: "needs a restart: " + strings.Join(c.Restart, ", ")})
	}
	if events == nil {
		return
	}
	err := f.hub.Store.Update(ctx, func(tx *store.Tx) error {
		for _, e := range events {
			tx.Record(e)
		}
		return nil
	})
	if err != nil {
		f.log.Error("what is wrong with the team's files could not be recorded", "error", err)
	}
}

func changedNames(c rulebook.Change) (names []string) {
	for _, a := range c.Changed {
		names = append(names, a.Agent+" ("+strings.Join(a.Keys, ", ")+")")
	}
	return names
}

// hold remembers what is now in force.
func (f *teamFiles) hold(now *config.Team, problems []config.Problem, restart []string) {
	f.held, f.problems, f.restart = f.held.TakeOver(now), problems, restart
}
