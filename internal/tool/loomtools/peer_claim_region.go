package loomtools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/claim"
	"parley/internal/model"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

//go:embed peer_claim_region.md
var peerClaimRegionText string

var peerClaimRegionSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file, relative to the workspace, or another name."},
		"from_line": {"type": "integer", "description": "The first line; the whole file if left out."},
		"to_line": {"type": "integer", "description": "The last line."},
		"release": {"type": "boolean", "description": "Give the claim up instead."}
	},
	"required": ["path"]
}`)

// region is what the arguments of a claim name.
type region struct {
	Path    string `json:"path"`
	From    int    `json:"from_line"`
	To      int    `json:"to_line"`
	Release bool   `json:"release"`
}

// peerClaimRegion may be run again: it then renews what it took before.
func peerClaimRegion(claims *claim.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "peer_claim_region", Description: peerClaimRegionText, Schema: peerClaimRegionSchema},
		Replays: true,
		Action:  onPath("claim"),
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args region
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
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
	}
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
func takenText(t claim.Taking, wanted parley.Lines, path string) string {
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
