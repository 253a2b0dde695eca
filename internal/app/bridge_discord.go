package app

import (
	"log/slog"
	"strings"

	"parley"
	"parley/internal/bridge"
	"parley/internal/bridge/discord"
	"parley/internal/config"
)

func newDiscord(cfg config.Bridge, secrets map[string]string, _ *slog.Logger) (bridge.Program, error) {
	token := secrets["token_env"]
	if strings.ContainsAny(token, " \t\r\n") || strings.HasPrefix(token, "Bot") {
		return nil, parley.Errorf(parley.Invalid, "The environment variable %s is no token of a bot.", cfg.Keys["token_env"]).
			WithHint("It is the token alone, without the word Bot and without spaces; docs/bridges.md says where it is.")
	}
	return discord.New(discord.Config{Token: token, API: cfg.API}), nil
}
