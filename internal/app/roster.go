package app

import (
	"parley"
	"parley/internal/config"
	"parley/internal/tool"
	"parley/internal/workspace"
)

// Roster is a team that joins the hub.
type Roster struct {
	Team    string
	Members []Member
	// Home is the folder of these files. On a database that several hubs share, only
	// what this folder named before can be gone now.
	Home string
	// Person is who the command line acts as; empty if there is none.
	Person string
	// Partial says that some files could not be read. Members that are missing then
	// stay.
	Partial bool
	// Changes says what has changed about known members, by their folded name, for the
	// record. By is who wanted it; 0 if somebody edited the files.
	Changes map[string]string
	By      parley.AgentID
	// Channels are the group channels that the files name.
	Channels []Channel
	// Toolsets are further ones that only this team has, by name.
	Toolsets map[string][]tool.Tool
	// Workspace is what tells agents that work there what its owner wants; nil if there is
	// none.
	Workspace *workspace.Workspace

	// filed are the agents of the files, who come before Members. Of a hundred thousand, the
	// member is made when it is needed.
	filed  []*config.Agent
	member func(*config.Agent) Member
	// recalled are the memories that the data folder had when filed was made.
	recalled map[string]bool
}

// Channel is a group channel as the team's files describe it.
type Channel struct {
	Name    string
	Topic   string
	Members []string // names, or * for all members of the roster
}

// seat is what all have to know about a member, without what it does.
type seat struct {
	name     string
	kind     parley.AgentKind
	limits   *parley.Limits
	manager  string // folded
	schedule []config.Schedule
}

// count is how many members there are.
func (r *Roster) count() int { return len(r.filed) + len(r.Members) }

// seat is the member with this number, from 0.
func (r *Roster) seat(i int) seat {
	if i < len(r.filed) {
		a := r.filed[i]
		return seat{a.Name, a.Kind, a.Limits, parley.FoldName(a.Manager), a.Schedule}
	}
	m := &r.Members[i-len(r.filed)]
	s := seat{name: m.Name, kind: m.Kind, limits: &m.Limits, schedule: m.Schedule}
	if m.Rules != nil {
		s.manager = m.Rules.Manager
	}
	return s
}

// at is all there is to say about the member with this number.
func (r *Roster) at(i int) Member {
	if i < len(r.filed) {
		return r.member(r.filed[i])
	}
	return r.Members[i-len(r.filed)]
}

// numbers are those of the members, by folded name.
func (r *Roster) numbers() map[string]int32 {
	n := make(map[string]int32, r.count())
	for i := range r.count() {
		n[parley.FoldName(r.seat(i).name)] = int32(i)
	}
	return n
}

// managers are the folded names of all managers.
func (r *Roster) managers() map[string]bool {
	set := map[string]bool{}
	for i := range r.count() {
		if m := r.seat(i).manager; m != "" {
			set[m] = true
		}
	}
	return set
}

// addPerson adds a person who has no file of their own.
func (r *Roster) addPerson(name string, limits parley.Limits) {
	if _, there := r.kind(name); !there {
		r.Members = append(r.Members, Member{Name: name, Kind: parley.Person, Limits: limits})
	}
}

func (r *Roster) kind(name string) (parley.AgentKind, bool) {
	for i := range r.count() {
		if s := r.seat(i); parley.FoldName(s.name) == parley.FoldName(name) {
			return s.kind, true
		}
	}
	return "", false
}

// largestMessage is the largest that a member may write.
func (r *Roster) largestMessage() int {
	largest := parley.DefaultLimits().MessageBytes
	for i := range r.count() {
		largest = max(largest, r.seat(i).limits.MessageBytes)
	}
	return largest
}
