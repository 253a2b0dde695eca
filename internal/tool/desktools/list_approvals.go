package desktools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/reading"
	"parley/internal/tool"
)

// Deciding is the toolset of those outside of the hub who decide about approvals.
func Deciding(read *reading.Service) []tool.Tool { return []tool.Tool{listApprovals(read)} }

//go:embed list_approvals.md
var listApprovalsText string

const (
	mostApprovals = 50
	// mostArgs is how much of a call is shown. What is cut is said.
	mostArgs = 4000
)

func listApprovals(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[struct{}]{
		Name: "list_approvals", Title: "List what waits for your decision", Description: listApprovalsText, Hints: tool.Hints{ReadOnly: true},
		Own: true, Replays: true, Output: approvalsOutput,
		Run: func(ctx context.Context, c tool.Call, _ struct{}) (tool.Result, error) {
			list, err := read.Deciding(ctx, caller(c), mostApprovals)
			if err != nil {
				return tool.Result{}, err
			}
			return describeApprovals(ctx, read, list), nil
		},
	})
}

func describeApprovals(ctx context.Context, read *reading.Service, list []reading.Approval) tool.Result {
	lines, data := make([]string, len(list)), make([]map[string]any, len(list))
	for i, a := range list {
		who, args := read.Name(ctx, a.Agent), a.Args
		if cut := []rune(args); len(cut) > mostArgs {
			args = string(cut[:mostArgs]) + fmt.Sprintf("… (%d more characters are not shown)", len(cut)-mostArgs)
		}
		lines[i] = parley.Continued(fmt.Sprintf("%s, digest %s: %s wants %s %s (%s)", a.Name, a.ShortDigest(), who, a.Tool, args, a.Reason))
		data[i] = map[string]any{"approval": a.Name, "digest": a.ShortDigest(), "agent": who, "tool": a.Tool, "arguments": args, "reason": a.Reason}
	}
	text := strings.Join(lines, "\n")
	if len(list) == 0 {
		text = "Nothing waits for your decision."
	}
	return tool.Result{Text: text, Data: map[string]any{"approvals": data}}
}

var approvalsOutput = json.RawMessage(`{"properties":{"approvals":{"type":"array","items":{"type":"object","properties":{` +
	`"approval":{"type":"string"},"digest":{"type":"string"},"agent":{"type":"string"},"tool":{"type":"string"},"arguments":{"type":"string"},"reason":{"type":"string"}},` +
	`"required":["approval","digest","agent","tool","arguments","reason"]}}}}`)
