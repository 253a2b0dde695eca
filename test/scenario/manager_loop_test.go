package scenario

import (
	"testing"
	"time"

	"parley/internal/policy"
)

// A manager that answers each decision with more work, which has to be approved again,
// does not go round for ever: a decision belongs to the chain of what it decides about.
func TestAManagerThatDelegatesBackOnEachDecisionComesToAnEnd(t *testing.T) {
	team := interns(`agents:
  InternBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: SeniorAnalystBot, message: 'May I?'}}, {say: 'Done.'}]}]
  SeniorAnalystBot: [{steps: [{say: 'Yes.'}]}]
  ChiefBot: [{match: 'approval', steps: [{call: approve_action, args: {approval_id: '{{capture ` + "`approval-[0-9]+-[a-z]+`" + ` input}}', digest: '{{capture ` + "`digest ([0-9a-f]+)`" + ` input}}'}}, {wait: 10s, call: contact_agent, args: {action: delegate, agentId: InternBot, message: 'Go on.'}}, {say: 'Decided.'}]}, {steps: [{say: 'Ok.'}]}]
`)
	team.Member = under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, manager: "ChiefBot"}})
	Play(t, team, func(s *Stage) {
		s.As("rutger").Delegate("InternBot", "Begin.")
		s.Pass(2 * time.Hour)
		if n := len(s.Models.Shown("InternBot")); n > 60 {
			s.Errorf("InternBot was asked %d times", n)
		}
	})
}
