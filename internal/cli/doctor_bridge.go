package cli

import (
	"fmt"

	"parley/api"
	"parley/internal/app"
)

// bridges looks whether the chat programs have their keys. It calls nobody.
func (e *examination) bridges() {
	for _, c := range app.CheckBridges(e.team) {
		if c.Problem != "" {
			e.wrong("bridge", c.Program+": "+c.Problem, "Set the key in the environment of the hub; docs/bridges.md says where it comes from.")
			continue
		}
		e.ok("bridge", "%s", c.Program)
	}
}

// bridged says what the running hub could not do in chat programs.
func (e *examination) bridged(list []api.Bridge) {
	for _, b := range list {
		if b.Problem != "" {
			e.wrong("bridge", b.Program+": "+b.Problem, "The log of the hub says more. What waits is in the inbox all the same.")
		}
		if b.GivenUp > 0 || b.Repeats > 0 {
			e.note("bridge", fmt.Sprintf("%s: %d posts were given up, and %d may be there twice.", b.Program, b.GivenUp, b.Repeats), "")
		}
	}
}
