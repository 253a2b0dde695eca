package loomtools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/claim"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_claim_region.md
var peerClaimRegionText string

type peerClaimRegionArgs struct {
	Path    string `json:"path" required:"true" doc:"The file, relative to the workspace, or another name."`
	From    int    `json:"from_line" doc:"The first line; the whole file if left out."`
	To      int    `json:"to_line" doc:"The last line."`
	Release bool   `json:"release" doc:"Give the claim up instead."`
}

// peerClaimRegion may be run again: it then renews what it took before.
func peerClaimRegion(claims *claim.Service) tool.Tool {
	return newTool(tool.Spec[peerClaimRegionArgs]{
		Name: "peer_claim_region", Title: "Claim a region of a file", Description: peerClaimRegionText,
		Replays: true,
		Action:  claimAction,
		Run: func(ctx context.Context, c tool.Call, args peerClaimRegionArgs) (tool.Result, error) {
			lines, err := parley.ParseLines(args.From, args.To)
			if err != nil {
				return tool.Result{}, err
			}
			path, err := parley.CleanPath(args.Path)
			if err != nil {
				return tool.Result{}, err
			}
			if args.Release {
				return release(ctx, claims, c, path, lines)
			}
			taken, err := claims.Take(ctx, contacttools.Caller(c), path, lines)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: takenText(taken, lines, path)}, nil
		},
	})
}

// claimAction names the call for the rules. What is no path is refused when the tool
// runs.
func claimAction(args peerClaimRegionArgs) string {
	path, _ := parley.CleanPath(args.Path)
	return policy.Action(policy.TaskOp, "claim "+path)
}

func release(ctx context.Context, claims *claim.Service, c tool.Call, path string, lines parley.Lines) (tool.Result, error) {
	given, err := claims.Release(ctx, contacttools.Caller(c), path, lines)
	if err != nil {
		return tool.Result{}, err
	}
	if len(given) == 0 {
		return tool.Result{Text: fmt.Sprintf("You hold no claim on %s.", lines.In(path))}, nil
	}
	names := make([]string, len(given))
	for i, g := range given {
		names[i] = g.Region()
	}
	return tool.Result{Text: "Released " + strings.Join(names, ", ") + "."}, nil
}

// takenText says what came of a claim. A conflict is no mistake of the caller's.
func takenText(t claim.Taken, wanted parley.Lines, path string) string {
	if len(t.Conflicts) == 0 {
		verb := "Claimed"
		if t.Renewed {
			verb = "Renewed the claim on"
		}
		return fmt.Sprintf("%s %s for %s.", verb, t.Region(), t.Left)
	}
	holders := make([]string, len(t.Conflicts))
	for i, h := range t.Conflicts {
		holders[i] = heldText(h)
	}
	verb := "are"
	if wanted.Whole() || wanted.From == wanted.To {
		verb = "is"
	}
	return fmt.Sprintf("Not claimed: %s %s held by others. %s. Nothing was changed.", wanted.In(path), verb, strings.Join(holders, "; "))
}

// heldText names the holder of a claim, its lines and the time left.
func heldText(h claim.Held) string {
	what := "the whole"
	if !h.Lines.Whole() {
		what = h.Lines.String()
	}
	in := ""
	if h.Task != 0 {
		in = " (" + h.Task.String() + ")"
	}
	return fmt.Sprintf("%s%s holds %s for another %s", h.Holder, in, what, h.Left.Round(time.Second))
}
