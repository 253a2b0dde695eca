package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// overlap is how late an event may come after newer ones. Those that are known are known
// by their ids.
const overlap = time.Minute

// catchUp takes what was said while there was no session: in each channel, and in its
// threads, from the last event on.
func (r *receiver) catchUp(ctx context.Context) error {
	list, err := r.inbox.Conversations(ctx)
	if err != nil {
		return err
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for _, c := range list {
		position, err := r.inbox.Position(ctx, c)
		if err != nil {
			return err
		}
		if !isID(c) || !isID(position) {
			continue // nothing of it is known
		}
		if err := r.missed(ctx, c, numberAt(timeOf(position).Add(-overlap))); err != nil {
			return err
		}
	}
	return nil
}

// missed takes what was said and changed in a channel after a number.
func (r *receiver) missed(ctx context.Context, id, from string) error {
	list, err := r.newest(ctx, id, from)
	if err == nil {
		var threads []channel
		threads, err = r.threads(ctx, id)
		for _, t := range threads {
			if err != nil {
				break
			}
			r.channels.Put(t.ID, t)
			if later(t.LastMessage, from) {
				var more []message
				more, err = r.after(ctx, t.ID, from)
				list = append(list, more...)
			}
		}
	}
	if unseen(err) {
		return nil // the others are caught up all the same
	}
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b message) int {
		switch {
		case later(a.ID, b.ID):
			return 1
		case later(b.ID, a.ID):
			return -1
		}
		return 0
	})
	for _, m := range list {
		if err := r.again(ctx, m, from); err != nil {
			return err
		}
	}
	return nil
}

// again takes a message of the history: what is new of it.
func (r *receiver) again(ctx context.Context, m message, from string) error {
	read := r.said
	if !later(m.ID, from) {
		if m.Author != nil {
			r.authors.Put(m.ID, m.Author.ID)
		}
		if at, err := time.Parse(time.RFC3339, m.EditedAt); err != nil || at.Before(timeOf(from)) {
			return nil
		}
		read = r.edited
	}
	events, err := read(ctx, m)
	if err != nil {
		return err
	}
	for _, e := range events {
		if _, err := r.inbox.Take(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// pageSize is how many messages are read at once, and mostPages bounds how many times.
const pageSize, mostPages = 100, 100

// newest are the messages of a channel after a number, and some before it.
func (p *Program) newest(ctx context.Context, id, from string) (list []message, err error) {
	err = p.read(ctx, fmt.Sprintf("channels/%s/messages?limit=%d", id, pageSize), &list)
	if err != nil || len(list) < pageSize || !later(list[len(list)-1].ID, from) {
		return within(list, id), err
	}
	return p.after(ctx, id, from)
}

// after are the messages of a channel after a number.
func (p *Program) after(ctx context.Context, id, from string) (list []message, err error) {
	for range mostPages {
		var page []message
		if err := p.read(ctx, fmt.Sprintf("channels/%s/messages?after=%s&limit=%d", id, from, pageSize), &page); err != nil {
			return nil, err
		}
		list = append(list, page...)
		for _, m := range page {
			if later(m.ID, from) {
				from = m.ID
			}
		}
		if len(page) < pageSize {
			break
		}
	}
	return within(list, id), nil
}

func within(list []message, id string) []message {
	for i := range list {
		list[i].ChannelID = id
	}
	return list
}

// threads are those of a channel: the active ones, and those that were archived last.
func (p *Program) threads(ctx context.Context, id string) (list []channel, err error) {
	c, err := p.channel(ctx, id)
	if err != nil || c.GuildID == "" {
		return nil, err
	}
	var got struct{ Threads []channel }
	if err := p.read(ctx, "guilds/"+c.GuildID+"/threads/active", &got); err != nil {
		return nil, err
	}
	for _, t := range got.Threads {
		if t.ParentID == id {
			list = append(list, t)
		}
	}
	got.Threads = nil
	if err := p.read(ctx, "channels/"+id+"/threads/archived/public?limit=50", &got); err != nil && !unseen(err) {
		return nil, err
	}
	return append(list, got.Threads...), nil
}

// unseen reports whether there is no such channel, or the bot does not see it.
func unseen(err error) bool {
	switch code(err) {
	case unknownChannel, missingAccess, missingPermissions:
		return true
	}
	r := (*refusal)(nil)
	return errors.As(err, &r) && r.status == http.StatusNotFound
}
