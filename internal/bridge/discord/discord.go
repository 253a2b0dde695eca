// Package discord is Discord as a chat program of a bridge: a bot whose events come over
// the gateway, so that the hub needs no public address.
//
// What Discord does itself is used where it is enough: a session of the gateway is resumed
// from the last event that was dealt with, each channel keeps its history, and a nonce
// keeps a post from being made twice within a few minutes.
//
// A Program is safe for concurrent use.
package discord

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/wire"
)

// Config is what the program needs to know.
type Config struct {
	// Token is that of the bot.
	Token string
	// API is the address of the REST API; empty for Discord's.
	API string
	// Timing is for tests; its zero fields have defaults.
	Timing Timing
}

// Timing says how long things take.
type Timing struct {
	// Call bounds one call of the API.
	Call time.Duration
	// Window is how long a nonce surely keeps a post from being made again.
	Window time.Duration
	// Defer is how long whoever pressed a button waits before Discord is told that it
	// takes longer. It has to hear something within three seconds.
	Defer time.Duration
	// Steady is how long a connection has to last for the next one to be made at once.
	Steady time.Duration
	// Anew is the pause before a new session, after one was declared invalid.
	Anew time.Duration
}

func (t *Timing) fill() {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&t.Call, 15*time.Second)
	set(&t.Window, time.Minute)
	set(&t.Defer, 1500*time.Millisecond)
	set(&t.Steady, time.Second)
	set(&t.Anew, time.Second+time.Duration(rand.Int64N(int64(4*time.Second)))) // as Discord asks for
}

// Program is Discord.
type Program struct {
	cfg    Config
	client *wire.Client
	limits limits
	ahead  atomic.Int64 // how far Discord's clock is ahead, in nanoseconds

	mu      sync.Mutex
	me, app string // the bot's user, and its application
	session session

	// What is known, to save calls. All of it but the authors can be asked for again.
	channels wire.Memory[channel]
	dms      wire.Memory[string] // the channel of the bot with a user
	authors  wire.Memory[string] // who wrote a message: a deletion does not say it
}

// New makes a Program. It calls nobody.
func New(cfg Config) *Program {
	if cfg.API == "" {
		cfg.API = "https://discord.com/api/v10/"
	}
	cfg.API = strings.TrimSuffix(cfg.API, "/") + "/"
	cfg.Timing.fill()
	return &Program{cfg: cfg, client: wire.NewClient("Discord")}
}

// Name is that of the section in parley.yaml.
func (p *Program) Name() string { return "discord" }

// Limits are Discord's: five messages in five seconds in a channel, fifty calls a second,
// and 2000 characters a message, of which some are left for the name of the author.
func (p *Program) Limits() bridge.Limits {
	return bridge.Limits{Form: form, Parts: 6, Every: 50 * time.Millisecond, PerConversation: time.Second}
}

// self is the bot's user.
func (p *Program) self(ctx context.Context) (string, error) {
	p.mu.Lock()
	me := p.me
	p.mu.Unlock()
	if me != "" {
		return me, nil
	}
	var got user
	if err := p.read(ctx, "users/@me", &got); err != nil {
		return "", err
	}
	p.mu.Lock()
	p.me = got.ID
	p.mu.Unlock()
	return got.ID, nil
}

// application is that of the bot.
func (p *Program) application() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.app
}

// bot is the bot's user, as far as it is known.
func (p *Program) bot() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.me
}

// channel is where messages are. A thread is one too, with a parent.
type channel struct {
	ID          string
	Type        int
	Name        string
	GuildID     string `json:"guild_id"`
	ParentID    string `json:"parent_id"`
	LastMessage string `json:"last_message_id"`
}

// What channels are.
const (
	directMessage                           = 1
	newsThread, publicThread, privateThread = 10, 11, 12
)

func (c channel) thread() bool {
	return c.Type == newsThread || c.Type == publicThread || c.Type == privateThread
}

// place is where something is said in a channel.
func (c channel) place() bridge.Place {
	if c.thread() && c.ParentID != "" {
		return bridge.Place{Conversation: c.ParentID, Thread: c.ID}
	}
	return bridge.Place{Conversation: c.ID}
}

// channel finds a channel.
func (p *Program) channel(ctx context.Context, id string) (channel, error) {
	if c, ok := p.channels.Get(id); ok {
		return c, nil
	}
	var c channel
	if err := p.read(ctx, "channels/"+id, &c); err != nil {
		return channel{ID: id}, err
	}
	c.ID = id
	p.channels.Put(id, c)
	return c, nil
}

// dm is the channel of the bot with a user.
func (p *Program) dm(ctx context.Context, user string) (string, error) {
	if id, ok := p.dms.Get(user); ok {
		return id, nil
	}
	var got channel
	err := p.call(ctx, http.MethodPost, "users/@me/channels", content{json: map[string]string{"recipient_id": user}}, &got)
	if err == nil {
		p.dms.Put(user, got.ID)
		p.channels.Put(got.ID, channel{ID: got.ID, Type: directMessage})
	}
	return got.ID, err
}
