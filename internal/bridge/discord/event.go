package discord

import (
	"context"
	"encoding/json"
	"strings"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
)

// What messages are that people write: plain ones, and answers.
const plainMessage, answer = 0, 19

// events are what an event of the gateway means: none if a bot did it, or if it is about
// something else.
func (r *receiver) events(ctx context.Context, p payload) ([]bridge.Event, error) {
	switch p.T {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		var m message
		if json.Unmarshal(p.D, &m) != nil || !isID(m.ID) || !isID(m.ChannelID) {
			return nil, nil
		}
		if m.GuildID == "" {
			r.channels.Put(m.ChannelID, channel{ID: m.ChannelID, Type: directMessage})
		}
		if p.T == "MESSAGE_UPDATE" {
			return r.edited(ctx, m)
		}
		return r.said(ctx, m)
	case "MESSAGE_DELETE":
		var m message
		if json.Unmarshal(p.D, &m) != nil {
			return nil, nil
		}
		return r.deleted(ctx, m.ChannelID, m.ID)
	case "MESSAGE_DELETE_BULK":
		var got struct {
			IDs       []string
			ChannelID string `json:"channel_id"`
		}
		if json.Unmarshal(p.D, &got) != nil {
			return nil, nil
		}
		return r.deleted(ctx, got.ChannelID, got.IDs...)
	}
	return nil, nil
}

// byPerson reports whether a person has written a message.
func byPerson(m message) bool {
	return m.Author != nil && isID(m.Author.ID) && !m.Author.Bot && !m.Author.System && m.WebhookID == "" && (m.Type == plainMessage || m.Type == answer)
}

// base is what all events about a message of a person have. It is none of ours if it is
// somewhere else than in a channel that is connected, and does not speak to the bot.
func (r *receiver) base(ctx context.Context, m message) (e bridge.Event, ours bool, err error) {
	if !byPerson(m) {
		return e, false, nil
	}
	c, err := r.channel(ctx, m.ChannelID)
	if err != nil && !unseen(err) {
		return e, false, err
	}
	e = bridge.Event{Account: bridge.Account{ID: m.Author.ID, Name: m.Author.name()}, Place: c.place(), Private: c.Type == directMessage, Message: m.ID}
	r.content(m, &e)
	return e, e.Private || e.Addressed || r.ours[e.Place.Conversation], nil
}

func (r *receiver) said(ctx context.Context, m message) ([]bridge.Event, error) {
	e, ours, err := r.base(ctx, m)
	if err != nil || !ours {
		return nil, err
	}
	r.authors.Put(m.ID, m.Author.ID)
	e.Kind, e.ID, e.Position = bridge.Said, "said/"+m.ID, m.ID
	switch {
	case m.Type == answer && m.Reference != nil:
		e.ReplyTo = m.Reference.MessageID
	case e.Place.Thread != "":
		e.ReplyTo = e.Place.Thread // a thread has the number of the message that it began with
	}
	edits, err := r.edited(ctx, m)
	return append([]bridge.Event{e}, edits...), err
}

// content reads what a message says.
func (r *receiver) content(m message, e *bridge.Event) {
	text := m.Content
	if m.Reference != nil && m.Reference.Type == 1 && len(m.Snapshots) > 0 {
		e.Quoted = true
		text = strings.TrimSpace(text + "\n" + m.Snapshots[0].Message.Content)
	}
	e.Text, e.Addressed = decode(text, r.bot(), func(id string) string {
		for _, u := range m.Mentions {
			if u.ID == id {
				return u.name()
			}
		}
		return id
	}, func(id string) string {
		if c, ok := r.channels.Get(id); ok && c.Name != "" {
			return c.Name
		}
		return id
	})
	switch {
	case len(m.Attachments) > 0 && strings.HasPrefix(m.Attachments[0].ContentType, "image/"):
		e.Left = "picture"
	case len(m.Attachments) > 0:
		e.Left = "file"
	case len(m.Stickers) > 0:
		e.Left = "sticker"
	case m.Poll != nil:
		e.Left = "poll"
	}
}

// edited is the change of a message, if a person has changed it. Discord itself changes
// messages too, to show what links lead to.
func (r *receiver) edited(ctx context.Context, m message) ([]bridge.Event, error) {
	if m.EditedAt == "" {
		return nil, nil
	}
	e, ours, err := r.base(ctx, m)
	if err != nil || !ours {
		return nil, err
	}
	r.authors.Put(m.ID, m.Author.ID)
	e.Kind, e.ID, e.Left = bridge.Edited, "edited/"+m.ID+"/"+markup.Cut(m.EditedAt, 60), ""
	return []bridge.Event{e}, nil
}

// deleted are deletions. Discord does not say whose messages they were, so that has to be
// remembered.
func (r *receiver) deleted(ctx context.Context, in string, ids ...string) (list []bridge.Event, err error) {
	for _, id := range ids {
		author, ok := r.authors.Get(id)
		if !ok || !isID(in) {
			continue
		}
		c, err := r.channel(ctx, in)
		if err != nil && !unseen(err) {
			return nil, err
		}
		list = append(list, bridge.Event{Kind: bridge.Deleted, ID: "deleted/" + id, Account: bridge.Account{ID: author}, Place: c.place(), Private: c.Type == directMessage, Message: id})
	}
	return list, nil
}
