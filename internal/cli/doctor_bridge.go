package cli

import (
	"fmt"

	"parley/api"
	"parley/internal/app"
)

// bridges looks whether the chat programs have their keys. It calls nobody. This shell may be
// another than the one where the hub is started, so a hub that runs knows it better.
func (e *examination) bridges(runs bool) {
	for _, c := range app.CheckBridges(e.team) {
		switch {
		case c.Unset != "":
			e.note("bridge", c.Program+": The environment variable "+c.Unset+" is not set in this shell.", "A hub needs it where it is started; docs/bridges.md says where the key comes from.")
		case runs: // and says how it is doing
		case c.Problem != "":
			e.wrong("bridge", c.Program+": "+c.Problem, "Correct the key in the environment of the hub; docs/bridges.md says where it comes from.")
		default:
			e.ok("bridge", "%s", c.Program)
		}
	}
}

// bridged says how the running hub is doing in chat programs.
func (e *examination) bridged(list []api.Bridge) {
	for _, b := range list {
		if b.Problem != "" {
			e.wrong("bridge", b.Program+": "+b.Problem, "The log of the hub says more. What waits is in the inbox all the same.")
		} else {
			e.ok("bridge", "%s", b.Program)
		}
		if b.GivenUp > 0 || b.Repeats > 0 {
			e.note("bridge", fmt.Sprintf("%s: %d posts were given up, and %d may be there twice.", b.Program, b.GivenUp, b.Repeats), "")
		}
	}
}
