// Package slack is Slack as a chat program of a bridge: an app with a bot in one
// workspace, whose events come over Socket Mode, so that the hub needs no public address.
//
// What Slack does itself is used where it is enough: it repeats events that were not
// acknowledged, and keeps the history of each conversation, with the key of every post in
// its metadata. Both together tell what was missed and what was posted.
//
// A Program is safe for concurrent use.
package slack

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/wire"
)

// Config is what the program needs to know.
type Config struct {
	// AppToken begins with xapp and opens the connection for events; BotToken begins with
	// xoxb and does everything else.
	AppToken, BotToken string
	// API is the address of the Web API; empty for Slack's.
	API string
	// Timing is for tests; its zero fields have defaults.
	Timing Timing
}

// Timing says how long things take.
type Timing struct {
	// Call bounds one call of the Web API.
	Call time.Duration
	// Idle is how long a connection may be silent. Slack sends a ping every few seconds.
	Idle time.Duration
	// Grace is how long a post may take to appear in the history.
	Grace time.Duration
	// Steady is how long a connection has to last for the next one to be made at once.
	Steady time.Duration
}

func (t *Timing) fill() {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&t.Call, 20*time.Second)
	set(&t.Idle, time.Minute)
	set(&t.Grace, 3*time.Second)
	set(&t.Steady, time.Second)
}

// Program is Slack.
type Program struct {
	cfg    Config
	client *wire.Client

	mu sync.Mutex
	me *self
	// What is known of messages, users and threads, to save calls. All of it can be asked
	// for again.
	names   wire.Memory[string] // of users
	dms     wire.Memory[string] // the conversation of the bot with a user
	threads wire.Memory[string] // the thread of a message; its own if it begins one
	answers wire.Memory[string] // the bot's last post in a thread
	heard   wire.Memory[string] // the last message of a conversation that was taken
}

// New makes a Program. It calls nobody.
func New(cfg Config) *Program {
	if cfg.API == "" {
		cfg.API = "https://slack.com/api/"
	}
	cfg.API = strings.TrimSuffix(cfg.API, "/") + "/"
	cfg.Timing.fill()
	return &Program{cfg: cfg, client: wire.NewClient("Slack")}
}

// Name is that of the section in parley.yaml.
func (p *Program) Name() string { return "slack" }

// Limits are Slack's: a message a second in a conversation, and 3000 characters in a block
// of text, of which some are left for the name of the author.
func (p *Program) Limits() bridge.Limits {
	return bridge.Limits{Form: form, Parts: 5, Every: 200 * time.Millisecond, PerConversation: time.Second}
}

// self is the bot, as Slack knows it.
type self struct {
	User, Team string
	bot        string
	scopes     []string
}

// said reports whether the bot has said a message. What it says under a chosen name has no
// user.
func (s *self) said(m message) bool {
	return s.bot != "" && m.BotID == s.bot || s.User != "" && m.User == s.User
}

// named says that posts may have names and pictures of their own.
func (s *self) named() bool { return slices.Contains(s.scopes, "chat:write.customize") }

// self asks who the bot is, once for a connection.
func (p *Program) self(ctx context.Context, anew bool) (*self, error) {
	p.mu.Lock()
	me := p.me
	p.mu.Unlock()
	if me != nil && !anew {
		return me, nil
	}
	var got struct {
		UserID string `json:"user_id"`
		TeamID string `json:"team_id"`
		BotID  string `json:"bot_id"`
	}
	header, err := p.call(ctx, p.cfg.BotToken, "auth.test", nil, &got)
	if err != nil {
		return nil, err
	}
	me = &self{User: got.UserID, Team: got.TeamID, bot: got.BotID}
	for scope := range strings.SplitSeq(header.Get("X-OAuth-Scopes"), ",") {
		me.scopes = append(me.scopes, strings.TrimSpace(scope))
	}
	p.mu.Lock()
	p.me = me
	p.mu.Unlock()
	return me, nil
}

// name is what a user is called, or the id if that cannot be found out.
func (p *Program) name(ctx context.Context, user string) string {
	if name, ok := p.names.Get(user); ok {
		return name
	}
	var got struct {
		User struct {
			Name    string
			Profile struct {
				DisplayName string `json:"display_name"`
				RealName    string `json:"real_name"`
			}
		}
	}
	if _, err := p.call(ctx, p.cfg.BotToken, "users.info", url.Values{"user": {user}}, &got); err != nil {
		if unusable(err) {
			p.names.Put(user, user)
		}
		return user
	}
	for _, name := range []string{got.User.Profile.DisplayName, got.User.Profile.RealName, got.User.Name, user} {
		if name = strings.TrimSpace(name); name != "" {
			p.names.Put(user, name)
			return name
		}
	}
	return user
}

// dm is the conversation of the bot with a user.
func (p *Program) dm(ctx context.Context, user string) (string, error) {
	if id, ok := p.dms.Get(user); ok {
		return id, nil
	}
	var got struct{ Channel struct{ ID string } }
	err := p.read(ctx, "conversations.open", url.Values{"users": {user}}, &got)
	if err == nil {
		p.dms.Put(user, got.Channel.ID)
	}
	return got.Channel.ID, err
}
