package turn

import (
	"errors"

	"parley"
	"parley/internal/store"
)

// names are those of the participants.
type names struct {
	Agents
	// others are known only to other hubs on the same database: they joined there
	// after this one had started.
	others map[parley.AgentID]string
}

// of is how a participant is called; empty if it has to be learned first.
func (n *names) of(id parley.AgentID) string {
	if name := n.Name(id); name != "" {
		return name
	}
	return n.others[id]
}

// learn reads the names that this hub does not know. Texts are made outside of
// transactions too, so it has to be called where ids are read.
func (n *names) learn(tx *store.Tx, ids ...parley.AgentID) error {
	for _, id := range ids {
		if id == 0 || n.of(id) != "" {
			continue
		}
		a, err := tx.Agent(id)
		if err != nil {
			return err
		}
		if n.others == nil {
			n.others = map[parley.AgentID]string{}
		}
		n.others[id] = a.Name
	}
	return nil
}

// letters adds the authors' names to messages.
func (n *names) letters(tx *store.Tx, messages []parley.Message) ([]letter, error) {
	for i := range messages {
		if err := n.learn(tx, messages[i].Author); err != nil {
			return nil, err
		}
	}
	list, _ := n.known(nil, messages)
	return list, nil
}

// known is letters for what was not read just now; ok is false if a name is
// missing.
func (n *names) known(before, messages []parley.Message) (list []letter, ok bool) {
	list, ok = make([]letter, 0, len(before)+len(messages)), true
	for _, part := range [][]parley.Message{before, messages} {
		for i := range part {
			from := n.of(part[i].Author)
			ok = ok && from != ""
			list = append(list, letter{Message: part[i], from: from})
		}
	}
	return list, ok
}

// learnAsked adds whom the question was for that a letter answers. Somebody else may
// have answered it, or nobody.
func (n *names) learnAsked(tx *store.Tx, l *letter) error {
	if l.Question == 0 {
		return nil
	}
	q, err := tx.Question(l.Question)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it was too old to be kept
	}
	if err == nil {
		err = n.learn(tx, q.Target)
	}
	l.asked = n.of(q.Target)
	return err
}
