package app

import (
	"log/slog"

	"parley/internal/bridge"
	"parley/internal/bridge/telegram"
	"parley/internal/config"
)

func newTelegram(cfg config.Bridge, secrets map[string]string, log *slog.Logger) (bridge.Program, error) {
	return telegram.New(telegram.Config{Token: secrets["token_env"], API: cfg.API, Log: log}), nil
}
