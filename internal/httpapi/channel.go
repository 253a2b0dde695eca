package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/contact"
	"parley/internal/reading"
)

func (s *Server) registerChannels() {
	const tag = "Channels"
	missing := []parley.Kind{parley.NotFound}
	handle(s, operation{id: "list-channels", method: http.MethodGet, path: "/v1/channels", tag: tag,
		summary: "List channels", description: "The group channels that you can read. A person reads all channels of the team, an agent those it is in."}, s.listChannels)
	handle(s, operation{id: "add-channel", method: http.MethodPost, path: "/v1/channels", tag: tag,
		summary: "Make a channel", description: "For people. Whoever makes a channel is a member of it.",
		errors: []parley.Kind{parley.NotFound, parley.Conflict}}, s.addChannel)
	handle(s, operation{id: "get-channel", method: http.MethodGet, path: "/v1/channels/{name}", tag: tag,
		summary: "Describe a channel", description: "One group channel with its members.", errors: missing}, s.getChannel)
	handle(s, operation{id: "delete-channel", method: http.MethodDelete, path: "/v1/channels/{name}", tag: tag,
		summary: "Delete a channel", description: "For people. Its messages stay on record, and its name can be used again.", errors: missing}, s.deleteChannel)
	handle(s, operation{id: "invite-member", method: http.MethodPut, path: "/v1/channels/{name}/members/{agent}", tag: tag,
		summary: "Invite to a channel", description: "For people. Inviting a member again changes nothing.", errors: missing}, s.inviteMember)
	handle(s, operation{id: "remove-member", method: http.MethodDelete, path: "/v1/channels/{name}/members/{agent}", tag: tag,
		summary: "Remove from a channel", description: "For people. Work that was asked for in the channel goes on.", errors: missing}, s.removeMember)
	handle(s, operation{id: "read-channel", method: http.MethodPost, path: "/v1/channels/{name}/read", tag: tag,
		summary: "Say how far you have read", description: "Records how far you have read; it never goes back. list-messages reads the messages.",
		errors: missing}, s.readChannel)
	handle(s, operation{id: "post-message", method: http.MethodPost, path: "/v1/posts", tag: tag,
		summary: "Write in a channel",
		description: "Writes in a group channel, or as a person in the dm of two agents. Each member that the text mentions as @Name gets a task of its own " +
			"and replies in the same channel. With a key the request can be repeated safely.",
		errors: []parley.Kind{parley.NotFound, parley.Conflict, parley.Limited}, attaches: true}, s.postMessage)
}

// ChannelName names a channel in a path.
type ChannelName struct {
	Name string `path:"name" example:"standup" doc:"The channel, without its #."`
}

// ChannelMember names a member in a path.
type ChannelMember struct {
	ChannelName
	Agent string `path:"agent" doc:"The participant."`
}

func (s *Server) listChannels(ctx context.Context, _ *struct{}) (api.ChannelList, error) {
	list, err := s.cfg.Reading.Groups(ctx, caller(ctx))
	out := api.ChannelList{Channels: make([]api.Channel, 0, len(list))}
	for _, g := range list {
		out.Channels = append(out.Channels, s.channel(ctx, g))
	}
	return out, err
}

func (s *Server) getChannel(ctx context.Context, in *ChannelName) (api.Channel, error) {
	return s.describeChannel(ctx, in.Name, nil)
}

// describeChannel reads a channel after a change.
func (s *Server) describeChannel(ctx context.Context, name string, err error) (api.Channel, error) {
	if err != nil {
		return api.Channel{}, err
	}
	g, err := s.cfg.Reading.Group(ctx, caller(ctx), name)
	if err != nil {
		return api.Channel{}, err
	}
	return s.channel(ctx, g), nil
}

func (s *Server) addChannel(ctx context.Context, in *struct{ Body api.ChannelRequest }) (api.Channel, error) {
	_, err := s.cfg.Channels.Add(ctx, caller(ctx), in.Body.Name, in.Body.Topic, in.Body.Members)
	return s.describeChannel(ctx, in.Body.Name, err)
}

func (s *Server) deleteChannel(ctx context.Context, in *ChannelName) (empty, error) {
	return empty{}, s.cfg.Channels.Delete(ctx, caller(ctx), in.Name)
}

func (s *Server) inviteMember(ctx context.Context, in *ChannelMember) (api.Channel, error) {
	_, err := s.cfg.Channels.Invite(ctx, caller(ctx), in.Name, []string{in.Agent})
	return s.describeChannel(ctx, in.Name, err)
}

func (s *Server) removeMember(ctx context.Context, in *ChannelMember) (api.Channel, error) {
	_, err := s.cfg.Channels.Remove(ctx, caller(ctx), in.Name, []string{in.Agent})
	return s.describeChannel(ctx, in.Name, err)
}

func (s *Server) readChannel(ctx context.Context, in *struct {
	ChannelName
	Body api.ReadRequest
}) (api.Channel, error) {
	return s.describeChannel(ctx, in.Name, s.cfg.Reading.ReadGroup(ctx, caller(ctx), in.Name, in.Body.Upto))
}

func (s *Server) postMessage(ctx context.Context, in *struct{ Body api.PostRequest }) (api.Posted, error) {
	c, r := caller(ctx), contact.Post{Channel: in.Body.Channel, Message: in.Body.Message, Attach: in.Body.Attach, Key: keyOf(ctx, in.Body.Key)}
	if n := len(in.Body.Between); n == 1 || (n == 0) == (r.Channel == "") {
		return api.Posted{}, parley.Errorf(parley.Conflict, "A post goes to a channel, or between two agents.").
			WithHint("Give channel, or between with two names.")
	}
	copy(r.Between[:], in.Body.Between)
	if in.Body.TaskID != "" {
		var err error
		if c.Task, err = parley.ParseTaskID(in.Body.TaskID); err != nil {
			return api.Posted{}, err
		}
	}
	made, err := s.cfg.Contacts.Post(ctx, c, r)
	if err != nil {
		return api.Posted{}, err
	}
	out := api.Posted{Place: made.Channel.Place(), Message: made.Message.String(), Tasks: make([]api.Task, 0, len(made.Tasks)), Away: made.Away,
		Text: made.Text(func(id parley.AgentID) string { return s.name(ctx, id) })}
	for _, t := range made.Tasks {
		out.Tasks = append(out.Tasks, s.task(ctx, t, ""))
	}
	return out, nil
}

func (s *Server) channel(ctx context.Context, g reading.Group) api.Channel {
	out := api.Channel{Name: g.Name, Topic: g.Topic, Members: make([]string, 0, len(g.Members)), Messages: g.Count,
		Member: g.Member, Unread: g.Unread, Thread: g.Main.String()}
	for _, id := range g.Members {
		out.Members = append(out.Members, s.name(ctx, id))
	}
	if g.Last.ID != 0 {
		last := s.message(ctx, g.Last)
		out.Last = &last
	}
	return out
}
