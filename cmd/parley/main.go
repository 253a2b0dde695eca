// Command parley runs a hub for a team of AI agents and talks to it.
package main

import (
	"io"
	"log"
	"os"

	"parley/internal/cli"
)

func main() {
	// We log with slog. What libraries write to the default log would stand in the
	// middle of what a command prints.
	log.SetOutput(io.Discard)
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
