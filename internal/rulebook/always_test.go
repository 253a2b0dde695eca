package rulebook_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
)

// waiting is one approval, and the rule that would let its call pass.
type waiting struct {
	parley.Approval
	grant         policy.Grant
	refused, late error
	asked         []parley.ApprovalRef
	approved      int
}

func (w *waiting) Decidable(_ context.Context, _ access.Caller, ref parley.ApprovalRef) (parley.Approval, error) {
	w.asked = append(w.asked, ref)
	return w.Approval, w.refused
}

func (w *waiting) Approve(context.Context, access.Caller, parley.ApprovalRef) (parley.Approval, error) {
	w.approved++
	return w.Approval, w.late
}

func (w *waiting) Grant(parley.Approval) (policy.Grant, string) { return w.grant, "Two rules ask." }

// A rule is written only for a call that its writer may decide about now, as it was
// shown, and then the call is approved.
func TestAlwaysWritesTheRuleThatWasShown(t *testing.T) {
	h := build(t)
	bot := h.as("Bot").Agent
	grant := policy.Grant{Key: policy.RuleContacts, Word: "allow:Dir"}
	ref := parley.ApprovalRef{ID: 7, Digest: "abc"}
	before := h.read("agents/Bot.md")
	for name, c := range map[string]struct {
		by, word string
		waits    waiting
		want     string
	}{
		"an agent":        {"Bot", grant.Word, waiting{grant: grant}, "Only people"},
		"decided already": {"Ada", grant.Word, waiting{grant: grant, refused: errors.New("decided")}, "decided"},
		"no such rule":    {"Ada", grant.Word, waiting{}, "Two rules ask."},
		"another rule":    {"Ada", "allow:*", waiting{grant: grant}, "has changed meanwhile"},
	} {
		c.waits.Agent = bot
		h.Decisions, h.Grants = &c.waits, &c.waits
		_, err := h.Always(t.Context(), h.as(c.by), ref, string(grant.Key), c.word)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.waits.approved > 0 || h.read("agents/Bot.md") != before {
			t.Errorf("%s: %v, approved %d times\n%s", name, err, c.waits.approved, h.read("agents/Bot.md"))
		}
	}
	w := &waiting{grant: grant}
	w.Agent = bot
	h.Decisions, h.Grants = w, w
	name, err := h.Always(t.Context(), h.as("Ada"), ref, string(grant.Key), grant.Word)
	if err != nil || name != "Bot" || w.approved != 1 || len(w.asked) != 1 || w.asked[0] != ref || !strings.Contains(h.read("agents/Bot.md"), "allow: Dir") {
		t.Errorf("%q, %v, approved %d times, asked %v\n%s", name, err, w.approved, w.asked, h.read("agents/Bot.md"))
	}
	w.late = parley.Errorf(parley.Conflict, "It has expired.")
	if _, err = h.Always(t.Context(), h.as("Ada"), ref, string(grant.Key), grant.Word); parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "The rule was written") {
		t.Errorf("too late: %v", err)
	}
}
