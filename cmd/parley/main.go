// Command parley runs a hub for a team of AI agents and talks to it.
package main

import (
	"io"
	"log"
	"os"

	"parley/internal/cli"
)

func main() {
	// Ours log with slog. What is left are remarks of client libraries on variables
	// and connections, in the middle of what a command prints.
	log.SetOutput(io.Discard)
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
