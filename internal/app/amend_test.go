package app

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/config"
	"parley/internal/rulebook"
	"parley/internal/store"
	"parley/internal/store/memtest"
)

// Agents that are replaced one by one are as if the whole team had been taken over. One hub
// hears which files have changed; the other one always takes over all of them.
func TestAmendingIsTakingOver(t *testing.T) {
	amended := 0
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			e := teamEditor{t: t, dir: t.TempDir(), rand: rand.New(rand.NewPCG(seed, 3))}
			e.write("parley.yaml", "model: scripted:s.yaml\nperson: Ada\n")
			e.write("s.yaml", "agents: {bot0: [{steps: [{say: ok}]}]}\n")
			for i := range 6 {
				e.write(fmt.Sprintf("agents/bot%d.md", i), e.agent(""))
			}
			some, all := joined(t, e.dir), joined(t, e.dir)
			for step := range 25 {
				e.touched = nil
				for range 1 + e.rand.IntN(2) {
					e.edit()
				}
				all.files.whole = false
				before := some.files.applied
				wanted, wrong := all.files.Reload(t.Context(), 0)
				some.files.noticed = rulebook.Change{}
				var err error
				if e.rand.IntN(4) == 0 { // somebody says reload
					some.files.noticed, err = some.files.Reload(t.Context(), 0)
				} else {
					err = some.files.refresh(t.Context(), e.touched)
				}
				if fmt.Sprint(err) != fmt.Sprint(wrong) {
					t.Fatalf("step %d, %v: %v, not %v", step, e.touched, err, wrong)
				}
				if d := cmp.Diff(who(wanted), who(some.files.noticed)); err == nil && d != "" {
					t.Errorf("step %d, %v: other changes (-all +some):\n%s", step, e.touched, d)
				}
				if d := cmp.Diff(inForce(t, all), inForce(t, some)); d != "" {
					t.Fatalf("step %d, %v: the team differs (-all +some):\n%s", step, e.touched, d)
				}
				if some.files.whole && some.files.applied != before && len(e.touched) == 1 {
					amended++
				}
			}
		})
	}
	if amended == 0 {
		t.Error("nobody was replaced")
	}
}

// Who says reload has the memories in the data folder read again, also of agents whose files
// are the same.
func TestAReloadReadsMemoriesInTheDataFolder(t *testing.T) {
	e := teamEditor{t: t, dir: t.TempDir()}
	e.write("parley.yaml", "model: scripted:s.yaml\nperson: Ada\n")
	e.write("s.yaml", "agents: {bot0: [{steps: [{say: ok}]}]}\n")
	e.write("agents/bot0.md", "Be kind.\n")
	s := joined(t, e.dir)
	e.dir = s.cfg.Data
	for _, text := range []string{"One.", "Two."} {
		e.write("memory/bot0.md", text)
		if _, err := s.files.Reload(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if got := knowledge(t, s, "bot0"); got != text {
			t.Errorf("it knows %q, not %q", got, text)
		}
	}
}

// A memory that was removed from the data folder was still in the prompts after a reload,
// however it had come there.
func TestAReloadMissesMemoriesThatAreGone(t *testing.T) {
	for _, c := range []struct {
		name string
		come func(e *teamEditor, s *servedTeam)
	}{
		{"with a reload", func(e *teamEditor, s *servedTeam) {
			if _, err := s.files.Reload(t.Context(), 0); err != nil {
				e.t.Fatal(err)
			}
		}},
		{"with the whole team", func(e *teamEditor, s *servedTeam) {
			s.files.whole = false
			if _, err := s.files.Reload(t.Context(), 0); err != nil {
				e.t.Fatal(err)
			}
		}},
		{"with the agent's file, whose change was noticed", func(e *teamEditor, s *servedTeam) {
			e.write("agents/bot0.md", "Be quick.\n")
			if err := s.files.refresh(t.Context(), e.touched); err != nil {
				e.t.Fatal(err)
			}
		}},
		{"from the agent", func(e *teamEditor, s *servedTeam) {
			found, err := s.hub.Directory.Find(s.team.ID, "bot0")
			if err != nil {
				e.t.Fatal(err)
			}
			s.files.remember(found.ID, "One.")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := teamEditor{t: t, dir: t.TempDir()}
			e.write("parley.yaml", "model: scripted:s.yaml\nperson: Ada\n")
			e.write("s.yaml", "agents: {bot0: [{steps: [{say: ok}]}]}\n")
			e.write("agents/bot0.md", "Be kind.\n")
			s := joined(t, e.dir)
			e.touched = nil
			data := teamEditor{t: t, dir: s.cfg.Data}
			data.write("memory/bot0.md", "One.")
			c.come(&e, s)
			if got := knowledge(t, s, "bot0"); got != "One." {
				t.Fatalf("it knows %q", got)
			}
			if err := os.Remove(filepath.Join(s.cfg.Data, "memory", "bot0.md")); err != nil {
				t.Fatal(err)
			}
			if _, err := s.files.Reload(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			if got := knowledge(t, s, "bot0"); got != "" {
				t.Errorf("it still knows %q", got)
			}
			if !s.files.whole || len(s.files.recalled) > 0 {
				t.Errorf("whole: %v, and the memories are %v", s.files.whole, s.files.recalled)
			}
		})
	}
}

// A team that began with an empty parley.yaml lost its people without a word while an
// editor saved the file.
func TestAnEmptiedFileIsComparedWithWhatIsInForce(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, f *teamFiles) error{
		"reload":  func(t *testing.T, f *teamFiles) error { _, err := f.Reload(t.Context(), 0); return err },
		"noticed": func(t *testing.T, f *teamFiles) error { return f.refresh(t.Context(), []string{"parley.yaml"}) },
	} {
		t.Run(name, func(t *testing.T) {
			e := teamEditor{t: t, dir: t.TempDir()}
			e.write("parley.yaml", "")
			e.write("s.yaml", "agents: {bot0: [{steps: [{say: ok}]}]}\n")
			e.write("agents/bot0.md", "---\nmodel: scripted:s.yaml\n---\nBe kind.\n")
			s := joined(t, e.dir)
			if err := take(t, s.files); err != nil {
				t.Fatalf("while it is empty as it was: %v", err)
			}
			e.write("parley.yaml", "people: [Bea]\n")
			if err := take(t, s.files); err != nil {
				t.Fatal(err)
			}
			e.write("agents/bot0.md", "---\nmodel: scripted:s.yaml\n---\nBe quick.\n")
			if err := s.files.refresh(t.Context(), []string{"agents/bot0.md"}); err != nil { // an amendment
				t.Fatal(err)
			}
			e.write("parley.yaml", "")
			if err := take(t, s.files); parley.KindOf(err) != parley.Invalid {
				t.Errorf("the emptied file: %v", err)
			}
			if got := s.files.Current().People; !slices.Equal(got, []string{"Bea"}) {
				t.Errorf("the people are %v", got)
			}
			if found, err := s.hub.Directory.Find(s.team.ID, "Bea"); err != nil || found.Retired {
				t.Errorf("Bea is %+v, %v", found, err)
			}
		})
	}
}

// knowledge is what an agent knows beside its instructions.
func knowledge(t *testing.T, s *servedTeam, name string) string {
	t.Helper()
	found, err := s.hub.Directory.Find(s.team.ID, name)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := s.hub.agents.find(found.ID)
	return d.Knowledge
}

// who are those whom a change concerns.
func who(c rulebook.Change) string {
	slices.Sort(c.Joined)
	slices.Sort(c.Removed)
	return fmt.Sprintf("joined %v, changed %v, removed %v", c.Joined, c.Changed, c.Removed)
}

// joined is a team on a hub of its own, without doors.
func joined(t *testing.T, dir string) *servedTeam {
	t.Helper()
	team, problems, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg := ServeConfig{Team: team, Problems: problems, Data: t.TempDir()}
	cfg.fill()
	cfg.Log = slog.New(slog.DiscardHandler)
	s := newServedTeam(NewHub(HubConfig{Store: memtest.Open(t), Log: cfg.Log}), cfg)
	if err := s.join(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// inForce is everything that the hub knows about its agents, by name.
func inForce(t *testing.T, s *servedTeam) map[string]string {
	t.Helper()
	known := map[string]string{"problems": fmt.Sprint(s.files.Problems()), "warnings": fmt.Sprint(s.files.Current().Warnings)}
	var stored []parley.Agent
	err := s.hub.Store.View(t.Context(), func(tx *store.Tx) (err error) {
		stored, err = tx.Agents(s.team.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range stored {
		text := fmt.Sprintf("%s %d %v", a.Kind, a.Turns, a.Removed)
		if e, ok := s.hub.Directory.Entry(a.ID); ok && !e.Retired {
			text += fmt.Sprintf(" %s|%s|%s|%v|%v|%s|%v", e.Description, e.Role, e.Model, *e.Limits, e.Isolated, e.Mistake, e.Lead)
			text += fmt.Sprintf("|%s|%v|%v|%v|%v", e.Rules.Manager, e.Rules.CanInvoke, e.Rules.Contacts, e.Rules.Behavior, e.Rules.ReadOnly)
		}
		if d, ok := s.hub.agents.find(a.ID); ok {
			text += fmt.Sprintf("|%s|%s|%s|%v", d.Instructions, d.Knowledge, d.ModelName, *d.Limits)
			for _, tool := range d.now().Tools {
				text += " " + tool.Name
			}
		}
		known[a.Name] = text
	}
	for _, a := range s.files.Current().Agents {
		known["file of "+a.Name] = fmt.Sprintf("%s %s %q %v", a.File, a.Description, a.Instructions, a.Mistake)
	}
	return known
}

// teamEditor changes files so that mostly an agent stays who it is.
type teamEditor struct {
	t       *testing.T
	dir     string
	rand    *rand.Rand
	touched []string
}

func (e *teamEditor) pick(list ...string) string { return list[e.rand.IntN(len(list))] }

func (e *teamEditor) write(name, text string) {
	path := filepath.Join(e.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	e.touched = append(e.touched, name)
}

func (e *teamEditor) edit() {
	file := fmt.Sprintf("agents/bot%d.md", e.rand.IntN(6))
	switch e.rand.IntN(16) {
	case 0:
		if err := os.RemoveAll(filepath.Join(e.dir, file)); err != nil {
			e.t.Fatal(err)
		}
		e.touched = append(e.touched, file)
	case 1:
		e.write(file, e.pick("", "---\n", "---\nmanger: x\n---\n"))
	case 2:
		e.write(file, e.agent(e.pick("manager: bot1", "kind: client", "model: scripted:t.yaml", "name: other", "limits: {message_bytes: 2MB}",
			"schedule: [{every: 1h, message: Look.}]", "limits: {nudge_after: 1h}")))
	case 3:
		e.write("agents/_shared/house.md", e.pick("Be kind.", "Be quick."))
	case 4:
		e.write("parley.yaml", "model: scripted:s.yaml\nperson: Ada\n"+e.pick("", "people: [Bea]\n", "limits: {turns: 2}\n", "lead: bot0\n"))
	case 5:
		e.write("agents/den/agent.md", e.agent(""))
		e.write("agents/den/MEMORY.md", e.pick("One.", "Two."))
	default:
		e.write(file, e.agent(""))
	}
}

func (e *teamEditor) agent(more string) string {
	lines := []string{"---", "description: " + e.pick("Knows.", "Does."), e.pick("", "role: coder"), e.pick("", "mode: read"),
		e.pick("", "can_invoke: [bot0]", "can_invoke: []"), e.pick("", "contacts: [{deny: bot1}]"), e.pick("", "limits: {turns: 3, rate: 7}"),
		e.pick("", "behavior: strict"), e.pick("", "tools: [ask]"), e.pick("", "isolated: true"), more, "---", e.pick("Be short.", "Be long.", "")}
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n") + "\n"
}
