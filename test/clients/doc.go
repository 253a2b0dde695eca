// Package clients runs real clients of other makers as members of a team: Claude Code,
// Codex, Gemini CLI and opencode, installed from npm, each with a home of its own and
// joined by what parley join --write has written. A local server speaks the wire format
// of the client's provider and drives it through given tool calls; everything else is
// real.
//
// The tests need the clients and some minutes, so they have a build tag and are run by
// make clients only.
package clients
