package main

import (
	"fmt"
	"strings"
)

// inspect lists and calls with the official inspector, and wants no warning.
func inspect(tools string, h *hub) error {
	for _, args := range [][]string{
		{"--method", "tools/list"},
		{"--method", "resources/list"},
		{"--method", "resources/templates/list"},
		{"--method", "prompts/list"},
		{"--method", "tools/call", "--tool-name", "list_agents"},
		{"--method", "tools/call", "--tool-name", "my_tasks"},
		{"--method", "tools/call", "--tool-name", "wait_for_messages", "--tool-arg", "wait_seconds=0"},
	} {
		if args[1] == "tools/list" { // the only one that it is for
			args = append(args, "--strict")
		}
		args = append([]string{"--cli", h.url + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + h.token}, args...)
		out, err := command(tools, "mcp-inspector", args...).CombinedOutput()
		fmt.Printf("$ mcp-inspector %s: %d bytes\n", strings.Join(args[6:], " "), len(out))
		if err != nil || strings.Contains(strings.ToLower(string(out)), "warn") {
			return fmt.Errorf("mcp-inspector %s: %v\n%s", strings.Join(args[6:], " "), err, out)
		}
	}
	return nil
}
