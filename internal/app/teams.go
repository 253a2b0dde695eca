package app

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/config"
	"parley/internal/hosting"
	"parley/internal/hubfile"
	"parley/internal/rulebook"
	"parley/internal/store"
)

// teams are the teams of a hub: its own, and those in the list in its data folder, which
// may change while it runs. A team that cannot be served does not disturb the others.
// It implements hosting.Teams.
type teams struct {
	s   *serving
	own *servedTeam
	// looking is held while teams join and leave, which may take a while.
	looking sync.Mutex
	largest int // message that the doors accept; 0 until they are open

	placing sync.Mutex
	places  map[*servedTeam]*config.Team // where the agents of each team work

	mu      sync.RWMutex
	ctx     context.Context        // of those who follow the files; nil before the hub runs
	served  map[string]*servedTeam // by folded name, without its own
	byID    map[parley.TeamID]*servedTeam
	refused map[string]refusedTeam
}

// refusedTeam is a team that could not join.
type refusedTeam struct {
	hubfile.Team
	problem string
	stamp   uint64 // of its files then
	seen    uint64 // of its files at the last look
	again   bool   // the reason may go away by itself
}

func newTeams(s *serving) *teams {
	t := &teams{s: s, own: s.own, places: map[*servedTeam]*config.Team{},
		served: map[string]*servedTeam{}, byID: map[parley.TeamID]*servedTeam{}, refused: map[string]refusedTeam{}}
	t.own.apart = func(now *config.Team) error { return t.place(t.own, now) }
	return t
}

// Reread implements hosting.Teams.
func (t *teams) Reread(ctx context.Context) error {
	return t.look(context.WithoutCancel(ctx), true) // half of it would be done otherwise
}

// look brings the hub into line with the list. A team that could not join is tried again
// if its files have changed, or if everything is to be tried.
func (t *teams) look(ctx context.Context, all bool) error {
	t.looking.Lock()
	defer t.looking.Unlock()
	listed, err := hubfile.Teams(t.s.cfg.Data)
	if err != nil {
		t.s.cfg.Log.Error("the list of teams cannot be read; the teams stay as they were", "problem", parley.Public(err))
		return err
	}
	for name, st := range t.all() {
		i := slices.IndexFunc(listed, func(l hubfile.Team) bool { return l.Is(name) })
		if i < 0 { // somebody has edited the list
			i, listed = len(listed), append(listed, hubfile.Team{Name: st.team.Name, Folder: st.cfg.Team.Dir, Data: st.cfg.Team.Data, Leaving: true})
		}
		if listed[i].Leaving || listed[i].Folder != st.cfg.Team.Dir {
			t.part(st)
		}
	}
	for _, l := range listed {
		if l.Leaving {
			err = errors.Join(err, t.leave(ctx, l))
			continue
		}
		t.bring(ctx, l, all)
	}
	t.forget(listed)
	return err
}

// all is a copy of the further teams.
func (t *teams) all() map[string]*servedTeam {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return maps.Clone(t.served)
}

// bring makes a listed team join, unless it has already.
func (t *teams) bring(ctx context.Context, l hubfile.Team, all bool) {
	key := parley.FoldName(l.Name)
	t.mu.RLock()
	served, refused := t.served[key], t.refused[key]
	t.mu.RUnlock()
	if served != nil {
		return
	}
	stamp, _ := config.Stamp(l.Folder)
	if !all && refused.Team == l && !refused.again && (stamp == refused.stamp || stamp != refused.seen) {
		t.see(key, stamp) // somebody may just be writing
		return
	}
	st, err := t.admit(ctx, l)
	if err != nil && ctx.Err() != nil {
		return // the hub is stopping
	}
	if err != nil {
		if problem := parley.Public(err); problem != refused.problem {
			t.s.cfg.Log.Error("a team cannot be served", "team", l.Name, "folder", l.Folder, "problem", problem, "error", err)
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.refused[key] = refusedTeam{Team: l, problem: parley.Public(err), stamp: stamp, seen: stamp, again: retried(err)}
		return
	}
	t.s.cfg.Log.Info("a team has joined", "team", st.team.Name, "folder", l.Folder)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.served[key], t.byID[st.team.ID] = st, st
	delete(t.refused, key)
	if t.ctx != nil {
		st.follow(t.ctx)
		st.cfg.settleMemory(len(st.cfg.Team.Agents))
	}
}

// see remembers what the files of a refused team look like.
func (t *teams) see(key string, stamp uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.refused[key]
	r.seen = stamp
	t.refused[key] = r
}

// admit makes a team join. If it fails, nothing is left open.
func (t *teams) admit(ctx context.Context, l hubfile.Team) (*servedTeam, error) {
	cfg, err := t.adopt(l)
	if err != nil {
		return nil, err
	}
	st := newServedTeam(t.s.hub, cfg)
	st.apart = func(now *config.Team) error { return t.place(st, now) }
	if err := t.settle(ctx, l, st); err != nil {
		_ = t.shut(st) // the error says more
		return nil, err
	}
	return st, nil
}

// settle does the steps of joining, one after the other.
func (t *teams) settle(ctx context.Context, l hubfile.Team, st *servedTeam) (err error) {
	if st.lock, err = hubfile.Acquire(st.cfg.Team.Data); err != nil {
		return err
	}
	if err := t.point(l, st.cfg.Team); err != nil {
		return err
	}
	if err := st.join(ctx); err != nil {
		return err
	}
	if t.largest > 0 {
		st.limitTo(t.largest)
	}
	token, err := t.s.hub.tokenOf(ctx, st.team, st.person, t.s.lock.TeamToken(l.Name))
	if err != nil {
		return err
	}
	return t.s.lock.PublishTeam(l.Name, token)
}

// adopt reads the files of a team that was added to the hub. What is the hub's business
// comes from the hub, and nothing of the hub is in sight of the team's agents.
func (t *teams) adopt(l hubfile.Team) (ServeConfig, error) {
	own := t.s.cfg.Team
	cfg := ServeConfig{Log: t.s.cfg.Log.With("team", l.Name), LookEvery: t.s.cfg.LookEvery, further: true}
	filed, problems, err := config.Load(l.Folder)
	if err != nil {
		return cfg, err
	}
	if parley.FoldName(l.Name) == parley.FoldName(own.Name) {
		return cfg, errSameName(l.Name)
	}
	cfg.filed, cfg.Problems, cfg.Team = filed, problems, Adopt(filed, l.Name, own)
	cfg.models, cfg.alike, cfg.boxes = newModels(cfg.Team), newAlike(), &serverBoxes{}
	cfg.models.limiters = t.s.cfg.models.limiters // the same key may be theirs too
	return cfg, nil
}

// point makes the team's folder name its hub.
func (t *teams) point(l hubfile.Team, team *config.Team) error {
	hub := t.s.cfg
	if l.Data != team.Data { // it was changed in the files
		err := hubfile.ChangeTeams(hub.Data, func(list []hubfile.Team) ([]hubfile.Team, error) {
			if i := slices.Index(list, l); i >= 0 {
				list[i].Data = team.Data
			}
			return list, nil
		})
		if err != nil {
			return err
		}
	}
	return hubfile.Point(team.Data, hubfile.Pointer{Hub: hub.Data, Folder: hub.Team.Dir, Team: l.Name})
}

// place refuses files with which agents of two teams would reach the same files, or those
// of the hub.
func (t *teams) place(st *servedTeam, now *config.Team) error {
	t.placing.Lock()
	defer t.placing.Unlock()
	if st != t.own {
		if err := CheckAdopted(now, t.own.cfg.Team); err != nil {
			return err
		}
	}
	for other, at := range t.places {
		if other == st {
			continue
		}
		if err := CheckOverlap(now, at); err != nil {
			return err
		}
	}
	t.places[st] = now
	return nil
}

// shut releases what a team has open.
func (t *teams) shut(st *servedTeam) error {
	t.placing.Lock()
	delete(t.places, st)
	t.placing.Unlock()
	return st.close()
}

// part stops serving a team. From then on nobody gets in with one of its tokens.
func (t *teams) part(st *servedTeam) {
	t.mu.Lock()
	delete(t.served, parley.FoldName(st.team.Name))
	delete(t.byID, st.team.ID)
	t.mu.Unlock()
	st.unfollow()
	if err := t.shut(st); err != nil {
		t.s.cfg.Log.Warn("a team could not be closed in order", "team", st.team.Name, "error", err)
	}
}

// leave ends the work of a team that was removed, and then forgets it.
func (t *teams) leave(ctx context.Context, l hubfile.Team) error {
	if err := t.s.hub.Leave(ctx, l.Name, homeOf(l.Folder)); err != nil {
		t.s.cfg.Log.Error("a team could not be removed", "team", l.Name, "error", err)
		return err
	}
	t.s.cfg.Log.Info("a team was removed", "team", l.Name, "folder", l.Folder)
	return errors.Join(t.s.lock.WithdrawTeam(l.Name), hubfile.Unpoint(l.Data, t.s.cfg.Data),
		hubfile.ChangeTeams(t.s.cfg.Data, func(list []hubfile.Team) ([]hubfile.Team, error) {
			return slices.DeleteFunc(list, func(other hubfile.Team) bool { return other == l }), nil
		}))
}

// forget drops the refused teams that are no longer listed.
func (t *teams) forget(listed []hubfile.Team) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.refused, func(name string, _ refusedTeam) bool {
		return !slices.ContainsFunc(listed, func(l hubfile.Team) bool { return l.Is(name) && !l.Leaving })
	})
}

// follow begins to watch the files of all teams.
func (t *teams) follow(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ctx = ctx
	t.own.follow(ctx)
	for _, st := range t.served {
		st.follow(ctx)
	}
}

// watch looks at the list from time to time until the context is done, and at once when
// told to, together with the files of all teams.
func (t *teams) watch(ctx context.Context, every time.Duration, now <-chan struct{}) {
	tick := time.NewTicker(cmp.Or(every, lookEvery))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.looking.Lock() // nobody joins any more
			defer t.looking.Unlock()
			t.own.unfollow()
			for _, st := range t.all() {
				st.unfollow()
			}
			return
		case <-now:
			for _, st := range t.all() {
				st.readAgain()
			}
			t.own.readAgain()
			_ = t.look(ctx, true) // it has logged what is wrong
		case <-tick.C:
			_ = t.look(ctx, false)
		}
	}
}

// close releases what all teams have open.
func (t *teams) close() (err error) {
	for _, st := range t.all() {
		closing(&err, st.close)
	}
	closing(&err, t.own.close)
	return err
}

// find is the team that the hub serves under an id; nil if there is none.
func (t *teams) find(id parley.TeamID) *servedTeam {
	if id == t.own.team.ID {
		return t.own
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byID[id]
}

// rules are those of a team's files; nil if the hub does not have them.
func (t *teams) rules(id parley.TeamID) *rulebook.Service {
	if st := t.find(id); st != nil {
		return st.rules
	}
	return nil
}

func (t *teams) shell(id parley.TeamID) string {
	if st := t.find(id); st != nil {
		return st.shell()
	}
	return ""
}

// notifyStates says to people how the targets of their team are doing.
func (t *teams) notifyStates(ctx context.Context, c access.Caller) ([]api.NotifyTarget, error) {
	if st := t.find(c.Team); st != nil {
		return st.files.notifyStates(ctx, c)
	}
	return nil, nil
}

// bridgeStates says to people how the chat programs of their team are doing.
func (t *teams) bridgeStates(ctx context.Context, c access.Caller) ([]api.Bridge, error) {
	if st := t.find(c.Team); st != nil && t.own.hub.Access.IsPerson(c.Agent) {
		return st.files.bridges.states(ctx)
	}
	return nil, nil
}

// acceptLargest is the largest message that anybody may send. The doors accept no more
// from then on.
func (t *teams) acceptLargest() int {
	t.largest = t.own.files.biggest
	for _, st := range t.all() {
		t.largest = max(t.largest, st.files.biggest)
	}
	for _, st := range t.all() {
		st.limitTo(t.largest)
	}
	t.own.limitTo(t.largest)
	return t.largest
}

// List implements hosting.Teams.
func (t *teams) List(ctx context.Context) ([]hosting.Team, error) {
	list := append([]hosting.Team{t.describe(t.own)}, t.further()...)
	err := t.s.store.View(ctx, func(tx *store.Tx) error {
		paused, err := tx.PausedTeams()
		for i := range list {
			list[i].Paused = slices.Contains(paused, list[i].ID)
		}
		return err
	})
	return list, err
}

// further are the teams besides the hub's own, by name.
func (t *teams) further() (list []hosting.Team) {
	for _, st := range t.all() {
		list = append(list, t.describe(st))
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, r := range t.refused {
		list = append(list, hosting.Team{Name: r.Name, Folder: r.Folder, Problems: []string{r.problem}})
	}
	slices.SortFunc(list, func(a, b hosting.Team) int { return strings.Compare(parley.FoldName(a.Name), parley.FoldName(b.Name)) })
	return list
}

func (t *teams) describe(st *servedTeam) hosting.Team {
	d := hosting.Team{ID: st.team.ID, Name: st.team.Name, Folder: st.cfg.Team.Dir, Own: st == t.own, Person: st.person,
		Problems: texts(FoldProblems(st.files.Problems())), Warnings: texts(st.warned)}
	for _, id := range t.s.hub.Directory.Everyone(st.team.ID) {
		if e, ok := t.s.hub.Directory.Entry(id); ok && e.Kind != parley.Person {
			d.Agents = append(d.Agents, e.Name)
		}
	}
	slices.Sort(d.Agents)
	return d
}

func texts(problems []config.Problem) (list []string) {
	for _, p := range problems {
		list = append(list, p.String())
	}
	return list
}
