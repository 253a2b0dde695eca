package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/config"
	"parley/internal/pgtest"
)

// Two hubs on one database have two data folders, and so two people at their
// command lines. What happens at one is told at the other.
func TestTwoHubsOnOneDatabase(t *testing.T) {
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
	if secret := passwordOf(dsn); secret != "" && strings.Contains(first.log.String()+first.Store, secret) {
		t.Error("the password is told")
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told := make(chan string, 1)
	listening := make(chan struct{})
	go func() {
		defer close(told)
		begun := false
		for e, err := range second.client().Events(ctx, "", true) {
			if !begun {
				close(listening)
				begun = true
			}
			if err != nil || e.Kind == "task.completed" {
				told <- e.Task
				return
			}
		}
	}()
	<-listening
	task := first.contact("ask", "DataBot")
	if done, err := second.client().WaitTask(ctx, task.ID, time.Minute); err != nil || done.Result != "42 million." {
		t.Errorf("at the other hub: %+v, %v", done, err)
	}
	if got := <-told; got != task.ID {
		t.Errorf("told of %q instead of %s", got, task.ID)
	}
	for _, r := range []*running{first, second} {
		if hub, err := r.client().Hub(ctx); err != nil || hub.You != r.Person {
			t.Errorf("%s: %+v, %v", r.Person, hub, err)
		}
	}
}

func passwordOf(dsn string) string {
	_, rest, _ := strings.Cut(dsn, "://")
	user, _, _ := strings.Cut(rest, "@")
	_, secret, _ := strings.Cut(user, ":")
	return secret
}
