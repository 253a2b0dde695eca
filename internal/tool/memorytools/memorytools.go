// Package memorytools is the toolset "memory": what an agent writes down for itself.
package memorytools

import (
	"context"
	_ "embed"
	"fmt"

	"parley"
	"parley/internal/memory"
	"parley/internal/policy"
	"parley/internal/tool"
)

// Memory changes what agents remember. Package memory implements it.
type Memory interface {
	Remember(ctx context.Context, l parley.Lease, n memory.Note) (memory.Kept, error)
}

// New makes the toolset of an agent that may write.
func New(m Memory) []tool.Tool { return []tool.Tool{remember(m)} }

//go:embed remember.md
var rememberText string

type rememberArgs struct {
	Text    string `json:"text" required:"true" doc:"What to write down, as Markdown."`
	Rewrite bool   `json:"rewrite" doc:"Put the text in the place of the whole MEMORY.md instead of adding it. Default: false."`
	Digest  string `json:"digest" doc:"With rewrite: the digest of what MEMORY.md says now, as an earlier call has shown it."`
}

func remember(m Memory) tool.Tool {
	return tool.New(tool.Spec[rememberArgs]{
		Name: "remember", Title: "Remember", Description: rememberText, Hints: tool.Hints{Destructive: true},
		Action: func(args rememberArgs) string {
			if args.Rewrite {
				return policy.Action(policy.Memory, "rewrite")
			}
			return policy.Action(policy.Memory, "add")
		},
		Run: func(ctx context.Context, c tool.Call, args rememberArgs) (tool.Result, error) {
			kept, err := m.Remember(ctx, c.Lease, memory.Note{Text: args.Text, Rewrite: args.Rewrite, Digest: args.Digest, Record: c.Changing})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: fmt.Sprintf("Remembered. MEMORY.md has %d of at most %d bytes, digest %s. You read it from your next turn on.",
				kept.Size, memory.MaxBytes, kept.Digest)}, nil
		},
	})
}
