package scenario

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/policy"
)

// ruleset is what a file says of an agent, in short.
type ruleset struct {
	manager   string
	canInvoke []string // nil for everyone
	deny      []string
	allow     []string
	approval  []string
	profile   string
	behavior  policy.Behavior
}

func ruled(r ruleset) *policy.Rules {
	made := &policy.Rules{Manager: parley.FoldName(r.manager), Behavior: r.behavior}
	if r.canInvoke != nil {
		made.CanInvoke = map[string]bool{}
		for _, name := range r.canInvoke {
			made.CanInvoke[parley.FoldName(name)] = true
		}
	}
	for _, name := range r.deny {
		made.Contacts.Forbid(name)
	}
	for _, name := range r.allow {
		made.Contacts.Permit(name, policy.Allowance{})
	}
	for _, name := range r.approval {
		made.Contacts.Permit(name, policy.Allowance{NeedsApproval: true})
	}
	if r.profile != "" {
		var err error
		if made.Profile, err = policy.NewProfile(r.profile, policy.Patterns{}); err != nil {
			panic(err)
		}
	}
	return made
}

// under gives agents their rules.
func under(rules map[string]ruleset) func(*app.Member) {
	return func(m *app.Member) {
		m.Toolsets = []string{"contact", "peers", "chorus"}
		if r, ok := rules[m.Name]; ok {
			m.Rules = ruled(r)
		}
	}
}

// idle is for agents that are contacted and never run.
const idle = "agents: {DataBot: [{steps: [{say: 'Yes.'}]}]}"

// Every pattern and every tool that contacts meets the same rules, whoever the
// caller works for.
func TestRulesHoldForEveryWayToContact(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules ruleset
		text  string
		rule  string
	}{
		{"deny", ruleset{deny: []string{"databot"}}, "CallerBot's contact rules deny it to contact DataBot.", "contacts deny DataBot"},
		{"can_invoke", ruleset{canInvoke: []string{"rutger"}}, "agent 'CallerBot' cannot invoke 'DataBot' (blocked by can_invoke policy)", "can_invoke"},
		{"locked", ruleset{profile: "locked"}, "CallerBot's profile has nothing that allows tool:agent_comm:send DataBot.", "profile locked"},
	} {
		for call, pattern := range map[string]string{
			`contact_agent, args: {action: ask, agentId: databot, message: 'Well?'}`:       "ask",
			`contact_agent, args: {action: delegate, agentId: databot, message: 'Well?'}`:  "delegate",
			`contact_agent, args: {action: notify, agentId: databot, message: 'Well?'}`:    "notify",
			`call_agent, args: {target: databot, task: 'Well?'}`:                           "ask",
			`send_to_agent, args: {target_agent: databot, message: 'Well?'}`:               "send",
			`request_from_agent, args: {target_agent: databot, task_description: 'Well?'}`: "ask",
		} {
			t.Run(c.name+" "+call[:18]+" "+pattern, func(t *testing.T) {
				Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Member: under(map[string]ruleset{"CallerBot": c.rules}), Script: fmt.Sprintf(`
agents:
  CallerBot: [{steps: [{call: %s}, {say: '{{result}}'}]}]
`, call)}, func(s *Stage) {
					s.Equal("read", "Error: "+c.text, s.As("rutger").Ask("CallerBot", "Go."))
					s.Equal("record", []string{"contact.refused by CallerBot to DataBot task-101 (" + pattern + ": " + c.text + " [rule: " + c.rule + "])"},
						s.Events(parley.EventRefused))
					s.Equal("tasks", 1, len(s.tasks()))
					s.Equal("shown to DataBot", 0, len(s.Models.Shown("DataBot")))
				})
			})
		}
	}
}

func TestARefusalSpendsNothingOfTheRate(t *testing.T) {
	Play(t, Team{Script: idle, Agents: []string{"CallerBot", "DataBot", "WriterBot"}, Member: func(m *app.Member) {
		under(map[string]ruleset{"CallerBot": {deny: []string{"DataBot"}}})(m)
		m.Limits.Rate, m.Limits.Burst = 1, 1
	}}, func(s *Stage) {
		for range 3 {
			s.As("CallerBot").Refused(parley.Notify, contact.Request{Target: "DataBot", Message: "Hello."})
		}
		s.As("CallerBot").Notify("WriterBot", "Hello.")
	})
}

// The hierarchy and people come before every rule, but not before the limits.
func TestManagerReportsAndPeopleMayAlwaysBeContacted(t *testing.T) {
	nobody := ruleset{canInvoke: []string{}, deny: []string{"*"}, profile: "locked", behavior: policy.Strict}
	below := nobody
	below.manager = "BossBot"
	Play(t, Team{Script: idle, Agents: []string{"BossBot", "InternBot", "OtherBot"}, Member: func(m *app.Member) {
		under(map[string]ruleset{"BossBot": nobody, "InternBot": below})(m)
		m.Limits.Rate, m.Limits.Burst = 2, 2
	}}, func(s *Stage) {
		s.As("InternBot").Notify("BossBot", "Done.")
		s.As("BossBot").Notify("InternBot", "Thanks.")
		s.As("InternBot").Notify("rutger", "Done.")
		s.As("rutger").Notify("InternBot", "Thanks.")
		s.As("InternBot").Refused(parley.Notify, contact.Request{Target: "OtherBot", Message: "Psst."})
		s.Equal("the limit", "Error: rate limit reached (2 messages per minute). Try again in 30 seconds.",
			s.As("InternBot").Refused(parley.Notify, contact.Request{Target: "BossBot", Message: "Once more."}))
	})
}

// A target acts under its own rules, never under those of whoever asked it.
func TestATargetHasItsOwnRights(t *testing.T) {
	Play(t, Team{Agents: []string{"FreeBot", "BoundBot", "DataBot"},
		Member: under(map[string]ruleset{"FreeBot": {profile: "open"}, "BoundBot": {canInvoke: []string{"FreeBot"}}}), Script: `
agents:
  FreeBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: BoundBot, message: 'Ask DataBot.'}}, {say: '{{result}}'}]}]
  BoundBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Well?'}}, {say: '{{result}}'}]}]
`}, func(s *Stage) {
		// Quoted, since it is BoundBot who says so now, and not the hub.
		s.Equal("read", "Response from BoundBot: > Error: agent 'BoundBot' cannot invoke 'DataBot' (blocked by can_invoke policy)",
			s.As("rutger").Ask("FreeBot", "Go."))
	})
}

func TestRulesHoldForEveryTool(t *testing.T) {
	for _, c := range []struct {
		tool, args string
		rules      ruleset
		want       string // of the result, after Error:
		record     string
	}{
		{"list_agents", "{}", ruleset{profile: "locked"}, "CallerBot's profile has nothing that allows tool:agent_comm:list.",
			"tool:agent_comm:list: CallerBot's profile has nothing that allows tool:agent_comm:list. [rule: profile locked]"},
		{"await_task", "{task_id: task-7}", ruleset{behavior: policy.Supervised}, "task-7 is not a subtask of task-101.", ""},
		{"message_status", "{message_id: msg-7}", ruleset{profile: "guarded"}, "msg-7 not found.", ""},
	} {
		t.Run(c.tool, func(t *testing.T) {
			o := newOutside()
			Play(t, Team{Agents: []string{"CallerBot"}, Tools: o.tools(), Member: func(m *app.Member) {
				under(map[string]ruleset{"CallerBot": c.rules})(m)
				m.Toolsets = []string{"contact", "outside"}
			}, Script: fmt.Sprintf(`
agents:
  CallerBot: [{steps: [{call: %s, args: %s}, {say: '{{result}}'}]}]
`, c.tool, c.args)}, func(s *Stage) {
				s.Equal("read", "Error: "+c.want, s.As("rutger").Ask("CallerBot", "Go."))
				var record []string
				if c.record != "" {
					record = []string{"tool.refused by CallerBot task-101 (" + c.record + ")"}
				}
				s.Equal("record", record, s.Events(parley.EventToolRefused))
				s.Equal("letters", 0, len(o.letters))
			})
		})
	}
}

// rejoin reads the team's files again, as a hub that starts does.
func (s *Stage) rejoin(change func(*app.Member)) {
	s.Helper()
	s.team.Member = change
	s.join()
}

func TestAContactThatWasMadeIsFoundAfterTheRulesChanged(t *testing.T) {
	Play(t, Team{Script: idle, Agents: []string{"CallerBot", "DataBot"}}, func(s *Stage) {
		r := contact.Request{Target: "DataBot", Message: "Hello.", Key: "once"}
		first, err := s.Contacts.Notify(s.Context(), s.As("CallerBot").Caller, r)
		s.Equal("error", nil, err)
		s.rejoin(under(map[string]ruleset{"CallerBot": {deny: []string{"DataBot"}}}))
		again, err := s.Contacts.Notify(s.Context(), s.As("CallerBot").Caller, r)
		s.Equal("error", nil, err)
		s.Equal("message", first.Message, again.Message)
		r.Key = "twice"
		s.As("CallerBot").Refused(parley.Notify, r)
	})
}

func TestARuleAboutSomebodyWhoJoinsLaterHolds(t *testing.T) {
	Play(t, Team{Script: idle, Agents: []string{"CallerBot"}, Member: under(map[string]ruleset{"CallerBot": {deny: []string{"LateBot"}}})}, func(s *Stage) {
		s.Equal("before", "Error: Agent 'LateBot' not found. Look at the list of agents to see who is there.",
			s.As("CallerBot").Refused(parley.Notify, contact.Request{Target: "LateBot", Message: "Hello."}))
		s.team.Agents = append(s.team.Agents, "LateBot")
		s.join()
		s.Equal("after", "Error: CallerBot's contact rules deny it to contact LateBot.",
			s.As("CallerBot").Refused(parley.Notify, contact.Request{Target: "LateBot", Message: "Hello."}))
	})
}

// An agent whose file can no longer be read has lost its rules, and with them its
// rights: otherwise breaking the file would lift the rules.
func TestAnAgentWhoseFileIsBrokenMayContactNobody(t *testing.T) {
	Play(t, Team{Script: idle, Agents: []string{"CallerBot", "DataBot"}}, func(s *Stage) {
		caller := s.As("CallerBot")
		_, err := s.Join(s.Context(), app.Roster{Team: parley.MainTeam, Partial: true, Members: []app.Member{
			{Name: "DataBot", Kind: parley.Native, Model: s.Models, Limits: parley.DefaultLimits()},
			{Name: "rutger", Kind: parley.Person, Limits: parley.DefaultLimits()},
		}})
		s.Equal("error", nil, err)
		for _, target := range []string{"DataBot", "rutger"} {
			s.Equal(target, "Error: This hub does not have the rules of CallerBot.",
				caller.Refused(parley.Notify, contact.Request{Target: target, Message: "Hello."}))
		}
	})
}

// A retry acts in the name of the original requester, whose rules apply; a person may
// retry everything.
func TestARetryIsAContactToo(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  DataBot: [{steps: [{fail: 'No figures.'}]}]
`}, func(s *Stage) {
		failed := s.As("CallerBot").Delegate("DataBot", "Figures?")
		s.Wait(failed)
		for range 19 {
			failed = s.As("CallerBot").Retry(failed)
			s.Wait(failed)
		}
		_, err := s.Contacts.Retry(s.Context(), s.As("CallerBot").Caller, failed)
		s.Equal("one more contact", "rate", parley.RuleOf(err))
		s.Equal("on record", 1, len(s.Events(parley.EventRefused)))
		s.Pass(time.Minute)
		s.rejoin(under(map[string]ruleset{"CallerBot": {deny: []string{"DataBot"}}}))
		_, err = s.Contacts.Retry(s.Context(), s.As("CallerBot").Caller, failed)
		s.Equal("refused", "Error: CallerBot's contact rules deny it to contact DataBot.", parley.ToolError(err))
		s.Equal("record", []string{"contact.refused by CallerBot to DataBot (retry: CallerBot's contact rules deny it to contact DataBot. [rule: contacts deny DataBot])"},
			s.Events(parley.EventRefused)[1:])
		s.Wait(s.As("rutger").Retry(failed))
	})
}
