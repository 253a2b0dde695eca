// Command parley runs a hub for a team of AI agents and talks to it.
package main

import (
	"os"

	"parley/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
