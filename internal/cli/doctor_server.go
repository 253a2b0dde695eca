package cli

import "parley/internal/app"

// serverUp tells of a server that works.
func (e *examination) serverUp(s app.ServerCheck) {
	if s.Unsandboxed {
		e.note("server", s.Name+" of "+s.File+" works, and runs without a sandbox, because its description says so. It can do whatever you can.", "")
		return
	}
	e.ok("server", "%s of %s, tools: %d", s.Name, s.File, s.Tools)
}

// serverFiles warns of servers whose files agents can write.
func (e *examination) serverFiles() {
	for _, p := range app.CheckServerFiles(e.team) {
		e.note("server", p.String(), "")
	}
}
