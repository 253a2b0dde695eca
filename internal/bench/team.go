package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
)

// A large team in files: how long a hub takes to read it and to serve, how much memory that
// needs at the worst moment, and how long it takes until one changed file is in force. The
// hub is a process of its own, which does what parley up does.

const (
	teamFirstName  = "team.start.first"
	teamLaterName  = "team.start.later"
	teamReloadName = "team.reload"
	teamWholeName  = "team.reload.whole"
)

var teamNames = []string{teamFirstName, teamLaterName, teamReloadName, teamWholeName}

// teamMemory is what a hub with a large team may need.
const teamMemory = 300e6

func (b *bench) largeTeam(ctx context.Context) error {
	if !b.wanted.any(teamNames) {
		return nil
	}
	f := teamFolder{dir: filepath.Join(b.dir, "team"), agents: b.plan.filed}
	b.say("team: %s agents in files", count(f.agents))
	if err := f.make(); err != nil {
		return err
	}
	for _, name := range []string{teamFirstName, teamLaterName} {
		if err := b.teamStarts(ctx, name, f); err != nil {
			return err
		}
	}
	return b.teamReloads(ctx, f)
}

// teamStarts measures starts, on a new database each or on that of a start before.
func (b *bench) teamStarts(ctx context.Context, name string, f teamFolder) error {
	if !b.wanted.has(name) {
		return nil
	}
	l := Line{Name: name, Agents: f.agents, Rounds: b.plan.kills}
	var took []time.Duration
	var cpu []float64
	for range b.plan.kills {
		if name == teamFirstName {
			if err := os.RemoveAll(f.data()); err != nil {
				return err
			}
		}
		h, d, err := f.start(ctx)
		if err != nil {
			return err
		}
		used, err := h.settled(ctx)
		if err := errors.Join(err, h.end()); err != nil {
			return err
		}
		b.say("  %-28s %s, %s of processor time, at most %d MB, then %d MB", name, micros(d), duration(used.CPU), used.Peak/1e6, used.RSS/1e6)
		took, cpu = append(took, d), append(cpu, used.CPU)
		l.Peak, l.RSS, l.Heap = max(l.Peak, used.Peak), max(l.RSS, used.RSS), max(l.Heap, used.Heap)
	}
	slices.Sort(took)
	l.CPU = median(cpu, func(us float64) float64 { return us })
	l.Ops, l.P50, l.Max = len(took), inMicros(percentile(took, 50)), inMicros(took[len(took)-1])
	return b.report.add(l)
}

// teamReloads measures changes of single files, and reading all of them again.
func (b *bench) teamReloads(ctx context.Context, f teamFolder) (err error) {
	if !b.wanted.has(teamReloadName) && !b.wanted.has(teamWholeName) {
		return nil
	}
	h, _, err := f.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.end()) }()
	used, err := h.settled(ctx)
	if err != nil {
		return err
	}
	for _, m := range []struct {
		name  string
		times int
		do    func(context.Context) (time.Duration, error)
	}{{teamReloadName, b.plan.edits, h.edit}, {teamWholeName, b.plan.edits / 10, h.reload}} {
		if !b.wanted.has(m.name) {
			continue
		}
		var took []time.Duration
		for range max(1, m.times) {
			d, err := m.do(ctx)
			if err != nil {
				return err
			}
			took = append(took, d)
		}
		cpu := used.CPU
		if err := h.order(ctx, "usage", &used); err != nil {
			return err
		}
		slices.Sort(took)
		err := b.report.add(Line{Name: m.name, Agents: f.agents, Ops: len(took), P50: inMicros(percentile(took, 50)), P99: inMicros(percentile(took, 99)),
			CPU: round((used.CPU-cpu)/float64(len(took)), 1), Max: inMicros(took[len(took)-1]), Heap: used.Heap, RSS: used.RSS, Peak: used.Peak})
		if err != nil {
			return err
		}
	}
	return nil
}

// teamFolder is a team's folder with many agents, each a file of about 300 bytes.
type teamFolder struct {
	dir    string
	agents int
}

func (f teamFolder) data() string { return filepath.Join(f.dir, config.DefaultData) }

func (f teamFolder) name(i int) string { return fmt.Sprintf("agent-%06d", i) }

func (f teamFolder) file(i int) string {
	return filepath.Join(f.dir, "agents", f.name(i)+".md")
}

func (f teamFolder) make() error {
	if err := os.MkdirAll(filepath.Join(f.dir, "agents"), 0o700); err != nil {
		return err
	}
	settings := map[string]string{
		config.TeamFile: "team: main\nperson: Ada\nlisten: 127.0.0.1:0\nmodel: scripted:script.yaml\n",
		"script.yaml":   "agents: {agent-000000: [{steps: [{say: ok}]}]}\n",
	}
	for name, text := range settings {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for i := range f.agents {
		if err := os.WriteFile(f.file(i), f.text(i, ""), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// text is an agent's file. more are further keys.
func (f teamFolder) text(i int, more string) []byte {
	return fmt.Appendf(nil, "---\ndescription: Knows all about part %d and says what it rests on.\nrole: engineer\n%s---\n"+
		"You look after part %d of the works. You answer in one sentence, you name the place where you found it, "+
		"and you say so if you do not know. Whoever asks for another part is sent to its agent.\n", i, more, i)
}

// teamProcess is a hub with the team.
type teamProcess struct {
	hubProcess
	folder teamFolder
	client *client.Client
	edits  int
}

// start starts a hub and returns how long that took until it served.
func (f teamFolder) start(ctx context.Context) (*teamProcess, time.Duration, error) {
	begun := time.Now()
	c, err := startChild(ctx, errand{Do: doTeam, Address: f.dir})
	if err != nil {
		return nil, 0, err
	}
	h := &teamProcess{hubProcess: hubProcess{child: c}, folder: f}
	err = c.hear(&h.opened)
	took := time.Since(begun)
	if err == nil {
		h.client, err = client.Discover(f.data())
	}
	if err != nil {
		return nil, 0, errors.Join(err, c.kill())
	}
	return h, took, nil
}

// teamUsage is what the hub has needed so far.
type teamUsage struct {
	usage
	CPU float64 `json:"cpu_us"`
}

// settled is the memory of the hub when it has begun to watch the files, which the change
// of one shows.
func (h *teamProcess) settled(ctx context.Context) (used teamUsage, err error) {
	if _, err := h.edit(ctx); err != nil {
		return used, err
	}
	return used, h.order(ctx, "usage", &used)
}

// edit changes a file and returns how long it took until the change was in force. Every
// other time the file is moved into its place, as editors do.
func (h *teamProcess) edit(ctx context.Context) (time.Duration, error) {
	i := h.edits * 7919 % h.folder.agents
	more, want := "can_invoke: [Ada]\n", "denied"
	if e, err := h.explain(ctx, i); err != nil {
		return 0, err
	} else if e.Verdict == want {
		more, want = "", "allowed"
	}
	path, file := h.folder.file(i), h.folder.file(i)
	if h.edits%2 == 1 {
		path = filepath.Join(filepath.Dir(file), ".edited~")
	}
	h.edits++
	begun := time.Now()
	if err := os.WriteFile(path, h.folder.text(i, more), 0o600); err != nil {
		return 0, err
	}
	if path != file {
		if err := os.Rename(path, file); err != nil {
			return 0, err
		}
	}
	for {
		e, err := h.explain(ctx, i)
		took := time.Since(begun)
		switch {
		case err != nil:
			return 0, err
		case e.Verdict == want:
			return took, nil
		case took > resultLimit:
			return 0, fmt.Errorf("a changed file was not in force within %v", resultLimit)
		}
		time.Sleep(time.Millisecond) // the hub needs the processors more than the one that asks
	}
}

func (h *teamProcess) explain(ctx context.Context, i int) (api.Explanation, error) {
	return h.client.Explain(ctx, h.folder.name(i), h.folder.name((i+1)%h.folder.agents), "ask")
}

// reload has the hub read all files again.
func (h *teamProcess) reload(ctx context.Context) (time.Duration, error) {
	begun := time.Now()
	_, err := h.client.Reload(ctx)
	return time.Since(begun), err
}

func (h *teamProcess) end() error {
	h.client.Close()
	return h.kill()
}

// team serves a team's folder as parley up does, and tells beside it what that needs.
func (e errand) team(ctx context.Context) error {
	orders, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/bench/usage", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, teamUsage{usedNow(), inMicros(processTime())}, nil)
	})
	beside := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = beside.Serve(orders) }() // until it is closed
	team, problems, err := config.Load(e.Address)
	if err == nil && len(problems) > 0 {
		err = errors.New(problems[0].String())
	}
	if err == nil {
		err = app.Serve(ctx, app.ServeConfig{Team: team, Problems: problems, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Ready: func(app.Serving) { _ = tell(opened{URL: "http://" + orders.Addr().String()}) }})
	}
	return errors.Join(err, beside.Close())
}
