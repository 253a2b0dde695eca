package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// denying is an agent's file with a rule, which shows whether it is in force.
const denying = "---\ndescription: Knows the revenue.\ncontacts: [{deny: SlowBot}]\n---\nYou know the revenue.\n"

// untilVerdict waits until a rule is in force.
func (r *running) untilVerdict(from, to, want string) {
	r.t.Helper()
	c := r.client()
	r.until(func() bool {
		e, err := c.Explain(r.t.Context(), from, to, "ask")
		return err == nil && e.Verdict == want
	})
}

// untilNames waits until the hub has these participants, which are in order.
func (r *running) untilNames(want ...string) {
	r.t.Helper()
	c := r.client()
	r.until(func() bool {
		list, err := c.Agents(r.t.Context())
		if err != nil {
			return false // who asks too often is refused for a moment
		}
		var names []string
		for _, a := range list {
			names = append(names, a.Name)
		}
		slices.Sort(names)
		return slices.Equal(names, want)
	})
}

// untilWatching returns when the hub is told of changes by the system, which it shows by an
// agent more.
func (r *running) untilWatching(dir string) {
	r.t.Helper()
	c := r.client()
	r.until(func() bool {
		write(r.t, dir, "agents/Probe.md", "Hello.")
		_, err := c.Explain(r.t.Context(), "Probe", "DataBot", "ask")
		return err == nil
	})
}

func rename(t *testing.T, dir, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}

// The hub hears of every kind of change from the system, and looks at nothing: that it
// would do in an hour.
func TestChangesThatTheSystemTells(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, dir string, r *running){
		"changed": func(t *testing.T, dir string, r *running) {
			write(t, dir, "agents/DataBot.md", denying)
			r.untilVerdict("DataBot", "SlowBot", "denied")
		},
		"added": func(t *testing.T, dir string, r *running) {
			write(t, dir, "agents/NewBot.md", "Hello.")
			r.untilNames("Ada", "DataBot", "NewBot", "Probe", "SlowBot")
		},
		"added as a folder": func(t *testing.T, dir string, r *running) {
			write(t, dir, "agents/NewBot/agent.md", "---\ncontacts: [{deny: SlowBot}]\n---\nHello.")
			r.untilNames("Ada", "DataBot", "NewBot", "Probe", "SlowBot")
			r.untilVerdict("NewBot", "SlowBot", "denied")
		},
		"removed": func(t *testing.T, dir string, r *running) {
			remove(t, dir, "agents/SlowBot.md")
			r.untilNames("Ada", "DataBot", "Probe")
		},
		"renamed": func(t *testing.T, dir string, r *running) {
			rename(t, dir, "agents/SlowBot.md", "agents/QuickBot.md")
			r.untilNames("Ada", "DataBot", "Probe", "QuickBot")
		},
		"moved over by an editor": func(t *testing.T, dir string, r *running) {
			for i, want := range []string{"denied", "allowed", "denied"} {
				write(t, dir, "agents/.DataBot.md.swp", strings.Replace(denying, "deny", []string{"deny", "allow"}[i%2], 1))
				rename(t, dir, "agents/.DataBot.md.swp", "agents/DataBot.md")
				r.untilVerdict("DataBot", "SlowBot", want)
			}
		},
		"written in two halves": func(t *testing.T, dir string, r *running) {
			f, err := os.OpenFile(filepath.Join(dir, "agents", "DataBot.md"), os.O_WRONLY|os.O_TRUNC, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, half := range []string{denying[:len(denying)/2], denying[len(denying)/2:]} {
				if _, err := f.WriteString(half); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			r.untilVerdict("DataBot", "SlowBot", "denied")
		},
		"a mistake, and then none": func(t *testing.T, dir string, r *running) {
			write(t, dir, "agents/DataBot.md", denying)
			r.untilVerdict("DataBot", "SlowBot", "denied")
			write(t, dir, "agents/DataBot.md", "---\ncontacts: [{deny")
			r.event("team.reloaded", "DataBot", "kept as it was")
			if got := r.verdict("DataBot", "SlowBot"); got != "denied" {
				t.Errorf("a broken file: %s", got)
			}
			write(t, dir, "agents/DataBot.md", strings.Replace(denying, "deny", "allow", 1))
			r.untilVerdict("DataBot", "SlowBot", "allowed")
		},
		"what all share": func(t *testing.T, dir string, r *running) {
			write(t, dir, "agents/_shared/house.md", "Be kind.")
			r.event("agent.changed", "SlowBot", "changed: instructions")
		},
		"the settings": func(t *testing.T, dir string, r *running) {
			text, err := os.ReadFile(filepath.Join(dir, "parley.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, "parley.yaml", string(text)+"people: [Bea]\n")
			r.untilNames("Ada", "Bea", "DataBot", "Probe", "SlowBot")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, "")
			cfg := configure(t, dir)
			cfg.LookEvery = time.Hour
			r := up(t, cfg)
			r.untilWatching(dir)
			do(t, dir, r)
		})
	}
}

// Where the system could miss something, the hub looks.
func TestChangesThatAreLookedFor(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, dir string, r *running){
		"the folder is removed and made again": func(t *testing.T, dir string, r *running) {
			rename(t, dir, "agents", "away")
			write(t, dir, "agents/OtherBot.md", "Hello.")
			r.untilNames("Ada", "OtherBot")
			write(t, dir, "agents/DataBot.md", denying)
			r.untilNames("Ada", "DataBot", "OtherBot")
			remove(t, dir, "agents")
			rename(t, dir, "away", "agents")
			r.untilNames("Ada", "DataBot", "SlowBot")
		},
		"behind a link": func(t *testing.T, dir string, r *running) {
			write(t, dir, "elsewhere/LinkBot.md", strings.Replace(denying, "deny", "allow", 1))
			if err := os.Symlink("../elsewhere/LinkBot.md", filepath.Join(dir, "agents", "LinkBot.md")); err != nil {
				t.Fatal(err)
			}
			r.untilNames("Ada", "DataBot", "LinkBot", "SlowBot")
			write(t, dir, "elsewhere/LinkBot.md", denying)
			r.untilVerdict("LinkBot", "SlowBot", "denied")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, "")
			do(t, dir, up(t, looking(t, dir)))
		})
	}
}

// However many files change, and however often, what they say at the end is in force.
func TestAStormOfChanges(t *testing.T) {
	dir := folder(t, "")
	r := up(t, configure(t, dir))
	want := []string{"Ada", "DataBot", "SlowBot"}
	for i := range 700 {
		name := fmt.Sprintf("Bot%03d", i%350)
		switch {
		case i < 350:
			write(t, dir, "agents/"+name+".md", "---\ncontacts: [{allow: SlowBot}]\n---\n")
		case i%7 == 0:
			remove(t, dir, "agents/"+name+".md")
		default:
			write(t, dir, "agents/"+name+".md", "---\ncontacts: [{deny: SlowBot}]\n---\n")
			want = append(want, name)
		}
	}
	slices.Sort(want)
	r.untilNames(want...)
	for _, name := range []string{"Bot001", "Bot348"} {
		r.untilVerdict(name, "SlowBot", "denied")
	}
}
