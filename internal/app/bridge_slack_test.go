package app_test

import (
	"strings"
	"testing"

	"parley/internal/app"
	"parley/internal/config"
)

// Slack has two tokens, which are easily mistaken for each other. What is wrong is said
// without the token.
func TestTokensOfSlack(t *testing.T) {
	team := &config.Team{Bridges: []config.Bridge{{Program: "slack", Keys: map[string]string{"app_token_env": "TEST_SLACK_APP", "bot_token_env": "TEST_SLACK_BOT"}}}}
	for _, c := range []struct{ app, bot, want string }{
		{"xapp-1", "xoxb-1", ""},
		{"", "xoxb-1", "TEST_SLACK_APP is not set"},
		{"xoxb-1", "xoxb-1", "TEST_SLACK_APP is no token that begins with xapp-"},
		{"xapp-1", "xapp-1", "TEST_SLACK_BOT is no token that begins with xoxb-"},
	} {
		t.Setenv("TEST_SLACK_APP", c.app)
		t.Setenv("TEST_SLACK_BOT", c.bot)
		got := app.CheckBridges(team)
		if len(got) != 1 || (got[0].Problem == "") != (c.want == "") || !strings.Contains(got[0].Problem, c.want) || strings.Contains(got[0].Problem, "-1") {
			t.Errorf("%+v, not %q", got, c.want)
		}
	}
}
