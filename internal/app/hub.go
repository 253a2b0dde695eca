// Package app connects the parts. It is the only package that knows them all. A Hub
// is the connected parts without the doors; the commands, the bench and the tests
// all use the same one.
package app

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/bridge"
	"parley/internal/change"
	"parley/internal/channel"
	"parley/internal/claim"
	"parley/internal/contact"
	"parley/internal/desk"
	"parley/internal/directory"
	"parley/internal/keeper"
	"parley/internal/live"
	"parley/internal/reading"
	"parley/internal/redaction"
	"parley/internal/retention"
	"parley/internal/schedule"
	"parley/internal/search"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/token"
	"parley/internal/tool"
	"parley/internal/tool/chorustools"
	"parley/internal/tool/contacttools"
	"parley/internal/tool/desktools"
	"parley/internal/tool/loomtools"
	"parley/internal/tool/peertools"
	"parley/internal/turn"
	"parley/internal/work"
)

// HubConfig configures a Hub.
type HubConfig struct {
	Store store.Store
	Log   *slog.Logger
	// Name tells several hubs on one database apart, for people.
	Name    string
	Workers int
	// LeaseTime, Poll and Grace are those of package work; zero is its default.
	LeaseTime, Poll, Grace time.Duration
	// ClientLease is that of package desk; zero is its default.
	ClientLease time.Duration
	// Toolsets are further toolsets for members, by name.
	Toolsets map[string][]tool.Tool
	// Unindexed stops the search index from following, for measurements.
	Unindexed bool
	// Enricher finds context for a question; nil uses the keepers.
	Enricher turn.Enricher
}

// Hub is a running server without its doors. Its fields are the use cases
// that doors call.
type Hub struct {
	Store      store.Store
	Directory  *directory.Directory
	Access     *access.Control
	Contacts   *contact.Service
	Reading    *reading.Service
	Desk       *desk.Service
	Tools      *reading.Tools
	Channels   *channel.Service
	Keepers    *keeper.Service
	Search     *search.Service
	Claims     *claim.Service
	Changes    *change.Service
	Redactions *redaction.Service
	Tokens     *token.Service
	Sessions   *session.Service
	ChatPeople *bridge.People
	Schedules  *schedule.Service

	joining   sync.Mutex // one team at a time
	unindexed bool
	agents    *agents
	runner    *turn.Runner
	scheduler *work.Scheduler
	log       *slog.Logger
}

// NewHub connects the parts. Each part is made from those above it.
func NewHub(cfg HubConfig) *Hub {
	dir, fan := directory.New(), &live.Fan{}
	h := &Hub{Store: cfg.Store, Directory: dir, unindexed: cfg.Unindexed, log: cfg.Log}
	h.scheduler = work.New(work.Config{
		Store: cfg.Store, Agents: dir, Log: cfg.Log, Name: cfg.Name, Workers: cfg.Workers,
		LeaseTime: cfg.LeaseTime, Poll: cfg.Poll, Grace: cfg.Grace,
	})
	h.Access = access.New(cfg.Store, dir, cfg.Log)
	h.Contacts = contact.New(cfg.Store, dir, h.Access, handoff{h.scheduler}, cfg.Log)
	h.Contacts.Docs = reading.DocsText
	h.Access.Asked = h.Contacts.Asked
	h.Search = search.New(cfg.Store, h.Access.ReadsGroup, map[search.Kind]search.Documents{search.Kept: keeper.Documents{}})
	h.Keepers = keeper.New(cfg.Store, dir, h.Access, h.Search, cfg.Log)
	h.Redactions = redaction.New(cfg.Store, dir, h.Access, h.Contacts, h.Search, h.Keepers)
	h.Channels = channel.New(cfg.Store, dir, h.Access)
	h.Claims = claim.New(cfg.Store, dir)
	h.Tokens = token.NewService(cfg.Store, dir, h.Access)
	h.Sessions = session.New(cfg.Store, dir, h.Access)
	h.ChatPeople = bridge.NewPeople(cfg.Store, dir, h.Access)
	h.Reading = reading.New(reading.Config{Store: cfg.Store, Directory: dir, Access: h.Access, Contacts: h.Contacts, Index: h.Search, Live: fan})
	h.Changes = change.New(change.Config{Store: cfg.Store, Access: h.Access, Sees: func(ctx context.Context, c access.Caller, id parley.TaskID) error {
		_, err := h.Reading.Task(ctx, c, id)
		return err
	}})
	h.Desk = desk.New(desk.Config{Store: cfg.Store, Directory: dir, Contacts: h.Contacts, Access: h.Access, Log: cfg.Log, Lease: cfg.ClientLease})
	h.Schedules = schedule.New(schedule.Config{Store: cfg.Store, Directory: dir, Access: h.Access, Maker: h.Contacts, Log: cfg.Log})
	sets := builtIn(h)
	maps.Copy(sets, cfg.Toolsets)
	h.agents = newAgents(dir, sets, newOutside(cfg.Log))
	h.Tools = reading.NewTools(dir, h.Access, h.agents)
	h.Reading.Actions = h.agents
	enricher := cfg.Enricher
	if enricher == nil {
		enricher = h.Keepers
	}
	h.runner = &turn.Runner{Store: cfg.Store, Agents: h.agents, Ender: h.Contacts, Rules: permits{h.Access, h.Contacts},
		Pauses: h.scheduler, Log: cfg.Log, Live: fan, Enricher: enricher}
	return h
}

// builtIn are the toolsets that come with the hub.
func builtIn(h *Hub) toolsets {
	return toolsets{
		"contact": contacttools.New(h.Contacts, h.Reading, h.Directory),
		"peers":   peertools.New(h.Contacts, h.Directory),
		"chorus":  chorustools.New(h.Contacts, h.Reading, h.Directory),
		"loom":    loomtools.New(h.Contacts, h.Claims, h.Keepers),
		managing:  contacttools.Managing(h.Contacts),
		inboxSet:  desktools.New(h.Desk),
		deciding:  desktools.Deciding(h.Reading),
		loomSet:   loomtools.Outside(h.Keepers),
	}
}

// Start takes over the work that a previous hub left. The teams have to join before,
// since their limits say how often a task may be rescued. Nobody may be contacted
// before Start has returned.
func (h *Hub) Start(ctx context.Context) error { return h.scheduler.Start(ctx, h.runner, h.Contacts) }

// Run works until the context is done. Then it stops: first the turns, and when they
// are over everything that they use. Doors have to stop accepting before that.
func (h *Hub) Run(ctx context.Context) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var ended sync.WaitGroup
	ended.Go(func() { h.agents.outside.servers.Run(beside) })
	ended.Go(func() { h.Keepers.Run(beside) })
	if !h.unindexed {
		ended.Go(func() { h.Search.Run(beside, h.log) })
	}
	ended.Go(func() { h.Schedules.Run(ctx) })
	err := h.scheduler.Run(ctx)
	stop()
	ended.Wait()
	return err
}

// Sweeper applies a retention rule to a team on demand.
func (h *Hub) Sweeper(team parley.TeamID, rule retention.Rule) *retention.Sweeper {
	s := retention.New(h.Store, team, rule, h.Search, h.log)
	s.Keepers = h.Keepers
	return s
}

// Paused reports whether this hub has heard that a team is paused.
func (h *Hub) Paused(team parley.TeamID) bool { return h.scheduler.Paused(team) }

// HoldClock keeps the hub from acting on time until letGo is called, for tests.
func (h *Hub) HoldClock() (letGo func()) { return h.scheduler.HoldClock() }

// TakeBack queues what clients hold who are not connected any more, as the running hub
// does now and then. For tests.
func (h *Hub) TakeBack(ctx context.Context) error { return h.scheduler.TakeBack(ctx) }

// handoff lets contacts give work to the scheduler. Together with turns it
// closes the circle contact → work → turn → tool → contact.
type handoff struct{ *work.Scheduler }

func (h handoff) Reserve(ctx context.Context, agent parley.AgentID) (contact.Reservation, bool) {
	r, ok := h.Scheduler.Reserve(ctx, agent)
	if !ok {
		return nil, false
	}
	return r, true
}

// permits lets turns ask the rules, and the managers.
type permits struct {
	control *access.Control
	*contact.Service
}

func (p permits) Permit(ctx context.Context, lease parley.Lease, action string, approved bool) error {
	return p.control.Permit(ctx, access.ForTurn(lease, nil, approved), action)
}
