package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"parley"
)

func TestParseStore(t *testing.T) {
	for _, tc := range []struct {
		text     string
		want     Store
		redacted string
	}{
		{"sqlite", Store{Driver: SQLite}, "sqlite:"},
		{"sqlite:a/b.db", Store{Driver: SQLite, Path: "a/b.db"}, "sqlite:a/b.db"},
		{"/var/lib/team.db", Store{Driver: SQLite, Path: "/var/lib/team.db"}, "sqlite:/var/lib/team.db"},
		{"postgres://u:pw@h:5432/db?sslmode=require&password=pw",
			Store{Driver: Postgres, dsn: "postgres://u:pw@h:5432/db?sslmode=require&password=pw"}, "postgres://u:xxxxx@h:5432/db"},
		{"postgresql:///db?host=/run/pg", Store{Driver: Postgres, dsn: "postgresql:///db?host=/run/pg"}, "postgresql:///db"},
	} {
		got, err := ParseStore(tc.text)
		if err != nil {
			t.Errorf("ParseStore(%q): %v", tc.text, err)
		}
		diff(t, tc.text, tc.want, got)
		diff(t, "redacted", tc.redacted, got.Redacted())
		diff(t, "DSN", tc.want.dsn, got.DSN())
	}
}

func TestThePasswordIsNeverShown(t *testing.T) {
	const password = "hunter2"
	for _, line := range []string{
		"store: postgres://u:" + password + "@h/db%zz",
		"store: postgres://u:1" + password + "/x@h/db",
		"store: postgres://u:12?" + password + "@h/db",
		"store: host=h user=u password=" + password,
		"store: mysql://u:" + password + "@h/db",
		"store: [postgres://u:" + password + "@h/db]",
		"store: postgres://u:" + password + "@h/db\n  x: [",
		"store: \"postgres://u:" + password + "@h/db",
		"postgres://u:" + password + "@h/db: store",
		"postgres://u:" + password + "@h/db: a\npostgres://u:" + password + "@h/db: b",
		"person: postgres://u:" + password + "@h/db",
		"model: postgres://u:" + password + "@h/db",
		"listen: postgres://u:" + password + "@h/db",
		"workers: postgres://u:" + password + "@h/db",
		"workers: postgres://u:two " + password + "@words@h/db",
		"limits: {rate: \"postgres://u:" + password + "@h/db\"}",
	} {
		_, _, err := Load(teamDir(t, "-- parley.yaml --\n"+line+"\n"))
		if err == nil {
			t.Errorf("%s: no error", line)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), password) {
				t.Errorf("%s: the error shows the password: %v", line, e)
			}
		}
	}
}

func TestStorePrintsWithoutPassword(t *testing.T) {
	team, _ := load(t, teamDir(t, "-- parley.yaml --\nstore: postgres://u:hunter2@h/db?password=hunter2\n"))
	asJSON, err := json.Marshal(team)
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("up", "store", team.Store, "team", team)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("up", "store", team.Store, "team", team)
	shown := fmt.Sprintf("%v %+v %#v %s %q %v %+v %#v", team.Store, team.Store, team.Store, team.Store, team.Store,
		*team, *team, *team) + string(asJSON) + logged.String()
	if strings.Contains(shown, "hunter2") {
		t.Errorf("the password is shown: %s", shown)
	}
	if !strings.Contains(team.Store.DSN(), "hunter2") {
		t.Error("DSN lost the password")
	}
}

func TestParseModel(t *testing.T) {
	for s, want := range map[string]Model{
		"scripted:script.yaml":         {"scripted", "script.yaml"},
		"openrouter:meta/llama-3:free": {"openrouter", "meta/llama-3:free"},
		"openrouter/meta/llama-3:free": {"openrouter", "meta/llama-3:free"},
		"ollama/llama3:8b":             {"ollama", "llama3:8b"},
		"haiku":                        {"anthropic", "haiku"},
		"claude-sonnet-4-5":            {"anthropic", "claude-sonnet-4-5"},
		"gpt-4.1":                      {"openai", "gpt-4.1"},
		"gemini-2.5-pro":               {"gemini", "gemini-2.5-pro"},
		"fast":                         {"", "fast"},
	} {
		got, err := ParseModel(s)
		if err != nil || got != want {
			t.Errorf("ParseModel(%q) = %v, %v, want %v", s, got, err, want)
		}
		if again, err := ParseModel(got.String()); err != nil || again != want {
			t.Errorf("ParseModel(%q) = %v, %v, want %v", got.String(), again, err, want)
		}
	}
	for _, s := range []string{"", ":", "a b", "a:", "/b", "a/", ":b", "A:b", "http://h"} {
		if got, err := ParseModel(s); parley.KindOf(err) != parley.Invalid {
			t.Errorf("ParseModel(%q) = %v, %v, want a refusal", s, got, err)
		}
	}
}
