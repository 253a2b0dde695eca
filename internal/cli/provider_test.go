package cli

import (
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/model"
	"parley/internal/model/wiretest"
)

// provider NAME KEY MODEL [WAIT] runs a provider that accepts one key and has one model,
// and puts its address into a variable. With WAIT it asks for so many seconds of patience
// first.
func cmdProvider(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 3 || len(args) == 4, "provider NAME KEY MODEL [WAIT]")
	var asked atomic.Int64
	server, err := wiretest.New(func(r wiretest.Request) wiretest.Reply {
		switch {
		case r.Header.Get("X-Api-Key") != args[1]:
			return wiretest.Reply{Status: http.StatusUnauthorized, Message: "invalid x-api-key: " + r.Header.Get("X-Api-Key")}
		case r.Model != args[2]:
			return wiretest.Reply{Status: http.StatusNotFound, Message: "model: " + r.Model}
		case len(args) == 4 && asked.Add(1) == 1:
			return wiretest.Reply{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": args[3]}}
		}
		return wiretest.Reply{Text: "Yes, I can think.", Usage: model.Usage{Input: 100, Output: 5}}
	})
	ts.Check(err)
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// replace FILE FROM TO changes the one occurrence of a text in a file; \n begins a
// new line.
func cmdReplace(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 3, "replace FILE FROM TO")
	text, from := ts.ReadFile(args[0]), strings.ReplaceAll(args[1], `\n`, "\n")
	if strings.Count(text, from) != 1 {
		ts.Fatalf("%s contains %q %d times", args[0], from, strings.Count(text, from))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, from, strings.ReplaceAll(args[2], `\n`, "\n"), 1)), 0o600))
}
