package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/client"
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

// A token that is revoked at one hub ends what waits with it at another, and opens
// nothing there any more.
func TestATokenIsRevokedAtEveryHub(t *testing.T) {
	dsn := pgtest.DSN(t)
	start := func(person string) *running {
		t.Helper()
		cfg := configure(t, folder(t, "-- agents/joiner.md --\n---\nkind: client\n---\n"))
		at, err := config.ParseStore(dsn)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Team.Store, cfg.Team.Person = at, person
		return up(t, cfg)
	}
	first, second := start("Ada"), start("Bob")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	made, err := first.client().CreateToken(ctx, api.TokenRequest{For: "joiner"})
	if err != nil {
		t.Fatal(err)
	}
	program := client.New(second.URL, made.Secret)
	defer program.Close()
	ended, listening := make(chan error, 1), make(chan struct{})
	go func() {
		begun := false
		for _, err := range program.Events(ctx, "", true) {
			if !begun {
				close(listening)
				begun = true
			}
			if err != nil {
				ended <- err
			}
		}
	}()
	<-listening
	if _, err := first.client().RevokeToken(ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := program.Hub(ctx); parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("it is of use still: %v", err)
	}
	if err := <-ended; parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("the stream has ended with %v", err)
	}
	// Ada is in the files of the first hub only.
	token, err := os.ReadFile(filepath.Join(first.Data, "hub.token"))
	if err != nil {
		t.Fatal(err)
	}
	stranger := client.New(second.URL, strings.TrimSpace(string(token)))
	defer stranger.Close()
	if _, err := stranger.Hub(ctx); parley.KindOf(err) != parley.Unauthentic || !strings.Contains(err.Error(), "not in the files of this hub") {
		t.Errorf("a person of another hub: %v", err)
	}
}

func passwordOf(dsn string) string {
	_, rest, _ := strings.Cut(dsn, "://")
	user, _, _ := strings.Cut(rest, "@")
	_, secret, _ := strings.Cut(user, ":")
	return secret
}
