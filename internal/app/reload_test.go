package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/pgtest"
)

// looking configures a hub that looks at its files all the time.
func looking(t *testing.T, dir string) app.ServeConfig {
	t.Helper()
	cfg := configure(t, dir)
	cfg.LookEvery = 5 * time.Millisecond
	return cfg
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// event waits until the record has an event of the kind whose target and detail
// are like this.
func (r *running) event(kind, target, detail string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	for e, err := range r.client().Events(ctx, "", true) {
		if err != nil {
			r.t.Fatalf("%s of %s (%s) did not happen: %v\n%s", kind, target, detail, err, r.log)
		}
		if e.Kind == kind && e.Target == target && strings.HasPrefix(e.Detail, detail) {
			return
		}
	}
}

// events are all of a kind.
func (r *running) events(kind string) (list []string) {
	r.t.Helper()
	for e, err := range r.client().Events(r.t.Context(), "", false) {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Kind == kind {
			list = append(list, fmt.Sprintf("%s by %q: %s", e.Target, e.Actor, e.Detail))
		}
	}
	return list
}

// reload has the files taken over and says what came of it, in short.
func (r *running) reload() string {
	r.t.Helper()
	got, err := r.client().Reload(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprintf("joined %v, changed %v, removed %v, kept %v, restart %v", got.Joined, got.Changed, got.Removed, got.Kept, got.Restart)
}

func (r *running) verdict(from, to string) string {
	r.t.Helper()
	e, err := r.client().Explain(r.t.Context(), from, to, "ask")
	if err != nil {
		r.t.Fatal(err)
	}
	return e.Verdict
}

// Everything that a folder can have changes under a running hub, which notices
// by itself.
func TestAChangedFileIsTakenOver(t *testing.T) {
	dir := folder(t, "")
	r := up(t, looking(t, dir))
	write(t, dir, "agents/DataBot.md", "---\ndescription: Knows the revenue.\ncontacts: [{deny: SlowBot}]\n---\nYou know a secret.\n")
	r.event("agent.changed", "DataBot", "changed: instructions, contacts")
	r.reload() // what is on record holds a moment later: the one under way is waited for
	if got := r.verdict("DataBot", "SlowBot"); got != "denied" {
		t.Errorf("the new rule is not there: %s", got)
	}
	write(t, dir, "agents/NewBot.md", "---\nmodel: scripted:new.yaml\n---\n")
	write(t, dir, "new.yaml", "agents: {NewBot: [{steps: [{say: 'Hello.'}]}]}")
	r.event("agent.changed", "NewBot", "joined")
	r.reload()
	task, err := r.client().WaitTask(t.Context(), r.contact("ask", "NewBot").ID, time.Minute)
	if err != nil || task.Result != "Hello." {
		t.Errorf("the new agent does not work: %+v, %v", task, err)
	}
	write(t, dir, "agents/_shared/house.md", "Be kind.")
	r.event("agent.changed", "SlowBot", "changed: instructions")
	remove(t, dir, "agents/NewBot.md")
	r.event("agent.changed", "NewBot", "removed")
	for _, e := range r.events("agent.changed") {
		if strings.Contains(e, "secret") || strings.Contains(e, "kind.") {
			t.Errorf("an event tells what the file says: %s", e)
		}
	}
}

// A turn that runs is not disturbed when its agent's file changes; when the file
// is gone, the work for its agent has failed.
func TestARunningTurnAndAChangedFile(t *testing.T) {
	dir := folder(t, "-- script.yaml --\nagents:\n  SlowBot:\n    - match: 'revenue'\n      steps: [{wait: 300ms, say: 'At last.'}]\n")
	r := up(t, configure(t, dir))
	under := r.contact("ask", "SlowBot")
	write(t, dir, "agents/SlowBot.md", "---\nbehavior: strict\n---\nYou hurry.\n")
	if got := r.reload(); !strings.Contains(got, "{SlowBot [description instructions behavior]}") {
		t.Error(got)
	}
	if task, err := r.client().WaitTask(t.Context(), under.ID, time.Minute); err != nil || task.Result != "At last." {
		t.Errorf("the turn under way: %+v, %v", task, err)
	}
	if _, err := r.client().SetStatus(t.Context(), "SlowBot", "sleep", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	queued := r.contact("delegate", "SlowBot")
	remove(t, dir, "agents/SlowBot.md")
	if got := r.reload(); !strings.Contains(got, "removed [SlowBot]") {
		t.Error(got)
	}
	task, err := r.client().WaitTask(t.Context(), queued.ID, time.Minute)
	if err != nil || task.State != "failed" || !strings.Contains(task.Error, "no longer in the team") {
		t.Errorf("work for one who is gone: %+v, %v", task, err)
	}
}

// A file with a mistake must not stop anybody's work: what held holds on, and
// everyone who looks is told.
func TestAMistakeKeepsTheLastGoodRules(t *testing.T) {
	dir := folder(t, "-- agents/DataBot.md --\n---\ncontacts: [{deny: SlowBot}]\n---\nYou know the revenue.\n")
	r := up(t, looking(t, dir))
	for name, text := range map[string]string{
		"an unknown key":      "---\ncontact: []\n---\n",
		"half of it":          "---\ncontacts: [{deny",
		"nothing":             "",
		"not even a fence":    "--",
		"a model that is not": "---\nmodel: scripted:nowhere.yaml\n---\n",
		"another's name":      "---\nname: SlowBot\n---\n",
		"oneself as manager":  "---\nmanager: DataBot\n---\n",
	} {
		t.Run(name, func(t *testing.T) {
			write(t, dir, "agents/DataBot.md", text)
			if got := r.reload(); !strings.Contains(got, "changed [], removed [], kept [{DataBot agents/DataBot.md") {
				t.Error(got)
			}
			if got := r.verdict("DataBot", "SlowBot"); got != "denied" {
				t.Errorf("the rule that held is gone: %s", got)
			}
			if task, err := r.client().WaitTask(t.Context(), r.contact("ask", "DataBot").ID, time.Minute); err != nil || task.State != "completed" {
				t.Errorf("it does not work: %+v, %v", task, err)
			}
			if got := r.reload(); !strings.Contains(got, "kept [{DataBot ") {
				t.Errorf("a second look: %s", got)
			}
		})
	}
	r.event("agent.changed", "SlowBot", "joined")
	kept := r.events("team.reloaded")
	if !slices.ContainsFunc(kept, func(e string) bool {
		return strings.HasPrefix(e, "DataBot by ") && strings.Contains(e, "kept as it was: agents/DataBot.md:2: Unknown key")
	}) || !strings.Contains(r.log.String(), "what it says is not taken over") {
		t.Errorf("nobody is told: %q\n%s", kept, r.log)
	}
	write(t, dir, "agents/DataBot.md", "---\ncontacts: [{allow: SlowBot}]\n---\nYou know the revenue.\n")
	r.event("agent.changed", "DataBot", "changed: contacts") // the hub may have looked by itself before it is told to
	if got := r.reload(); !strings.Contains(got, "changed [{DataBot [contacts]}], removed [], kept []") {
		t.Errorf("when it is mended: %s", got)
	}
	if got := r.verdict("DataBot", "SlowBot"); got != "allowed" {
		t.Errorf("the mended rule does not hold: %s", got)
	}
}

// Nothing but the file itself says who somebody is: no other file takes a name
// over, also not while the one that has it is broken.
func TestNoFileTakesOverAnothersName(t *testing.T) {
	dir := folder(t, "-- agents/DataBot.md --\n---\ncontacts: [{deny: SlowBot}]\n---\nYou know the revenue.\n")
	r := up(t, configure(t, dir))
	write(t, dir, "agents/AAA.md", "---\nname: databot\nprofile: open\n---\nI am the real one.\n") // first in the order of names
	got, err := r.client().Reload(t.Context())
	if err != nil || len(got.Joined)+len(got.Changed) != 0 || len(got.Problems) != 1 ||
		!strings.Contains(got.Problems[0], "agents/AAA.md:2: ") || !strings.Contains(got.Problems[0], "agents/DataBot.md") {
		t.Errorf("a second file with the name: %+v, %v", got, err)
	}
	write(t, dir, "agents/DataBot.md", "---\nbroken")
	if got := r.reload(); !strings.Contains(got, "joined [], changed [], removed [], kept [{DataBot ") {
		t.Errorf("while the first is broken: %s", got)
	}
	if got := r.verdict("DataBot", "SlowBot"); got != "denied" {
		t.Errorf("its rules are another's: %s", got)
	}
	write(t, dir, "agents/Ada.md", "---\nname: Ada\n---\nI am your person.\n")
	if got := r.reload(); !strings.Contains(got, "joined []") {
		t.Errorf("somebody speaks for the person: %s", got)
	}
	remove(t, dir, "agents/Ada.md")
	// With the old file gone, the name is who it is: the same participant, with
	// its conversations and its work.
	before := r.contact("ask", "DataBot")
	remove(t, dir, "agents/DataBot.md")
	if got := r.reload(); !strings.Contains(got, "removed []") || !strings.Contains(got, "{databot [file name instructions contacts profile]}") {
		t.Errorf("when the old one is gone: %s", got)
	}
	task, err := r.client().Task(t.Context(), before.ID)
	if err != nil || task.Agent != "databot" {
		t.Errorf("its work: %+v, %v", task, err)
	}
}

// What cannot be used as a whole changes nothing, and what a running hub does not
// take over is named.
func TestWhatAReloadLeavesAlone(t *testing.T) {
	dir := folder(t, "")
	r := up(t, configure(t, dir))
	yaml, err := os.ReadFile(filepath.Join(dir, "parley.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "parley.yaml", string(yaml)+"nonsense: 1\n")
	if _, err := r.client().Reload(t.Context()); parley.KindOf(err) != parley.Invalid || !strings.Contains(err.Error(), "parley.yaml:5") {
		t.Errorf("a mistake in parley.yaml: %v", err)
	}
	write(t, dir, "parley.yaml", "")
	if _, err := r.client().Reload(t.Context()); parley.KindOf(err) != parley.Invalid || !strings.Contains(err.Error(), "parley.yaml is empty") {
		t.Errorf("an empty parley.yaml: %v", err)
	}
	write(t, dir, "parley.yaml", string(yaml)+"workers: 3\ngrace: 7s\nretention: {events: 30d}\n")
	for range 2 {
		if got := r.reload(); !strings.Contains(got, "restart [workers grace retention]") {
			t.Error(got)
		}
	}
	if n := strings.Count(r.log.String(), "need a restart"); n != 1 {
		t.Errorf("it is said %d times:\n%s", n, r.log)
	}
	write(t, dir, "parley.yaml", string(yaml)+"people: [Bea]\nlimits: {rate: 3}\n")
	if got := r.reload(); !strings.Contains(got, "joined [Bea], changed [{DataBot [limits]} {SlowBot [limits]}]") {
		t.Error(got)
	}
	if err := os.Rename(filepath.Join(dir, "agents"), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.client().Reload(t.Context()); parley.KindOf(err) != parley.NotFound {
		t.Errorf("without the folder: %v", err)
	}
	if task, err := r.client().WaitTask(t.Context(), r.contact("ask", "DataBot").ID, time.Minute); err != nil || task.State != "completed" {
		t.Errorf("nobody works any more: %+v, %v", task, err)
	}
}

// Looking at files that did not change leaves no trace in the database.
func TestALookThatFindsNothingWritesNothing(t *testing.T) {
	dir := folder(t, "-- agents/Broken.md --\n---\nbroken: 1\n---\n")
	r := up(t, configure(t, dir))
	before := len(r.events("agent.changed")) + len(r.events("team.reloaded"))
	for range 3 {
		if got := r.reload(); got != "joined [], changed [], removed [], kept [], restart []" {
			t.Error(got)
		}
	}
	if after := len(r.events("agent.changed")) + len(r.events("team.reloaded")); after != before {
		t.Errorf("%d events, and %d before", after, before)
	}
}

// Who saves a file and says reload hears of it once, also if the hub was first.
func TestAReloadTellsWhatTheHubNoticed(t *testing.T) {
	dir := folder(t, "")
	r := up(t, looking(t, dir))
	write(t, dir, "agents/NewBot.md", "")
	r.event("agent.changed", "NewBot", "joined")
	for _, want := range []string{"[NewBot]", "[]"} {
		if got := r.reload(); !strings.HasPrefix(got, "joined "+want) {
			t.Error(got)
		}
	}
}

// A signal to the program, or parley reload, does not wait for the next look.
func TestToldToReload(t *testing.T) {
	dir := folder(t, "")
	cfg := configure(t, dir)
	now := make(chan struct{}, 1)
	cfg.Reload, cfg.LookEvery = now, time.Hour
	r := up(t, cfg)
	write(t, dir, "agents/NewBot.md", "")
	now <- struct{}{}
	r.event("agent.changed", "NewBot", "joined")
	r.reload() // what is on record holds a moment later: the one under way is waited for
}

// Two hubs with the same folder each notice.
func TestTwoHubsWithOneFolder(t *testing.T) {
	dsn, dir := pgtest.DSN(t), folder(t, "")
	at, err := config.ParseStore(dsn)
	if err != nil {
		t.Fatal(err)
	}
	start := func() *running {
		cfg := looking(t, dir)
		cfg.Team.Store, cfg.Data = at, t.TempDir()
		return up(t, cfg)
	}
	first, second := start(), start()
	write(t, dir, "agents/DataBot.md", "---\ncontacts: [{deny: SlowBot}]\n---\n")
	write(t, dir, "agents/NewBot.md", "")
	first.event("agent.changed", "NewBot", "joined")
	for _, r := range []*running{first, second} {
		r.until(func() bool {
			e, err := r.client().Explain(t.Context(), "NewBot", "DataBot", "ask")
			return err == nil && e.Verdict == "allowed" && r.verdict("DataBot", "SlowBot") == "denied"
		})
	}
}

// until looks again and again.
func (r *running) until(done func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); {
		if time.Now().After(deadline) {
			r.t.Fatalf("it does not happen\n%s", r.log)
		}
	}
}
