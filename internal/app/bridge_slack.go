package app

import (
	"log/slog"
	"strings"

	"parley"
	"parley/internal/bridge"
	"parley/internal/bridge/slack"
	"parley/internal/config"
)

func newSlack(cfg config.Bridge, secrets map[string]string, _ *slog.Logger) (bridge.Program, error) {
	for key, begins := range map[string]string{"app_token_env": "xapp-", "bot_token_env": "xoxb-"} {
		if !strings.HasPrefix(secrets[key], begins) {
			return nil, parley.Errorf(parley.Invalid, "The environment variable %s is no token that begins with %s.", cfg.Keys[key], begins).
				WithHint("Slack has two tokens for an app; docs/bridges.md says where each is.")
		}
	}
	return slack.New(slack.Config{AppToken: secrets["app_token_env"], BotToken: secrets["bot_token_env"], API: cfg.API}), nil
}
