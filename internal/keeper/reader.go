package keeper

import (
	"errors"

	"parley"
	"parley/internal/store"
)

// readers knows what an agent may read, within one transaction.
type readers struct {
	tx     *store.Tx
	agent  parley.AgentID
	all    bool // a person, who may read everything in the team
	team   parley.TeamID
	member map[parley.ChannelID]bool // answers of inChannel so far
	// reads reports whether the rules let an agent read a group that it is in.
	reads func(parley.AgentID, parley.Channel) bool
}

func (s *Service) readers(tx *store.Tx, team parley.TeamID, agent parley.AgentID) *readers {
	return &readers{tx: tx, team: team, agent: agent, all: s.person(agent), member: map[parley.ChannelID]bool{}, reads: s.access.ReadsGroup}
}

// may reports whether the agent may read a kept message. The present readers of the
// channel may; what was not said in a channel belongs to the keeper's owner.
func (r *readers) may(k parley.Keeper, m parley.KeptMessage) (bool, error) {
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

// sees reports whether the agent may know about the keeper: its owner may, and
// whoever may read anything in it.
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
	if in, known := r.member[id]; known {
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
	r.member[id] = in
	return in, nil
}

// readable are the messages of a list that the agent may read.
func (r *readers) readable(k parley.Keeper, list []parley.KeptMessage) (visible []parley.KeptMessage, err error) {
	for _, m := range list {
		ok, err := r.may(k, m)
		if err != nil {
			return nil, err
		}
		if ok {
			visible = append(visible, m)
		}
	}
	return visible, nil
}
