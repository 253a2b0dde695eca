package rulebook_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/rulebook"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// house is a team's folder with a rulebook over it.
type house struct {
	*rulebook.Service
	t    *testing.T
	hub  *app.Hub
	team parley.Team

	mu   sync.Mutex
	held *config.Team
}

func (h *house) Current() *config.Team {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held
}

func (h *house) Reload(context.Context, parley.AgentID) (rulebook.Change, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	team, _, err := config.Reload(h.held)
	if err == nil {
		h.held = team
	}
	return rulebook.Change{}, err
}

func build(t *testing.T) *house {
	t.Helper()
	dir := t.TempDir()
	h := &house{t: t}
	for name, text := range map[string]string{
		"parley.yaml":         "person: Ada\nmodel: scripted:s.yaml\n",
		"agents/Bot.md":       "---\n# mine\nmode: write # so far\n---\nText.\n",
		"agents/Dir/agent.md": "Text.\n",
		"agents/Dir/SOUL.md":  "Soul.\n",
	} {
		h.write(dir, name, text)
	}
	team, problems, err := config.Load(dir)
	if err != nil || problems != nil {
		t.Fatal(problems, err)
	}
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	h.held = team
	h.hub = app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler)})
	roster := app.Roster{Team: "main", Members: []app.Member{{Name: "Ada", Kind: parley.Person}, {Name: "Bot", Kind: parley.Native}, {Name: "Dir", Kind: parley.Native}}}
	if h.team, err = h.hub.Join(t.Context(), roster); err != nil {
		t.Fatal(err)
	}
	h.Service = rulebook.New(st, h.hub.Directory, h.hub.Access, h.team.ID, h, slog.New(slog.DiscardHandler))
	return h
}

func (h *house) write(dir, name, text string) {
	h.t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.held.Dir, filepath.FromSlash(name)))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

func (h *house) as(name string) access.Caller {
	h.t.Helper()
	e, err := h.hub.Directory.Find(h.team.ID, name)
	if err != nil {
		h.t.Fatal(err)
	}
	return access.Caller{Team: h.team.ID, Agent: e.ID}
}

func (h *house) details(kind parley.EventKind) (list []string) {
	h.t.Helper()
	err := h.hub.Store.View(h.t.Context(), func(tx *store.Tx) error {
		events, _, err := tx.Events(h.team.ID, "", 1000)
		for _, e := range events {
			if e.Kind == kind {
				list = append(list, e.Detail)
			}
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// No turn can change rules, neither as its agent nor as a person while it holds a
// lease.
func TestATurnChangesNoRules(t *testing.T) {
	h := build(t)
	before := h.read("agents/Bot.md")
	for _, c := range []access.Caller{h.as("Bot"), h.as("Dir"), {Team: h.team.ID, Agent: h.as("Ada").Agent, Task: 7, Token: 1}, {Team: h.team.ID}} {
		for name, change := range map[string]func() error{
			"set":    func() error { _, err := h.Set(t.Context(), c, "Bot", "profile", []string{"open"}); return err },
			"add":    func() error { _, err := h.Add(t.Context(), c, "Bot", "contacts", []string{"allow:*"}); return err },
			"remove": func() error { _, err := h.Remove(t.Context(), c, "Bot", "contacts", []string{"deny:*"}); return err },
			"unset":  func() error { _, err := h.Unset(t.Context(), c, "Bot", "mode"); return err },
			"reload": func() error { _, err := h.Service.Reload(t.Context(), c); return err },
		} {
			if err := change(); parley.KindOf(err) != parley.Denied {
				t.Errorf("%s by %+v: %v", name, c, err)
			}
		}
	}
	if got := h.details(parley.EventDenied); len(got) != 20 {
		t.Errorf("on record are %q", got)
	}
	if after := h.read("agents/Bot.md"); after != before {
		t.Errorf("the file is\n%s", after)
	}
}

// Changes at the same time do not overwrite each other.
func TestChangesAtTheSameTime(t *testing.T) {
	h := build(t)
	var group sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		group.Go(func() {
			if _, err := h.Add(t.Context(), h.as("Ada"), "Bot", "can_invoke", []string{name}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	rules, err := h.Show(h.as("Ada"), "bot")
	if err != nil || len(rules.Rules[1].Words) != 5 {
		t.Errorf("%+v, %v", rules, err)
	}
	if got := h.details(parley.EventRule); len(got) != 5 {
		t.Errorf("on record are %q", got)
	}
}

func TestWhatAChangeLeavesAndSays(t *testing.T) {
	h := build(t)
	ada := h.as("Ada")
	if _, err := h.Set(t.Context(), ada, "Bot", "mode", []string{"read"}); err != nil {
		t.Fatal(err)
	}
	if got := h.read("agents/Bot.md"); got != "---\n# mine\nmode: read # so far\n---\nText.\n" {
		t.Errorf("the file is\n%s", got)
	}
	if info, err := os.Stat(filepath.Join(h.held.Dir, "agents", "Bot.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if _, err := h.Set(t.Context(), ada, "Dir", "behavior", []string{"strict"}); err != nil || h.read("agents/Dir/agent.md") != "---\nbehavior: strict\n---\nText.\n" {
		t.Errorf("an agent that is a folder: %v\n%s", err, h.read("agents/Dir/agent.md"))
	}
	if got := strings.Join(h.details(parley.EventRule), "\n"); got != "mode: write → read\nbehavior: autonomous → strict" {
		t.Errorf("on record is\n%s", got)
	}
	if _, err := h.Set(t.Context(), ada, "Bot", "mode", []string{"read"}); err != nil || len(h.details(parley.EventRule)) != 2 {
		t.Errorf("the same once more: %v, %q", err, h.details(parley.EventRule))
	}
	if _, err := h.Set(t.Context(), ada, "Bot", "manager", []string{"Bot"}); parley.KindOf(err) != parley.Invalid {
		t.Errorf("its own manager: %v", err)
	}
	if _, err := h.Add(t.Context(), ada, "Bot", "mode", []string{"write"}); parley.KindOf(err) != parley.Invalid {
		t.Errorf("added to what is no list: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(h.held.Dir, "agents", ".*"))
	if err != nil || left != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A change that is repeated under its key is found, whatever has become of the file.
func TestAChangeIsRepeatedUnderItsKey(t *testing.T) {
	h := build(t)
	ada := h.as("Ada")
	words := func(r rulebook.Rules) string { return strings.Join(r.Rules[2].Words, " ") }
	step := func(what string, c access.Caller, want string, change func(context.Context, access.Caller, string, string, []string) (rulebook.Rules, error), with ...string) {
		t.Helper()
		if r, err := change(t.Context(), c, "Bot", "contacts", with); err != nil || words(r) != want {
			t.Errorf("%s: %v, %v", what, r.Rules, err)
		}
	}
	keyed := func(key string) access.Caller { c := ada; c.Key = key; return c }
	step("set", ada, "deny:a deny:b", h.Set, "deny:a", "deny:b")
	step("remove", keyed("k"), "deny:b", h.Remove, "deny:a")
	step("remove again", keyed("k"), "deny:b", h.Remove, "deny:a")
	step("somebody adds it", ada, "deny:b deny:a", h.Add, "deny:a")
	step("what they did stays", keyed("k"), "deny:b deny:a", h.Remove, "deny:a")
	if got := len(h.details(parley.EventRule)); got != 3 {
		t.Errorf("%d changes are on record", got)
	}
	if _, err := h.Remove(t.Context(), keyed("k"), "Bot", "contacts", []string{"deny:b"}); parley.KindOf(err) != parley.Conflict {
		t.Errorf("another change under the key: %v", err)
	}
	if _, err := h.Remove(t.Context(), keyed("l"), "Bot", "contacts", []string{"deny:c"}); parley.KindOf(err) != parley.NotFound {
		t.Errorf("what is not there: %v", err)
	}
	step("a refused change has left its key free", keyed("l"), "deny:a", h.Remove, "deny:b")
}

// The hub may die when the file is written and nothing recorded yet.
func TestAChangeThatWasBegunIsRepeated(t *testing.T) {
	h := build(t)
	c := h.as("Ada")
	if _, err := h.Set(t.Context(), c, "Bot", "contacts", []string{"deny:a"}); err != nil {
		t.Fatal(err)
	}
	c.Key = "k"
	err := h.hub.Store.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := c.Repeated(tx, "rule %s", "contacts of Bot: remove deny:b")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := h.Remove(t.Context(), c, "Bot", "contacts", []string{"deny:b"}); err != nil || len(r.Rules[2].Words) != 1 {
		t.Errorf("%v, %v", r.Rules, err)
	}
}
