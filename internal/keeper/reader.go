package keeper

import (
	"errors"

	"parley"
	"parley/internal/store"
)

// readers answers who may read what, within one transaction.
type readers struct {
	tx     *store.Tx
	agent  parley.AgentID
	all    bool // a person, who reads everything of the team
	team   parley.TeamID
	inside map[parley.ChannelID]bool
	// reads says whether the rules let an agent read a group that it is in.
	reads func(parley.AgentID, parley.Channel) bool
}

func (s *Service) readers(tx *store.Tx, team parley.TeamID, agent parley.AgentID) *readers {
	return &readers{tx: tx, team: team, agent: agent, all: s.person(agent), inside: map[parley.ChannelID]bool{}, reads: s.access.ReadsGroup}
}

// may reports whether somebody reads a kept message. The channel decides, as it
// is now; what was not said there is the owner's.
func (r *readers) may(k parley.Keeper, m parley.Kept) (bool, error) {
	switch {
	case k.Team != r.team:
		return false, nil
	case r.all || k.Shared:
		return true, nil
	case m.Private || k.Channel == 0:
		return k.Owner == r.agent, nil
	}
	return r.inChannel(k.Channel)
}

// sees reports whether somebody may know of the keeper: its owner does, and who
// reads anything in it.
func (r *readers) sees(k parley.Keeper) (bool, error) {
	if k.Team == r.team && (r.all || k.Shared || k.Owner == r.agent) {
		return true, nil
	}
	if k.Team != r.team || k.Channel == 0 {
		return false, nil
	}
	if in, err := r.inChannel(k.Channel); err != nil || !in {
		return false, err
	}
	list, err := r.tx.KeptIn(k.ID)
	for _, m := range list {
		if !m.Private {
			return true, err
		}
	}
	return false, err
}

func (r *readers) inChannel(id parley.ChannelID) (bool, error) {
	if in, known := r.inside[id]; known {
		return in, nil
	}
	ch, err := r.tx.Channel(id)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	in := ch.A == r.agent || ch.B == r.agent
	if ch.Kind == parley.Group {
		if in, err = r.tx.IsMember(id, r.agent); err != nil {
			return false, err
		}
		in = in && r.reads(r.agent, ch)
	}
	r.inside[id] = in
	return in, nil
}

// readable are the messages of a list that may be read.
func (r *readers) readable(k parley.Keeper, list []parley.Kept) (some []parley.Kept, err error) {
	for _, m := range list {
		ok, err := r.may(k, m)
		if err != nil {
			return nil, err
		}
		if ok {
			some = append(some, m)
		}
	}
	return some, nil
}
