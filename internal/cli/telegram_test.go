package cli

import (
	"strconv"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/bridge/telegram/telegramtest"
)

// cmdTelegram has two forms. telegram NAME runs a server of Telegram, and puts its address
// into a variable and the bot's token into the usual one; telegram NAME ACCOUNT FIRSTNAME TEXT
// has somebody say something to the bot there.
func cmdTelegram(t *testing.T) func(*testscript.TestScript, bool, []string) {
	var servers sync.Map // by address
	return func(ts *testscript.TestScript, neg bool, args []string) {
		usage(ts, neg, len(args) == 1 || len(args) == 4, "telegram NAME [ACCOUNT FIRSTNAME TEXT]")
		if len(args) == 1 {
			server := telegramtest.New(t)
			servers.Store(server.URL, server)
			ts.Setenv(args[0], server.URL)
			ts.Setenv("TELEGRAM_BOT_TOKEN", telegramtest.Token)
			return
		}
		server, ok := servers.Load(ts.Getenv(args[0]))
		id, err := strconv.ParseInt(args[1], 10, 64)
		if !ok || err != nil {
			ts.Fatalf("there is no server %s, or no account %s", args[0], args[1])
		}
		server.(*telegramtest.Server).Say(telegramtest.User{ID: id, FirstName: args[2]}, id, args[3])
	}
}
