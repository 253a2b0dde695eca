package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley"
)

func TestBridges(t *testing.T) {
	team, err := loadNotify(t, `
bridges:
  telegram:
    token_env: OUR_BOT
    channels: {standup: "-1001234567890", '#Ops': "-100/17"}
    api: http://127.0.0.1:8081
    summary: "8:05"
    zone: Europe/Berlin
  slack: {app_token_env: OUR_APP}
  discord: {}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Bridge{
		{Program: "discord", Keys: map[string]string{"token_env": "DISCORD_BOT_TOKEN"}, Channels: map[string]string{}},
		{Program: "slack", Keys: map[string]string{"bot_token_env": "SLACK_BOT_TOKEN", "app_token_env": "OUR_APP"}, Channels: map[string]string{}},
		{Program: "telegram", Keys: map[string]string{"token_env": "OUR_BOT"}, Channels: map[string]string{"standup": "-1001234567890", "Ops": "-100/17"},
			API: "http://127.0.0.1:8081", Summary: "08:05", Zone: "Europe/Berlin"},
	}
	if diff := cmp.Diff(want, team.Bridges,
		cmpopts.SortSlices(func(a, b Bridge) bool { return a.Program < b.Program })); diff != "" {
		t.Error(diff)
	}
	if team, err := loadNotify(t, "person: ada\n"); err != nil || len(team.Bridges) != 0 {
		t.Errorf("without a section: %+v, %v", team.Bridges, err)
	}
}

func TestMistakesInBridges(t *testing.T) {
	for text, want := range map[string]string{
		"bridges: {telegram: {summary: evening}}":                        `parley.yaml:1: summary: Expected a time of the day like "18:30", not "evening".`,
		"bridges: {telegram: {summary: '25:00'}}":                        `parley.yaml:1: summary: Expected a time of the day like "18:30", not "25:00".`,
		"bridges: {telegram: {zone: Mars/Base}}":                         `parley.yaml:1: zone: There is no time zone "Mars/Base".`,
		"bridges: {telegram: {zone: Local}}":                             `parley.yaml:1: zone: There is no time zone "Local".`,
		"bridges: {telegram: {api: ftp://x}}":                            "parley.yaml:1: api: Expected an address like https://example.org/hook.",
		"bridges:\n  telegram:\n    channels: {a b c/: '1'}":             `parley.yaml:3: "a b c/" is not the name of a channel.`,
		"bridges: {telegram: {channels: {standup: ''}}}":                 `parley.yaml:1: standup: Expected the id of a chat, like "-1001234567890".`,
		"bridges: {telegram: {channels: {standup: 'two words'}}}":        `parley.yaml:1: standup: Expected the id of a chat, like "-1001234567890".`,
		"bridges: {telegram: {channels: {standup: '1', ops: '1'}}}":      "parley.yaml:1: ops: The chat 1 is connected to another channel already.",
		"bridges: {telegram: {token_env: '123456:AAHdqTcvCH1vGWJxfSe'}}": "token_env",
		"bridges: {telegram: {token: '123456:AAHdqTcvCH1vGWJxfSe'}}":     "token",
		"bridges: {irc: {}}":                                             "irc",
		"bridges: {telegram: {chanels: {}}}":                             "chanels",
	} {
		_, err := loadNotify(t, text)
		got := parley.Public(err)
		if err == nil || !strings.Contains(got, want) || strings.Contains(got, "AAHdq") {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
