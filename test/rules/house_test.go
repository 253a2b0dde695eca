package rules

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/tool"
)

// house is a real hub for the limits that are about channels and approvals, of which the
// world knows nothing. Everything else is out of the way: there are places for all, and
// rates and depths are as good as unlimited. So a reference of a few lines says what must
// come of a limit, and only the limit can make a difference.
type house struct {
	*rapid.T
	path    string
	db      *sqlite.Store
	minds   *minds
	life    *life
	members []app.Member
	limits  parley.Limits
	log     []string
}

// newHouse has Pat, a person, and these agents, who are all in #room.
func newHouse(t *rapid.T, path string, limit func(*parley.Limits), agents ...string) *house {
	h := &house{T: t, path: path, minds: &minds{}, limits: parley.DefaultLimits()}
	l := &h.limits
	l.Turns, l.AskDepth, l.DelegationDepth, l.Rate, l.Burst, l.Rescues = crowd, crowd, crowd, crowd, crowd, crowd
	l.AskTimeout, l.DelegationDeadline = 1000*time.Hour, 1000*time.Hour
	limit(l)
	h.members = []app.Member{{Name: "Pat", Kind: parley.Person, Limits: h.limits}}
	for _, name := range agents {
		h.members = append(h.members, app.Member{Name: name, Kind: parley.Native, Limits: h.limits, Toolsets: []string{"contact", "errands"}})
	}
	var err error
	h.db, err = sqlite.Open(path, sqlite.Options{Synchronous: "OFF", Readers: 1})
	h.must(err)
	return h
}

// crowd is more than a run can use up.
const crowd = 10_000

// opens starts a hub, which takes over what is left of the one before.
func (h *house) opens() {
	l := &life{Store: h.db, ran: make(chan error, 1), ended: make(chan struct{})}
	l.ctx, l.leave = context.WithCancel(context.Background())
	l.hear()
	l.hub = app.NewHub(app.HubConfig{Store: l, Log: slog.New(slog.DiscardHandler), Workers: crowd, Poll: time.Hour, Grace: hardly, Unindexed: true,
		Toolsets: map[string][]tool.Tool{"errands": errands(l)}})
	h.life = l
	roster := app.Roster{Team: parley.MainTeam, Channels: []app.Channel{{Name: "room", Members: []string{"*"}}}}
	for _, m := range h.members {
		if m.Kind == parley.Native {
			m.Model = mind{h.minds, l}
		}
		roster.Members = append(roster.Members, m)
	}
	team, err := l.hub.Join(l.ctx, roster)
	h.must(err)
	l.team = team.ID
	h.must(l.hub.Start(l.ctx))
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	go func() { l.ran <- l.hub.Run(ctx) }()
	rest()
}

// dies ends the hub as kill -9 does.
func (h *house) dies() {
	l := h.life
	if l == nil {
		return
	}
	h.life = nil
	l.die()
	close(l.ended)
	l.leave()
	l.unhear()
	if l.stop != nil {
		l.stop()
		<-l.ran
	}
	rest()
}

// closes leaves nothing behind.
func (h *house) closes() {
	h.dies()
	if h.db != nil {
		_ = h.db.Close()
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-hub"} {
		_ = os.Remove(h.path + suffix)
	}
}

// restarts is a crash and a hub that takes over: what is counted is stored.
func (h *house) restarts() {
	h.note("restart")
	h.dies()
	h.opens()
}

func (h *house) note(what ...string) { h.log = append(h.log, strings.Join(what, " ")) }

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.wrong("%v", err)
	}
}

// wrong says after what something went wrong.
func (h *house) wrong(format string, args ...any) {
	h.Helper()
	h.Fatalf(format+"\nafter\n%s", append(args, strings.Join(h.log, "\n"))...)
}

func (h *house) as(name string) access.Caller {
	h.Helper()
	e, err := h.life.hub.Directory.Find(h.life.team, name)
	h.must(err)
	return access.Caller{Team: h.life.team, Agent: e.ID}
}

func (h *house) name(id parley.AgentID) string {
	e, _ := h.life.hub.Directory.Entry(id)
	return e.Name
}

// answers lets a waiting model reply, and the hub come to rest.
func (h *house) answers(th *thought, a answer) {
	align()
	th.answer <- a
	rest()
}

// says is a reply that ends a turn.
func says(text string) answer { return answer{reply: model.Reply{Text: text}} }

// breaks is a model that fails its task.
func breaks(why string) answer {
	return answer{err: &model.Error{Class: model.Refused, Message: why}}
}

// calling is a reply with tool calls. The turn gives them ids that are their own.
func calling(calls ...model.Call) answer { return answer{reply: model.Reply{Calls: calls}} }

func toolCall(name string, args map[string]string) model.Call {
	raw, _ := json.Marshal(args)
	return model.Call{ID: "call", Name: name, Args: raw}
}

func contactCall(p parley.Pattern, target string) model.Call {
	return toolCall("contact_agent", map[string]string{"action": string(p), "agentId": target, "message": "Please."})
}

func requestTo(name string) contact.Request { return contact.Request{Target: name, Message: "Begin."} }

// view reads what is stored.
func (h *house) view(read func(*store.Tx) error) {
	h.Helper()
	h.must(h.db.View(context.Background(), read))
}

// tasks are all there are, oldest first.
func (h *house) tasks() (list []parley.Task) {
	h.view(func(tx *store.Tx) (err error) {
		list, err = tx.Tasks(store.TaskFilter{Team: h.life.team, Limit: crowd})
		return err
	})
	slices.Reverse(list)
	return list
}

func (h *house) task(id parley.TaskID) (t parley.Task) {
	h.view(func(tx *store.Tx) (err error) { t, err = tx.Task(id); return err })
	return t
}
