package reading

import (
	"context"
	"errors"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// View is a piece of a conversation, oldest first.
type View struct {
	Channel parley.Channel
	Thread  parley.Thread // zero if two have not talked yet
	// Peer is the other one of the caller's dm; 0 in a group.
	Peer     parley.AgentID
	Messages []parley.Message
	// Others are the further threads of the dm, oldest first, if its main thread is
	// read.
	Others []parley.Thread
}

// Read reads a piece of a conversation that the caller is part of: a group channel
// (#name), its dm with somebody (@name), or a thread by its id. What belongs to others
// looks as if it did not exist. Reading changes nothing: whoever shows it says how far.
func (s *Service) Read(ctx context.Context, c access.Caller, place string, before, limit int) (v View, err error) {
	place = strings.TrimSpace(place)
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		v = View{}
		if v, err = s.viewOf(tx, c, place); err != nil || v.Thread.ID == 0 {
			return err
		}
		v.Messages, err = back(tx, v.Thread, Conversation{Before: before, Limit: limit})
		return err
	})
	slices.Reverse(v.Messages)
	return v, err
}

// ThreadOf reads the id of a thread from the name of a place; ok is false if it names
// something else.
func ThreadOf(place string) (id parley.ThreadID, ok bool) {
	if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(place)), "thread-") {
		return 0, false
	}
	id, err := parley.ParseThreadID(strings.ToLower(place))
	return id, err == nil
}

func (s *Service) viewOf(tx *store.Tx, c access.Caller, place string) (View, error) {
	if name, ok := strings.CutPrefix(place, "@"); ok {
		return s.dmView(tx, c, name)
	}
	if id, ok := ThreadOf(place); ok {
		return s.threadView(tx, c, id)
	}
	ch, err := s.access.Group(tx, c, place)
	if err != nil {
		return View{}, err
	}
	t, err := tx.Thread(ch.Main)
	return View{Channel: ch, Thread: t}, err
}

func (s *Service) dmView(tx *store.Tx, c access.Caller, name string) (v View, err error) {
	peer, err := tx.AgentByName(c.Team, name) // even one that is gone from the files
	if errors.Is(err, store.ErrNotFound) {
		_, err = s.dir.Find(c.Team, name)
	}
	if err != nil {
		return v, err
	}
	if peer.ID == c.Agent {
		return v, parley.Errorf(parley.Invalid, "A conversation has two participants.").WithHint("Name the other one.")
	}
	v.Peer = peer.ID
	v.Channel, err = tx.DM(c.Agent, peer.ID)
	if errors.Is(err, store.ErrNotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	threads, err := tx.Threads(v.Channel.ID)
	for _, t := range threads {
		if t.ID == v.Channel.Main {
			v.Thread = t
		} else {
			v.Others = append(v.Others, t)
		}
	}
	return v, err
}

// threadView finds a thread of the caller's own dms, or of a group that it may read.
func (s *Service) threadView(tx *store.Tx, c access.Caller, id parley.ThreadID) (v View, err error) {
	if v.Thread, err = tx.Thread(id); err != nil {
		return View{}, orMissing(err, false, id)
	}
	if v.Channel, err = tx.Channel(v.Thread.Channel); err != nil {
		return View{}, orMissing(err, false, id)
	}
	sees, err := s.seesChannel(tx, c, v.Channel)
	if v.Channel.Kind == parley.Group {
		sees = sees && (s.seesAll(c) || s.access.ReadsGroup(c.Agent, v.Channel))
	} else {
		v.Peer = v.Channel.Peer(c.Agent)
	}
	if err := orMissing(err, sees, id); err != nil {
		return View{}, err
	}
	return v, nil
}
