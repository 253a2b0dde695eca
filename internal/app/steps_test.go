package app_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/api"
	"parley/client"
	"parley/internal/config"
	"parley/internal/pgtest"
)

var errEnough = errors.New("enough")

// follow reads steps after a cursor until it has read one with the given id, or so many.
func follow(t *testing.T, c *client.Client, cursor, until string, most int) (list []api.Step) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := c.FollowSteps(ctx, client.StepQuery{Cursor: cursor}, func(s api.Step) error {
		list = append(list, s)
		if s.ID == until || len(list) == most {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Errorf("after %d steps: %v", len(list), err)
	}
	return list
}

func idsOf(steps []api.Step) (ids []string) {
	for _, s := range steps {
		ids = append(ids, s.ID)
	}
	return ids
}

// allSteps pages through all steps, and waits until there are those of so many tasks.
func allSteps(t *testing.T, c *client.Client, tasks int) []api.Step {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); ; {
		var all []api.Step
		for q := (client.StepQuery{Limit: 7}); ; {
			page, err := c.Steps(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			all = append(page.Steps, all...)
			if q.Before = page.Before; q.Before == "" {
				break
			}
		}
		ended := 0
		for _, s := range all {
			if s.Kind == api.StepEnd {
				ended++
			}
		}
		if ended == tasks {
			return all
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d of %d tasks have ended", ended, tasks)
		}
	}
}

// askAll makes asks at once, and waits for their answers.
func askAll(t *testing.T, hubs ...*running) {
	t.Helper()
	var asking sync.WaitGroup
	for _, r := range hubs {
		task := r.contact("ask", "DataBot")
		asking.Go(func() {
			if done, err := r.client().WaitTask(t.Context(), task.ID, time.Minute); err != nil || done.Ended == nil {
				t.Errorf("%+v, %v", done, err)
			}
		})
	}
	asking.Wait()
}

// A reader that was cut off anywhere, also within what was stored at once, goes on where
// it was; over a restart of the hub too.
func TestStepsAreFollowedOverARestart(t *testing.T) {
	dir := folder(t, "")
	first := up(t, configure(t, dir))
	askAll(t, first, first, first)
	all := allSteps(t, first.client(), 3)
	first.down()

	second := up(t, configure(t, dir))
	hub := second.client()
	for i, s := range all[:len(all)-1] {
		rest := follow(t, hub, s.Cursor, all[len(all)-1].ID, 0)
		if diff := cmp.Diff(all[i+1:], rest); diff != "" {
			t.Fatalf("after %s: %s", s.ID, diff)
		}
	}
	// Who has got nothing yet goes on from where the stream began.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := make(chan string, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- hub.FollowSteps(ctx, client.StepQuery{Cursor: all[len(all)-1].Cursor}, func(s api.Step) error {
			got <- s.ID
			return nil
		})
	}()
	askAll(t, second)
	for _, want := range idsOf(allSteps(t, hub, 4)[len(all):]) {
		if id := <-got; id != want {
			t.Errorf("told of %s instead of %s", id, want)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// Two hubs on one database: steps of both are followed at one of them, and then at the
// other. There is no gap, and none comes twice.
func TestStepsAreFollowedAcrossHubs(t *testing.T) {
	dsn := pgtest.DSN(t)
	start := func(person string) *running {
		t.Helper()
		cfg := configure(t, folder(t, ""))
		at, err := config.ParseStore(dsn)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Team.Store, cfg.Team.Person = at, person
		return up(t, cfg)
	}
	first, second := start("Ada"), start("Bob")
	const most = 10
	begun := make(chan []api.Step, 1)
	go func() { begun <- follow(t, second.client(), "", "", most) }()
	askAll(t, first, second, first, second, first, second)
	seen := <-begun
	if len(seen) != most {
		t.FailNow()
	}
	second.down()
	askAll(t, first, first)
	all := allSteps(t, first.client(), 8)
	seen = append(seen, follow(t, first.client(), seen[most-1].Cursor, all[len(all)-1].ID, 0)...)
	if diff := cmp.Diff(idsOf(all), idsOf(seen)); diff != "" {
		t.Errorf("stored (-) and told (+): %s", diff)
	}
	ids := idsOf(seen)
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(seen) {
		t.Error("a step was told twice")
	}
}

// A running task says what it does at this moment.
func TestARunningTaskSaysWhatItDoes(t *testing.T) {
	r := up(t, configure(t, folder(t, `
-- agents/CoordinatorBot.md --
You ask.
-- script.yaml --
agents:
  CoordinatorBot:
    - steps:
        - call: contact_agent
          args: {action: ask, agentId: DataBot, message: 'What was it?'}
        - say: 'I know.'
  DataBot:
    - steps: [{wait: 10m, say: 'At last.'}]
`)))
	hub := r.client()
	task := r.contact("ask", "CoordinatorBot")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for now := ""; now != "waits for DataBot"; {
		tree, err := hub.Tree(t.Context(), task.ID)
		if err != nil {
			t.Fatal(err)
		}
		if now = tree.Now; len(tree.Children) == 1 && tree.Children[0].Now != "" && tree.Children[0].Now != "thinks" {
			t.Fatalf("DataBot %s", tree.Children[0].Now)
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("it says %q", now)
		}
	}
	one, err := hub.Task(t.Context(), task.ID)
	if err != nil || one.Now != "waits for DataBot" || one.NowSince == nil {
		t.Errorf("%+v, %v", one, err)
	}
	agents, err := hub.Agents(t.Context())
	at := slices.IndexFunc(agents, func(a api.Agent) bool { return a.Name == "CoordinatorBot" })
	if err != nil || at < 0 || agents[at].Now != "waits for DataBot" {
		t.Errorf("%+v, %v", agents, err)
	}
	if _, err := hub.Cancel(t.Context(), task.ID); err != nil {
		t.Fatal(err)
	}
}
