package config

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Whatever was seen before, reading what has changed, or all again, gives what reading
// everything anew gives.
func TestWhatWasSeenNeverMatters(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			e := editor{t: t, dir: t.TempDir(), rand: rand.New(rand.NewPCG(seed, 7))}
			e.write("parley.yaml", "model: scripted:s.yaml\nperson: Ada\n")
			for range 12 {
				e.edit()
			}
			e.mend()
			before, _, err := Load(e.dir)
			if err != nil {
				t.Fatal(err)
			}
			last := before
			for step := range 40 {
				e.touched = nil
				for range 1 + e.rand.IntN(3) {
					e.edit()
				}
				want, wrong, failed := Reload(before)
				got, found, err := Refresh(before, last, e.touched)
				if e.rand.IntN(3) == 0 { // who does not know what has changed
					got, found, err = Reread(before, last)
				}
				if fmt.Sprint(err) != fmt.Sprint(failed) {
					t.Fatalf("step %d, %v: %v, not %v", step, e.touched, err, failed)
				}
				if err != nil {
					e.mend() // and nobody has told of it
					if before, _, err = Load(e.dir); err != nil {
						t.Fatal(err)
					}
					last = before
					continue
				}
				same := cmp.Options{cmp.AllowUnexported(Store{}), cmpopts.IgnoreUnexported(Team{}), cmp.Comparer(func(a, b Schedule) bool { return a.Equal(b) })}
				if d := cmp.Diff(want, got, same); d != "" {
					t.Fatalf("step %d, %v: the team differs (-anew +refreshed):\n%s", step, e.touched, d)
				}
				if d := cmp.Diff(wrong, found); d != "" {
					t.Fatalf("step %d, %v: the problems differ (-anew +refreshed):\n%s", step, e.touched, d)
				}
				before, last = got, got
			}
		})
	}
}

// editor changes the files of a team as people do, and worse.
type editor struct {
	t       *testing.T
	dir     string
	rand    *rand.Rand
	touched []string
}

func (e *editor) pick(list ...string) string { return list[e.rand.IntN(len(list))] }

func (e *editor) write(name, text string) {
	path := filepath.Join(e.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.touched = append(e.touched, name)
}

func (e *editor) remove(name string) {
	if err := os.RemoveAll(filepath.Join(e.dir, filepath.FromSlash(name))); err != nil {
		e.t.Fatal(err)
	}
	e.touched = append(e.touched, name)
}

// mend makes parley.yaml and the agents' folder usable again.
func (e *editor) mend() {
	e.write("parley.yaml", "model: scripted:s.yaml\nperson: Ada\n")
	e.write("agents/ann.md", "Hello.\n")
}

func (e *editor) edit() {
	file := e.pick("agents/ann.md", "agents/ben.md", "agents/cy.md", "agents/dot.md", "agents/ann/agent.md", "agents/ben/agent.md", "agents/ann-2.md")
	switch e.rand.IntN(22) {
	case 0, 1:
		e.remove(file)
	case 2:
		e.remove(e.pick("agents/ann", "agents/ben", "agents/_shared", "agents/note.txt"))
	case 3:
		e.write(e.pick("agents/ann/MEMORY.md", "agents/ben/SOUL.md", "agents/ann/docs/README.md"), e.pick("One.", "Two.", "\xff"))
	case 4:
		e.write(e.pick("agents/_shared/a.md", "agents/_shared/b.md"), e.pick("Shared.", "Also shared."))
	case 5:
		e.write("parley.yaml", e.settings())
	case 6:
		e.write(file, e.pick("", "---\n", "---\nname: [\n---\n", "---\nmanger: ann\n---\n", "---\nname: a\nname: b\n---\n", "no front matter"))
	case 7:
		e.write(e.pick("agents/note.txt", "agents/.hidden.md", "agents/README.md"), "Hello.")
	default:
		e.write(file, e.agent())
	}
}

func (e *editor) settings() string {
	lines := []string{"person: " + e.pick("Ada", "Bea"), e.pick("model: scripted:s.yaml", "toolsets: [contact]", "model: nonsense"),
		e.pick("", "people: [Grace, ben]", "people: [Аnn]"), e.pick("", "lead: ann", "lead: nobody"), e.pick("", "limits: {turns: 2, schedules: 1}"),
		e.pick("", "mcp_servers: {git: {command: git}}"), e.pick("", "channels: [{name: all, members: [ann, zoe]}]")}
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n") + "\n"
}

func (e *editor) agent() string {
	var b strings.Builder
	b.WriteString("---\n")
	for _, line := range []string{
		e.pick("", "", "", "name: ann", "name: Ben", "name: Аnn", "name: Ada"), e.pick("", "kind: native", "kind: client", "kind: person"),
		e.pick("", "", "manager: ann", "manager: ben", "manager: cy"), e.pick("", "description: Does: things.", "description: Reads."),
		e.pick("", "", "model: scripted:t.yaml", "model: sonnet[1m]", "model: unheard"), e.pick("", "role: coder", "role: lead"), e.pick("", "limits: {turns: 3}"),
		e.pick("", "can_invoke: [ann, stranger]", "can_invoke: []"), e.pick("", "", "mcp_servers: [git]"), e.pick("", "", "maxTurns: 3"),
		e.pick("", "", "schedule: [{every: 1h, message: Look., owner: ben}]", "schedule: [{every: 1s, message: Look.}]", "schedule: [{cron: '@daily', message: Look., channel: all}, {every: 2h, message: Go.}]"),
	} {
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	b.WriteString("---\n" + e.pick("Be kind.\n", "Be quick.\n", ""))
	return b.String()
}

// Reading all files again shares the agents whose files say the same, however they look
// from outside, and no others.
func TestRereadingSharesWhatIsTheSame(t *testing.T) {
	e := editor{t: t, dir: t.TempDir()}
	e.write("parley.yaml", "model: scripted:s.yaml\nperson: Ada\n")
	for _, name := range []string{"ann", "ben", "cy"} {
		e.write("agents/"+name+".md", "Hello.\n")
	}
	first, _, err := Load(e.dir)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(e.dir, "agents", "cy.md"))
	if err != nil {
		t.Fatal(err)
	}
	e.write("agents/ben.md", "Hello.\n") // at another time
	e.write("agents/cy.md", "Hullo.\n")  // of the same size
	if err := os.Chtimes(filepath.Join(e.dir, "agents", "cy.md"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	second, problems, err := Reread(first, first)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	if second.Agents[0] != first.Agents[0] || second.Agents[1] != first.Agents[1] {
		t.Error("what is the same was read again")
	}
	if got := second.Agents[2].Instructions; got != "Hullo." {
		t.Errorf("cy is told %q", got)
	}
	if _, _, err := Reread(second, second); err != nil || first.Agents[2].Instructions != "Hello." {
		t.Errorf("the first team has changed: %q, %v", first.Agents[2].Instructions, err)
	}
	e.write("agents/_shared/house.md", "Be kind.")
	third, _, err := Reread(second, second)
	if err != nil || third.Agents[0].Common != "Be kind." || second.Agents[0].Common != "" {
		t.Errorf("what all share: %q, and %q before, %v", third.Agents[0].Common, second.Agents[0].Common, err)
	}
}
