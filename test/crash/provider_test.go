package crash

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/internal/model"
	"parley/internal/model/wiretest"
)

// A hub is killed while a task of its waits for a provider. Nobody has the task then:
// the other hub on the same database goes on with it when it is due, and the model
// answers it once.
func TestADeadHubsWaitForAProviderIsTakenOver(t *testing.T) {
	g := newGround(t)
	var answers atomic.Bool
	var answered atomic.Int64
	provider := wiretest.Start(t, func(wiretest.Request) wiretest.Reply {
		if !answers.Load() {
			return wiretest.Reply{Status: 429, Header: map[string]string{"Retry-After": "2"}}
		}
		answered.Add(1)
		return wiretest.Reply{Text: "Thought over.", Usage: model.Usage{Input: 9, Output: 1}}
	})
	shared := team{store: newDatabase(g), lease: time.Second,
		settings: fmt.Sprintf("providers:\n  trial: {kind: openai-compatible, base_url: '%s'}\n", provider.Base("openai-compatible")),
		files:    map[string]string{"agents/Thinker.md": "---\nmodel: trial/m\n---\nYou think.\n"}}
	first := g.start(g.place("first", shared))
	made, err := first.waitUp().Contact(t.Context(), api.ContactRequest{Action: "delegate", Agent: "Thinker", Message: "Think it over."})
	if err != nil {
		t.Fatal(err)
	}
	there := g.start(g.place("second", shared)).waitUp()
	g.eventually("the task waits for its provider", func(ctx context.Context) (bool, error) {
		now, err := there.Task(ctx, made.Task.ID)
		return err == nil && strings.HasPrefix(now.Waiting, "waiting for trial"), err
	})
	first.kill()
	answers.Store(true)
	var ended api.Task
	g.eventually("the second hub goes on", func(ctx context.Context) (bool, error) {
		ended, err = there.Task(ctx, made.Task.ID)
		return err == nil && ended.Ended != nil, err
	})
	if ended.State != parley.Completed.String() || ended.Result != "Thought over." || ended.Turns != 1 || answered.Load() != 1 {
		t.Errorf("%+v; the model has answered %d times", ended, answered.Load())
	}
}
