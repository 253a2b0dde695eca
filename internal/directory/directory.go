// Package directory knows who is in a team: it finds an agent by name, suggests the
// nearest names for a wrong one, and holds the limits and rules that the team's files
// give each agent. It mirrors the files in memory. What changes while the hub runs,
// such as who sleeps, is in the store.
package directory

import (
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/policy"
)

// Entry is one participant.
type Entry struct {
	ID          parley.AgentID
	Team        parley.TeamID
	Name        string
	Kind        parley.AgentKind
	Description string         // for others, from the files
	Role        string         // what it does in the team; empty if the files do not say
	Model       string         // from the files; empty if the hub does not run it
	Docs        Docs           // for others to read
	Limits      *parley.Limits // shared by agents with the same limits
	Rules       *policy.Rules  // never changed once here; nil if retired
	Isolated    bool           // its mail stays in the dm with the sender
	Retired     bool           // no longer in the files; kept for the record
	Mistake     string         // in its file at present; the rest is as it was before
	Lead        bool           // people talk to it first

	folded string
}

// Docs is the folder of an agent that others may read.
type Docs struct {
	// Home is the team's folder, absolute.
	Home string
	// Folder is relative to Home, with slashes; empty if the agent has none.
	Folder string
}

// Party is the participant as the rules see it.
func (e Entry) Party() policy.Party {
	return policy.Party{Name: e.Name, Key: e.folded, Kind: e.Kind, Rules: e.Rules}
}

// Directory is safe for concurrent use.
type Directory struct {
	mu     sync.RWMutex
	byID   map[parley.AgentID]*Entry // these do not change
	byName map[key]parley.AgentID
	// persons are the people for whom the command line acts.
	persons map[parley.TeamID]parley.AgentID
}

type key struct {
	team   parley.TeamID
	folded string
}

// New makes a directory of the given entries.
func New(entries ...Entry) *Directory {
	d := &Directory{
		byID:   make(map[parley.AgentID]*Entry, len(entries)),
		byName: make(map[key]parley.AgentID, len(entries)),
	}
	for _, e := range entries {
		d.Put(e)
	}
	return d
}

// Put adds or replaces an entry.
func (d *Directory) Put(e Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.put(&e)
}

func (d *Directory) put(e *Entry) {
	e.folded = parley.FoldName(e.Name)
	d.byID[e.ID] = e
	d.byName[key{e.Team, e.folded}] = e.ID
}

// Update adds or replaces entries, which it keeps, and retires others. Nobody sees only
// one half of it.
func (d *Directory) Update(entries []*Entry, gone []parley.Agent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range gone {
		d.retire(a)
	}
	for _, e := range entries {
		d.put(e)
	}
}

// Retire keeps the name of a participant that is no longer in the files, for the
// record: it cannot be found, and nothing runs it.
func (d *Directory) Retire(a parley.Agent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retire(a)
}

func (d *Directory) retire(a parley.Agent) {
	folded := parley.FoldName(a.Name)
	delete(d.byName, key{a.Team, folded})
	d.byID[a.ID] = &Entry{ID: a.ID, Team: a.Team, Name: a.Name, Kind: a.Kind, Retired: true, folded: folded}
}

// Find looks a participant up by name, ignoring case. For an unknown name the error
// suggests the nearest ones.
func (d *Directory) Find(team parley.TeamID, name string) (Entry, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.byName[key{team, parley.FoldName(name)}]
	if ok {
		return *d.byID[id], nil
	}
	err := parley.Errorf(parley.NotFound, "Agent '%s' not found.", parley.Clip(name, 64)).WithRule("unknown")
	if near := parley.Nearest(name, d.names(team), 3); len(near) > 0 {
		return Entry{}, err.WithHint("Did you mean %s?", strings.Join(near, ", "))
	}
	return Entry{}, err.WithHint(parley.AgentListHint)
}

// Lookup finds a participant by the folded name.
func (d *Directory) Lookup(team parley.TeamID, folded string) (Entry, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.byName[key{team, folded}]
	if !ok {
		return Entry{}, false
	}
	return *d.byID[id], true
}

// Everyone is all participants of a team that can be found, by id.
func (d *Directory) Everyone(team parley.TeamID) (ids []parley.AgentID) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for k, id := range d.byName {
		if k.team == team {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// InRole are the participants of a team with a role, ignoring case, by id.
func (d *Directory) InRole(team parley.TeamID, role string) (list []Entry) {
	if role == "" {
		return nil
	}
	for _, id := range d.Everyone(team) {
		if e, ok := d.Entry(id); ok && parley.FoldName(e.Role) == parley.FoldName(role) {
			list = append(list, e)
		}
	}
	return list
}

// Entry looks a participant up by id.
func (d *Directory) Entry(id parley.AgentID) (Entry, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	e, ok := d.byID[id]
	if !ok {
		return Entry{}, false
	}
	return *e, true
}

// Native reports whether the hub runs the participant's turns.
func (d *Directory) Native(id parley.AgentID) bool {
	e, ok := d.Entry(id)
	return ok && e.Kind == parley.Native && !e.Retired
}

// Team is the team of a participant; 0 if it is unknown.
func (d *Directory) Team(id parley.AgentID) parley.TeamID {
	e, _ := d.Entry(id)
	return e.Team
}

// Limits are those of a participant; the defaults if the files no longer name it.
func (d *Directory) Limits(id parley.AgentID) parley.Limits {
	if e, ok := d.Entry(id); ok && e.Limits != nil {
		return *e.Limits
	}
	return parley.DefaultLimits()
}

// Names are the sorted names of a team's participants that can be found.
func (d *Directory) Names(team parley.TeamID) []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.names(team)
}

func (d *Directory) names(team parley.TeamID) []string {
	var names []string
	for k, id := range d.byName {
		if k.team == team {
			names = append(names, d.byID[id].Name)
		}
	}
	slices.Sort(names)
	return names
}
