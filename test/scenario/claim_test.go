package scenario

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/claim"
	"parley/internal/store"
)

// claimed is what is claimed, a line for each.
func (s *Stage) claimed() (lines []string) {
	s.Helper()
	list, err := s.Claims.List(s.Context(), s.As("rutger").Caller)
	s.Equal("error", nil, err)
	for _, h := range list {
		lines = append(lines, h.Holder+": "+h.Region()+" for "+h.Left.String())
	}
	return lines
}

// AnnBot holds lines of a file for six minutes, and renews them after four.
const claiming = `
agents:
  AnnBot:
    - steps:
        - {call: peer_claim_region, args: {path: ./src//auth.go, from_line: 10, to_line: 20}}
        - {wait: 4m, call: peer_claim_region, args: {path: src/auth.go, from_line: 10, to_line: 20}}
        - {wait: 2m, say: 'Done.'}
  BobBot:
    - match: 'whole'
      steps: [{call: peer_claim_region, args: {path: src/auth.go}}, {say: '{{result}}'}]
    - match: 'overlap'
      steps: [{call: peer_claim_region, args: {path: ./src//auth.go, from_line: 20, to_line: 25}}, {say: '{{result}}'}]
    - match: 'beside'
      steps: [{call: peer_claim_region, args: {path: src/auth.go, from_line: 21}}, {say: '{{result}}'}]
    - match: 'release'
      steps: [{call: peer_claim_region, args: {path: ./src//auth.go, release: true}}, {say: '{{result}}'}]
    - match: 'outside'
      steps: [{call: peer_claim_region, args: {path: ../secret}}, {say: '{{result}}'}]
    - match: 'backwards'
      steps: [{call: peer_claim_region, args: {path: a.go, from_line: 9, to_line: 3}}, {say: '{{result}}'}]
    - match: 'words'
      steps: [{call: peer_claim_region, args: {path: a.go, from_line: ten}}, {say: '{{result}}'}]
`

// A conflict names the holder, its lines and the time left, and changes nothing;
// what ends, by its time or with its task, is free.
func TestClaimsOverwrittenBeforeTheConflictIsNoticed(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BobBot"}, Member: loom, Script: claiming}, func(s *Stage) {
		bob := func(what string) string { return s.As("rutger").Ask("BobBot", what) }
		ann := s.As("rutger").Delegate("AnnBot", "Work.")
		s.Pass(time.Minute)
		held := []string{"AnnBot: lines 10-20 of src/auth.go for 4m0s"}
		s.Equal("claims", held, s.claimed())
		const conflict = "AnnBot (task-101) holds lines 10-20 for another 4m0s. Nothing was changed."
		s.Equal("whole", "Not claimed: src/auth.go is held by others. "+conflict, bob("whole"))
		s.Equal("overlap", "Not claimed: lines 20-25 of src/auth.go are held by others. "+conflict, bob("overlap"))
		s.Equal("release", "You hold no claim on src/auth.go.", bob("release"))
		s.Equal("unchanged", held, s.claimed())
		s.Equal("beside", "Claimed lines 21 to the end of src/auth.go for 5m0s. Told AnnBot.", bob("beside"))
		s.Equal("free with its task", held, s.claimed())
		s.Pass(4 * time.Minute)
		s.Equal("renewed", []string{"AnnBot: lines 10-20 of src/auth.go for 4m0s"}, s.claimed())
		s.Equal("results", []string{"Claimed lines 10-20 of src/auth.go for 5m0s.", "Renewed the claim on lines 10-20 of src/auth.go for 5m0s."}, s.Results(ann))
		s.Wait(ann)
		s.Equal("free", 0, len(s.claimed()))
		s.Equal("whole", "Claimed src/auth.go for 5m0s.", bob("whole"))
		s.Equal("record", []string{
			"claim.taken by AnnBot task-101 (lines 10-20 of src/auth.go)",
			"claim.taken by BobBot task-105 (lines 21 to the end of src/auth.go)",
			"claim.taken by BobBot task-106 (src/auth.go)",
		}, s.Events(parley.EventClaimed, parley.EventReleased))
	})
}

// Who works on a file hears between two steps that somebody else claims or releases a
// part of it, once each; renewing is no news.
func TestAClaimIsNewsForWhoWorksThere(t *testing.T) {
	script := `
agents:
  AnnBot: [{steps: [{call: peer_intent, args: {intent: I rewrite it., path: src/auth.go}}, {wait: 4m, call: list_agents}, {say: Done.}]}]
  BobBot:
    - steps:
        - {call: peer_claim_region, args: {path: src/auth.go, from_line: 10, to_line: 20}}
        - {call: peer_claim_region, args: {path: src/auth.go, from_line: 10, to_line: 20}}
        - {call: peer_claim_region, args: {path: src/auth.go, release: true}}
        - {say: Done.}
  CatBot: [{steps: [{say: Idle.}]}]
`
	Play(t, Team{Agents: []string{"AnnBot", "BobBot", "CatBot"}, Member: loom, Script: script}, func(s *Stage) {
		ann := s.As("rutger").Delegate("AnnBot", "Work.")
		s.Pass(time.Second)
		bob := s.As("rutger").Delegate("BobBot", "Work.")
		s.Pass(time.Second)
		s.Equal("results", []string{"Claimed lines 10-20 of src/auth.go for 5m0s. Told AnnBot.", "Renewed the claim on lines 10-20 of src/auth.go for 5m0s.",
			"Released lines 10-20 of src/auth.go. Told AnnBot."}, s.Results(bob))
		s.Wait(ann)
		s.Equal("news", []Said{
			{"BobBot", parley.NotificationMessage, "[Agent Notification from BobBot]\n\nClaimed: lines 10-20 of src/auth.go for 5m0s."},
			{"BobBot", parley.NotificationMessage, "[Agent Notification from BobBot]\n\nReleased: lines 10-20 of src/auth.go."},
		}, s.DM("AnnBot", "BobBot"))
		s.Equal("shown between its steps", 2, strings.Count(strings.Join(s.Saw("AnnBot", -1), "\n"), "[Agent Notification from BobBot]"))
		s.Equal("nobody else", 0, len(s.Inboxes("CatBot")))
	})
}

func TestClaimsThatMakeNoSense(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BobBot"}, Member: loom, Script: claiming}, func(s *Stage) {
		for what, want := range map[string]string{
			"outside":   `Error: "../secret" is outside the workspace. Name the file relative to the workspace.`,
			"backwards": "Error: Line 9 comes after line 3. from_line is the first, to_line the last.",
			"words":     "Error: The arguments do not fit the tool: from_line cannot be a string. Send a whole number.",
		} {
			s.Equal(what, want, s.As("rutger").Ask("BobBot", what))
		}
		s.Equal("claims", 0, len(s.claimed()))
	})
}

// From outside: a claim without a task runs out by its time, and whoever does not
// work on a task cannot claim for it.
func TestClaimsFromOutside(t *testing.T) {
	team := Team{Agents: []string{"AnnBot", "BobBot", "ClientBot"}, Script: claiming, Member: func(m *app.Member) {
		loom(m)
		if m.Name == "ClientBot" {
			m.Kind, m.Model = parley.Client, nil
		}
	}}
	Play(t, team, func(s *Stage) {
		task := s.As("rutger").Delegate("AnnBot", "Work.")
		s.Pass(time.Second)
		c := s.As("ClientBot").Caller
		c.Task = task
		_, err := s.Claims.Take(s.Context(), c, "a.go", parley.Lines{})
		s.Equal("another's task", "Error: task-101 is not your task.", parley.ToolError(err))
		c.Task = 0
		taken, err := s.Claims.Take(s.Context(), c, "a.go", parley.Lines{From: 3, To: 9})
		s.Equal("error", nil, err)
		s.Equal("left", claim.Duration, taken.Left)
		taken, err = s.Claims.Take(s.Context(), c, "a.go", parley.Lines{})
		s.Equal("error", nil, err)
		s.Equal("its own lines are no conflict", 0, len(taken.Conflicts))
		given, err := s.Claims.Release(s.Context(), c, "a.go", parley.Lines{From: 1, To: 1})
		s.Equal("error", nil, err)
		s.Equal("one claim in place of two", 1, len(given))
		_, err = s.Claims.Take(s.Context(), c, "a.go", parley.Lines{})
		s.Equal("error", nil, err)
		s.Pass(claim.Duration)
		s.Wait(task)
		s.Equal("over", 0, len(s.claimed()))
	})
}

// A turn that has lost its task can no longer claim anything.
func TestALostTurnClaimsNothing(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BobBot"}, Member: loom, Script: claiming}, func(s *Stage) {
		id := s.As("rutger").Delegate("AnnBot", "Work.")
		s.Pass(time.Second)
		t := s.Task(id)
		c := access.Caller{Team: t.Team, Agent: t.Agent, Task: t.ID, Token: t.Token + 1}
		_, err := s.Claims.Take(s.Context(), c, "b.go", parley.Lines{})
		s.Equal("lost", true, errors.Is(err, parley.ErrLost))
		s.As("rutger").Cancel(id)
		s.Equal("free", 0, len(s.claimed()))
	})
}

// Two hubs, many claimers: whoever is told that it has the lines is the only one.
func TestPostgresNoClaimIsHeldByTwo(t *testing.T) {
	playPostgres(t, Team{Agents: []string{"AnnBot", "BobBot"}, People: []string{"rutger", "ann", "bob", "carol"}, Script: idle}, func(s *Stage) {
		for range 10 {
			var wg sync.WaitGroup
			var won [3]bool
			for i, name := range []string{"ann", "bob", "carol"} {
				c := s.As(name).Caller
				wg.Go(func() {
					taken, err := s.Claims.Take(s.Context(), c, "a.go", parley.Lines{From: 1 + i, To: 10 + i})
					won[i] = err == nil && len(taken.Conflicts) == 0
				})
			}
			wg.Wait()
			winners := 0
			for i, name := range []string{"ann", "bob", "carol"} {
				if won[i] {
					winners++
					_, err := s.Claims.Release(s.Context(), s.As(name).Caller, "a.go", parley.Lines{})
					s.Equal("error", nil, err)
				}
			}
			s.Equal("winners", 1, winners)
			s.view(func(tx *store.Tx) error {
				list, err := tx.Claims(s.id)
				s.Equal("left over", 0, len(list))
				return err
			})
		}
	})
}
