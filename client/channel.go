package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// Channels lists the group channels that you can read.
func (c *Client) Channels(ctx context.Context) ([]api.Channel, error) {
	var out api.ChannelList
	err := c.get(ctx, "/v1/channels", nil, &out)
	return out.Channels, err
}

func (c *Client) AddChannel(ctx context.Context, r api.ChannelRequest) (api.Channel, error) {
	var out api.Channel
	err := c.send(ctx, http.MethodPost, "/v1/channels", r, &out)
	return out, err
}

func (c *Client) DeleteChannel(ctx context.Context, name string) error {
	return c.send(ctx, http.MethodDelete, channelPath(name, ""), nil, nil)
}

// Invite makes somebody a member of a channel.
func (c *Client) Invite(ctx context.Context, channel, agent string) (api.Channel, error) {
	var out api.Channel
	err := c.send(ctx, http.MethodPut, channelPath(channel, "/members/"+url.PathEscape(agent)), nil, &out)
	return out, err
}

// RemoveMember ends somebody's membership in a channel.
func (c *Client) RemoveMember(ctx context.Context, channel, agent string) (api.Channel, error) {
	var out api.Channel
	err := c.send(ctx, http.MethodDelete, channelPath(channel, "/members/"+url.PathEscape(agent)), nil, &out)
	return out, err
}

// ReadChannel reads the last messages of a channel, oldest first.
func (c *Client) ReadChannel(ctx context.Context, channel string, limit int) ([]api.Message, error) {
	return c.messages(ctx, url.Values{"channel": {channel}}, limit)
}

// MarkRead tells the hub that you were shown a channel up to this message.
func (c *Client) MarkRead(ctx context.Context, channel string, upto int) error {
	return c.send(ctx, http.MethodPost, channelPath(channel, "/read"), api.ReadRequest{Upto: upto}, nil)
}

// Post writes a message in a channel.
func (c *Client) Post(ctx context.Context, r api.PostRequest) (api.Posted, error) {
	var out api.Posted
	err := c.send(ctx, http.MethodPost, "/v1/posts", r, &out)
	return out, err
}

func channelPath(name, rest string) string { return "/v1/channels/" + url.PathEscape(name) + rest }
