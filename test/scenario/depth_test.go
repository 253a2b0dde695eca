package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// passOn makes a team of n agents, a1 to an, of which each hands on to the
// next, the last to the first.
func passOn(n int, action string) Team {
	var b strings.Builder
	var team Team
	b.WriteString("agents:\n")
	for i := 1; i <= n; i++ {
		team.Agents = append(team.Agents, fmt.Sprintf("a%d", i))
		fmt.Fprintf(&b, `
  a%d:
    - match: '^\[Delegation (Result|Failed)'
      steps: [{say: '{{body}}'}]
    - steps:
        - {call: contact_agent, args: {action: %s, agentId: a%d, message: 'Go on.'}}
        - say: '{{result}}'
`, i, action, i%n+1)
	}
	team.Script = b.String()
	return team
}

func TestAskDepth(t *testing.T) {
	Play(t, passOn(5, "ask"), func(s *Stage) {
		s.As("rutger").Ask("a1", "Go on.")
		s.Equal("tree: A asks B asks C asks D", "task-101 a1 completed\n  task-102 a2 completed\n    task-103 a3 completed\n      task-104 a4 completed\n", s.Tree(101))
		s.Equal("D's own ask", []string{
			"Error: Maximum agent communication depth (3) reached. Use 'delegate' for async to avoid nesting.",
		}, s.Results(104))
		s.Equal("record", []string{
			"contact.refused by a4 to a5 task-104 (ask: Maximum agent communication depth (3) reached. Use 'delegate' for async to avoid nesting. [rule: ask_depth])",
		}, s.Events(parley.EventRefused))
	})
}

func TestDelegationDepth(t *testing.T) {
	Play(t, passOn(13, "delegate"), func(s *Stage) {
		root := s.As("rutger").Delegate("a1", "Go on.")
		s.Wait(root)
		all := s.tasks()
		s.Equal("tasks", 11, len(all))
		s.Equal("depth of the last", 10, all[10].DelegationDepth)
		const tooDeep = "Error: Maximum delegation depth (10) reached. The chain is rutger → a1 → a2 → a3 → a4 → a5 → a6 → a7 → a8 → a9 → a10 → a11 → a12."
		s.Equal("the last reads", []string{tooDeep}, s.Results(all[10].ID))
		s.Equal("and it comes back to the first", tooDeep, s.Result(root))
	})
}

func TestADelegationRestartsAskDepth(t *testing.T) {
	Play(t, Team{Agents: []string{"a1", "a2", "a3", "a4", "a5", "a6"}, Script: `
agents:
  a4:
    - match: '^\[Delegation Result'
      steps: [{say: '{{body}}'}]
    - steps:
        - {call: contact_agent, args: {action: delegate, agentId: a5, message: 'Go on.'}}
        - say: 'Handed over.'
  a6:
    - steps: [{say: 'Here.'}]
  a1: [{steps: [{call: contact_agent, args: {action: ask, agentId: a2, message: 'Go on.'}}, {say: '{{result}}'}]}]
  a2: [{steps: [{call: contact_agent, args: {action: ask, agentId: a3, message: 'Go on.'}}, {say: '{{result}}'}]}]
  a3: [{steps: [{call: contact_agent, args: {action: ask, agentId: a4, message: 'Go on.'}}, {say: '{{result}}'}]}]
  a5: [{steps: [{call: contact_agent, args: {action: ask, agentId: a6, message: 'Go on.'}}, {say: '{{result}}'}]}]
`}, func(s *Stage) {
		s.Equal("answer", "Response from a2: > Response from a3: > Response from a4: > Response from a6: Here.", s.As("rutger").Ask("a1", "Go on."))
		var depths [][2]int
		for _, t := range s.tasks() {
			depths = append(depths, [2]int{t.AskDepth, t.DelegationDepth})
		}
		s.Equal("ask and delegation depths", [][2]int{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}}, depths)
	})
}

func TestAPersonsContactDoesNotCountForDepth(t *testing.T) {
	Play(t, passOn(4, "ask"), func(s *Stage) {
		s.As("rutger").Ask("a1", "Go on.")
		s.Equal("depth of a person's ask", 0, s.Task(101).AskDepth)
		s.Equal("tasks", 4, len(s.tasks()))
	})
}

func TestDepthLimitsCanBeSet(t *testing.T) {
	team := passOn(3, "ask")
	team.Member = limits(func(l *parley.Limits) { l.AskDepth = 1 })
	Play(t, team, func(s *Stage) {
		s.Equal("answer", "Response from a2: Error: Maximum agent communication depth (1) reached. Use 'delegate' for async to avoid nesting.",
			s.As("rutger").Ask("a1", "Go on."))
	})
}

// pingPong: alice asks bob, bob asks alice back.
const pingPong = `
agents:
  alice:
    - match: 'from rutger'
      steps: [{call: contact_agent, args: {action: ask, agentId: bob, message: 'What do you think?'}}, {say: '{{result}}'}]
    - steps: [{say: 'I think so.'}]
  bob:
    - steps: [{call: contact_agent, args: {action: ask, agentId: alice, message: 'And you?'}}, {say: '{{result}}'}]
`

func TestAskingBackIsAllowedForTheAskerRunsASecondTurn(t *testing.T) {
	Play(t, Team{Agents: []string{"alice", "bob"}, Script: pingPong}, func(s *Stage) {
		s.Equal("answer", "Response from bob: > Response from alice: I think so.", s.As("rutger").Ask("alice", "Ask him."))
	})
}

func TestAskingBackAOneTurnAgentIsRefusedWithTheCycleNamed(t *testing.T) {
	Play(t, Team{Agents: []string{"alice", "bob"}, Script: pingPong, Member: turns(1)}, func(s *Stage) {
		began := time.Now()
		s.Equal("answer", "Response from bob: Error: alice is waiting on this chain and can run only one turn at a time: "+
			"alice → bob → alice. Answer with what you know, or use 'delegate'.", s.As("rutger").Ask("alice", "Ask him."))
		s.Equal("at once", time.Duration(0), time.Since(began))
	})
}

func TestALongerCycleIsNamedWhole(t *testing.T) {
	team := passOn(3, "ask")
	team.Member = turns(1)
	Play(t, team, func(s *Stage) {
		began := time.Now()
		answer := s.As("rutger").Ask("a1", "Go on.")
		if !strings.Contains(answer, "a1 → a2 → a3 → a1") {
			t.Errorf("the cycle is not named: %s", answer)
		}
		s.Equal("at once", time.Duration(0), time.Since(began))
	})
}

// throughDelegation: alice asks bob, bob delegates to carol and waits for her,
// carol asks alice.
const throughDelegation = `
agents:
  alice:
    - match: 'from rutger'
      steps: [{call: contact_agent, args: {action: ask, agentId: bob, message: 'What do you think?'}}, {say: '{{result}}'}]
    - steps: [{say: 'I think so.'}]
  bob:
    - match: '^\[Delegation Result'
      steps: [{say: '{{body}}'}]
    - steps: [{call: contact_agent, args: {action: delegate, agentId: carol, message: 'Find out.'}}, {say: 'Wait.'}]
  carol:
    - steps: [{call: contact_agent, args: {action: ask, agentId: alice, message: 'And you?'}}, {say: '{{result}}'}]
`

func TestACycleThroughADelegationIsRefusedToo(t *testing.T) {
	Play(t, Team{Agents: []string{"alice", "bob", "carol"}, Script: throughDelegation, Member: turns(1)}, func(s *Stage) {
		began := time.Now()
		s.Equal("answer", "Response from bob: Error: alice is waiting on this chain and can run only one turn at a time: "+
			"alice → bob → carol → alice. Answer with what you know, or use 'delegate'.", s.As("rutger").Ask("alice", "Ask him."))
		s.Equal("at once", time.Duration(0), time.Since(began))
	})
}

func TestAskingAOneTurnAgentThatOnlyDelegatedIsAllowed(t *testing.T) {
	Play(t, Team{Agents: []string{"alice", "bob"}, Member: turns(1), Script: `
agents:
  alice:
    - match: 'from rutger'
      steps: [{call: contact_agent, args: {action: delegate, agentId: bob, message: 'Find out.'}}, {say: 'Wait.'}]
    - match: '^\[Delegation Result'
      steps: [{say: '{{body}}'}]
    - steps: [{say: 'I think so.'}]
  bob:
    - steps: [{call: contact_agent, args: {action: ask, agentId: alice, message: 'And you?'}}, {say: '{{result}}'}]
`}, func(s *Stage) {
		s.Equal("answer", "> Response from alice: I think so.", s.As("rutger").Ask("alice", "Delegate."))
	})
}

func TestOnlyTheOneTurnAgentsOfACycleMatter(t *testing.T) {
	// alice can run several turns, so asking her back is no deadlock.
	Play(t, Team{Agents: []string{"alice", "bob"}, Script: pingPong, Member: func(m *app.Member) {
		if m.Name == "bob" {
			m.Limits.Turns = 1
		}
	}}, func(s *Stage) {
		s.Equal("answer", "Response from bob: > Response from alice: I think so.", s.As("rutger").Ask("alice", "Ask him."))
	})
}
