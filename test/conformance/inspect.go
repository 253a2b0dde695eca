package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/api"
	"parley/client"
)

// inspect lists, reads and calls with the official inspector, as a client agent does that
// has joined, in the versions with sessions and in those without. The hub is one without
// fixtures: what is looked at is the product's own.
//
// The inspector writes everything but the result to its standard error, so a warning is
// whatever is there.
func inspect(ctx context.Context, tools string) error {
	h, err := start(ctx, nil)
	if err != nil {
		return err
	}
	defer h.stop()
	ada := client.New(h.url, h.token)
	defer ada.Close()
	created, err := ada.CreateToken(ctx, api.TokenRequest{For: "Coder"})
	if err != nil {
		return err
	}
	for who, token := range map[string]string{"person": h.token, "agent": created.Secret} {
		for _, era := range []string{"legacy", "modern"} {
			for _, args := range inspections(who) {
				if err := look(tools, h.url, token, era, args); err != nil {
					return err
				}
			}
			fmt.Printf("mcp-inspector, %s protocol: all passed for the %s\n", era, who)
		}
	}
	return nil
}

// inspections are the commands. --strict is about the schemas of tools, and the inspector
// refuses it with any other method.
func inspections(who string) [][]string {
	all := [][]string{
		{"tools/list", "--strict"},
		{"resources/list"},
		{"resources/templates/list"},
		{"resources/read", "--uri", "parley://agents/DataBot"},
		{"prompts/list"},
		{"prompts/get", "--prompt-name", "join"},
		{"tools/call", "--tool-name", "list_agents"},
		{"tools/call", "--tool-name", "wait_for_messages", "--tool-arg", "wait_seconds=0"},
		{"tools/call", "--tool-name", "contact_agent", "--tool-args-json", `{"action":"ask","agentId":"DataBot","message":"How many?"}`},
	}
	if who == "agent" { // a person holds no tasks
		all = append(all, []string{"tools/call", "--tool-name", "my_tasks"})
	}
	return all
}

func look(tools, url, token, era string, args []string) error {
	args = append([]string{"--cli", url + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + token,
		"--protocol-era", era, "--format", "json", "--method"}, args...)
	cmd := command(tools, "mcp-inspector", args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	what := strings.Join(args[6:], " ")
	var said struct{ IsError bool }
	switch broken := json.Unmarshal(out.Bytes(), &said); {
	case err != nil || complaints.Len() > 0:
		return fmt.Errorf("mcp-inspector %s: %v\n%s", what, err, &complaints)
	case broken != nil || said.IsError:
		return fmt.Errorf("mcp-inspector %s: no good result: %v\n%s", what, broken, &out)
	}
	fmt.Printf("$ mcp-inspector %s: %d bytes, no warning\n", what, out.Len())
	return nil
}
