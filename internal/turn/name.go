package turn

import (
	"slices"

	"parley"
	"parley/internal/store"
)

// name is how a participant is called.
func (t *run) name(id parley.AgentID) string {
	if name := t.Agents.Name(id); name != "" {
		return name
	}
	return t.strangers[id]
}

// meet learns the names of those whom this hub does not know: they joined at
// another hub on the same database, after this one had started. Texts are made
// outside of transactions too, so it has to be called where messages are read.
func (t *run) meet(tx *store.Tx, ids ...parley.AgentID) error {
	for _, id := range ids {
		if id == 0 || t.name(id) != "" {
			continue
		}
		a, err := tx.Agent(id)
		if err != nil {
			return err
		}
		if t.strangers == nil {
			t.strangers = map[parley.AgentID]string{}
		}
		t.strangers[id] = a.Name
	}
	return nil
}

func (t *run) meetAuthors(tx *store.Tx, list []parley.Message) error {
	for i := range list {
		if err := t.meet(tx, list[i].Author); err != nil {
			return err
		}
	}
	return nil
}

// knowsAuthors reports whether there is nobody to meet.
func (t *run) knowsAuthors(list []parley.Message) bool {
	return !slices.ContainsFunc(list, func(m parley.Message) bool { return t.name(m.Author) == "" })
}
