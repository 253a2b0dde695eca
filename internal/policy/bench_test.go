package policy

import (
	"fmt"
	"testing"

	"parley"
)

// The cost of a decision that asks every rule, with a thousand contact rules and
// without any.
func BenchmarkAThousandRules(b *testing.B) {
	rules := &Rules{Manager: "boss"}
	for i := range 999 {
		rules.Contacts.Forbid(fmt.Sprintf("stranger %d", i))
	}
	rules.Contacts.Permit(Everyone, Allowance{})
	var err error
	rules.Profile, err = NewProfile(DefaultPreset, Patterns{
		Deny: []string{`tool:shell:.*rm .*`, `tool:agent_comm:send stranger.*`}, Allow: []string{`tool:agent_comm:send .*`}})
	if err != nil {
		b.Fatal(err)
	}
	to := Party{Name: "agent-0002", Key: "agent-0002", Kind: parley.Native, Rules: rules}
	for name, of := range map[string]*Rules{"rules": rules, "none": {}} {
		who := Party{Name: "agent-0001", Key: "agent-0001", Kind: parley.Native, Rules: of}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if Authorize(&who, Send(&to)).Verdict != Allow {
					b.Fatal("refused")
				}
			}
		})
	}
}
