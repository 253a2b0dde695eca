package loomtools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/claim"
	"parley/internal/contact"
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
func peerClaimRegion(t teller) tool.Tool {
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
				return t.release(ctx, c, path, lines)
			}
			taken, err := t.claims.Take(ctx, contacttools.Caller(c), path, lines)
			if err != nil {
				return tool.Result{}, err
			}
			text := takenText(taken, lines, path)
			if len(taken.Conflicts) == 0 && !taken.Renewed {
				text += t.news(ctx, c, path, fmt.Sprintf("Claimed: %s for %s.", taken.Region(), taken.Left))
			}
			return tool.Result{Text: text}, nil
		},
	})
}

// claimAction names the call for the rules. What is no path is refused when the tool
// runs.
func claimAction(args peerClaimRegionArgs) string {
	path, _ := parley.CleanPath(args.Path)
	return policy.Action(policy.TaskOp, "claim "+path)
}

func (t teller) release(ctx context.Context, c tool.Call, path string, lines parley.Lines) (tool.Result, error) {
	given, err := t.claims.Release(ctx, contacttools.Caller(c), path, lines)
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
	text := strings.Join(names, ", ") + "."
	return tool.Result{Text: "Released " + text + t.news(ctx, c, path, "Released: "+text)}, nil
}

// news tells the others who work on a path of a claim there, and says so. The claim
// stands even if they cannot be told.
func (t teller) news(ctx context.Context, c tool.Call, path, text string) string {
	caller := contacttools.Caller(c)
	to, tasks, err := t.claims.Working(ctx, caller, path)
	if err != nil || len(to) == 0 {
		return ""
	}
	told, err := t.contacts.Tell(ctx, caller, contact.News{To: to, Message: text, Key: c.Key, About: tasks})
	if err != nil {
		return " Those who work on it could not be told: " + parley.Public(err)
	}
	return strings.TrimRight(" "+strings.TrimSpace(told.Text("Told", "")), " ")
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
