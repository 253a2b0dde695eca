package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func loadNotify(t *testing.T, text string) (*Team, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, TeamFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	team, _, err := Load(dir)
	return team, err
}

func TestNotify(t *testing.T) {
	team, err := loadNotify(t, `
notify:
  - command: [notify-send-script, --urgent]
    for: [approvals, mail]
    people: [rutger]
  - url: https://example.org/hook
    secret_env: PARLEY_HOOK_SECRET
  - {url: 'http://10.0.0.1/hook', secret_env: HOOK, private: true}
notify_command: ./tell
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Notify{
		{Command: []string{"notify-send-script", "--urgent"}, For: []string{"approvals", "mail"}, People: []string{"rutger"}},
		{URL: "https://example.org/hook", SecretEnv: "PARLEY_HOOK_SECRET"},
		{URL: "http://10.0.0.1/hook", SecretEnv: "HOOK", Private: true},
		{Command: []string{"./tell"}},
	}
	if diff := cmp.Diff(want, team.Notify); diff != "" {
		t.Error(diff)
	}
}

func TestMistakesInNotify(t *testing.T) {
	for text, want := range map[string]string{
		"notify: [{for: [mail]}]":                                 "parley.yaml:1: notify: Each entry of notify has either a command or a url.",
		"notify:\n  - {command: a, url: 'https://b.example'}":     "parley.yaml:2: notify: Each entry of notify has either a command or a url.",
		"notify: [{url: 'https://b.example'}]":                    "parley.yaml:1: notify: A url needs secret_env: the name of the environment variable with the secret that signs what is sent.",
		"notify: [{url: 'http://b.example', secret_env: S}]":      "parley.yaml:1: notify: What is sent over http can be read on the way. Use https, or private: true for a receiver in a network of your own.",
		"notify: [{url: 'ftp://b.example', secret_env: S}]":       "parley.yaml:1: url: Expected an address like https://example.org/hook.",
		"notify: [{url: 'https://u:p@b.example', secret_env: S}]": "parley.yaml:1: url: An address may not hold a name or a password. The receiver knows the hub by the signature; see secret_env.",
		"notify: [{command: a, private: true}]":                   "parley.yaml:1: notify: secret_env and private are for a url.",
		"notify_command: notify-send hello":                       "parley.yaml:1: notify_command: Expected a program, or a list of a program and its arguments like [notify-send, --urgent]. There is no shell.",
		"notify_command: []":                                      "parley.yaml:1: notify_command: Expected a program and its arguments, like [notify-send, --urgent].",
		"notify: [{command: a, for: []}]":                         "parley.yaml:1: for: Expected one or more of approvals, questions, mail.",
	} {
		_, err := loadNotify(t, text)
		if got := parley.Public(err); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	_, err := loadNotify(t, "notify: [{url: 'https://b.example', secret: hunter2hunter2}]")
	if err == nil || cmp.Diff("", parley.Public(err)) == "" {
		t.Error("a secret in the file is accepted")
	}
}
