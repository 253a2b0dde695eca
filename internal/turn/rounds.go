package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/tool"
)

// A task that, on results from an agent, does nothing but delegate to it again may go
// round for ever at its own pace: each turn is short, and none goes in circles by
// itself. So the rounds are counted over all turns of the task, and after a number of
// them people are asked whether it may go on.

// passRounds reports whether the calls of the last reply may run. If they would be one
// round too many, the first of them is held until a person has decided.
func (r *run) passRounds(ctx context.Context) (bool, error) {
	i := slices.IndexFunc(r.pending, func(p pendingCall) bool { return p.round })
	if i >= 0 {
		return r.roundDecided(ctx, r.pending[i].Call)
	}
	rounds, peers := r.rounds(r.agent.Tools)
	if rounds <= r.agent.Limits.Rounds {
		return true, nil
	}
	need := &parley.NeedsApproval{Rule: "rounds", Reason: roundsReason(r.agent.Limits.Rounds, peers) +
		fmt.Sprintf(" Approving allows %d more; denying fails the task.", r.agent.Limits.Rounds)}
	return false, r.hold(ctx, r.pending[0].Call, need, true)
}

// roundDecided runs the held call if a person has allowed more rounds.
func (r *run) roundDecided(ctx context.Context, call model.Call) (bool, error) {
	decided, _, err := r.decisions(ctx)
	if err != nil {
		return false, err
	}
	switch a := decided[call.ID]; a.State {
	case parley.ApprovalPending:
		return false, nil
	case parley.ApprovalApproved:
		return true, r.runDecided(ctx, call, a)
	default:
		_, peers := r.rounds(r.agent.Tools)
		why := roundsReason(r.agent.Limits.Rounds, peers) + " Going on was not approved."
		if a.Comment != "" {
			why += " " + parley.Quote(a.Comment)
		}
		return false, &stopped{reason: why}
	}
}

func roundsReason(limit int, peers []string) string {
	return fmt.Sprintf("%d rounds did nothing but delegate to %s again on its results.", limit, strings.Join(peers, " and "))
}

// stopped says that the task must not go on.
type stopped struct{ reason string }

func (e *stopped) Error() string { return e.reason }

// rounds counts the replies in a row that, on results from agents, only contacted these
// again, up to the last reply, and whom that contacts. Several such replies on the same
// results are one round. Those before the last decision of a person do not count.
func (t *transcript) rounds(tools []tool.Tool) (n int, peers []string) {
	last := slices.IndexFunc(t.pending, func(p pendingCall) bool { return contacted(tools, p.Call) == "" })
	if last >= 0 || len(t.pending) == 0 {
		return 0, nil // it does something else, which ends the row
	}
	from, news := map[string]bool{}, false
	for i, e := range t.past {
		if i == t.roundHeld {
			n = min(n, 1)
		}
		switch {
		case e.stored != nil && (e.stored.Kind == parley.ResultMessage || e.stored.Kind == parley.FailureMessage):
			if !news {
				clear(from)
			}
			from[parley.FoldName(e.stored.from)], news = true, true
		case e.stored != nil || e.Role != model.Assistant || len(e.Calls) == 0:
		default:
			peers = contactedOf(tools, e.Calls, from)
			switch {
			case peers == nil:
				n = 0
			case news:
				n++
			}
			news = false
		}
	}
	if t.roundHeld == len(t.past) {
		n = min(n, 1)
	}
	return n, peers
}

// contactedOf are those whom calls contact, if all of them contact some of these; nil
// otherwise.
func contactedOf(tools []tool.Tool, calls []model.Call, these map[string]bool) (names []string) {
	for _, c := range calls {
		name := contacted(tools, c)
		if !these[parley.FoldName(name)] {
			return nil
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
