package directory

import "parley"

// SetPerson sets the team's own person, for whom the command line acts.
func (d *Directory) SetPerson(team parley.TeamID, id parley.AgentID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.persons == nil {
		d.persons = map[parley.TeamID]parley.AgentID{}
	}
	d.persons[team] = id
}

// Person is the team's own person, or else its first person by name.
func (d *Directory) Person(team parley.TeamID) (Entry, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if e, ok := d.byID[d.persons[team]]; ok && !e.Retired {
		return *e, true
	}
	for _, name := range d.names(team) {
		if e := d.byID[d.byName[key{team, parley.FoldName(name)}]]; e.Kind == parley.Person {
			return *e, true
		}
	}
	return Entry{}, false
}
