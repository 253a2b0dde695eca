package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
)

// fanOut delegates n parts in one reply, and what was refused when the first result
// is there.
func fanOut(n, rest int) string {
	var b strings.Builder
	calls := func(from, to int) {
		b.WriteString("        - calls:\n")
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "            - {tool: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Part %d.'}}\n", i)
		}
		b.WriteString("        - say: '{{result}}'\n")
	}
	b.WriteString("agents:\n  LeadBot:\n    - match: 'Fan out'\n      steps:\n")
	calls(1, n)
	fmt.Fprintf(&b, "    - match: '^\\[Delegation Result'\n      seen: %d\n      steps: [{say: 'Noted.'}]\n", n-rest+1)
	fmt.Fprintf(&b, "    - match: '^\\[Delegation Result'\n      seen: %d\n      steps:\n", n-rest)
	calls(n-rest+1, n)
	b.WriteString("    - steps: [{say: 'Noted.'}]\n  DataBot: [{steps: [{wait: 2m, say: 'Done.'}]}]\n")
	return b.String()
}

// A fan-out that the rate cuts short goes on: what was accepted is worked on, the
// model reads what was refused and why, and delegates it later.
func TestAFanOutPastTheRateIsNotStopped(t *testing.T) {
	Play(t, Team{Agents: []string{"LeadBot", "DataBot"}, Script: fanOut(16, 7),
		Member: limits(func(l *parley.Limits) { l.Rate, l.Burst, l.Turns = 9, 9, 20 })}, func(s *Stage) {
		id := s.As("rutger").Delegate("LeadBot", "Fan out.")
		s.Pass(time.Minute)
		results := s.Results(id)
		for i, r := range results[:9] {
			s.Equal("accepted", parley.DelegatedText("DataBot", parley.TaskID(102+i)), r)
		}
		const refused = "Error: rate limit reached (9 messages per minute). Try again in 7 seconds."
		for _, r := range results[9:] {
			s.Equal("refused", refused, r)
		}
		shown := s.Models.Shown("LeadBot")
		s.Equal("the model read why", 2, len(shown))
		s.Equal("the task waits", parley.Waiting, s.Task(id).State)
		s.Wait(id)
		s.Equal("state", parley.Completed, s.Task(id).State)
		s.Equal("all parts", 16, len(s.Children(id)))
		for _, part := range s.Children(id) {
			s.Equal("nothing was cancelled", parley.Completed, part.State)
		}
	})
}

// Refusals by the rate say nothing about the calls, so however often a model tries,
// they count once. Several failures in one reply do too: the model reads them
// together.
func TestRefusalsByRateAndFailuresOfOneReplyCountOnce(t *testing.T) {
	notify := "{tool: contact_agent, args: {action: notify, agentId: DataBot, message: 'News.'}}"
	bad := "{tool: contact_agent, args: {action: shout, agentId: DataBot, message: 'x'}}"
	reply := func(calls ...string) string { return "        - calls: [" + strings.Join(calls, ", ") + "]\n" }
	for name, c := range map[string]struct {
		replies string
		error   string
	}{
		"refused in six replies":        {strings.Repeat(reply(notify, notify), 6), ""},
		"six failures in a reply":       {reply(bad, bad, bad, bad, bad, bad), ""},
		"four replies of failures":      {strings.Repeat(reply(bad, bad), 4), ""},
		"five replies of failures":      {strings.Repeat(reply(bad, bad), 5), "five tool calls in a row failed."},
		"refused and then four replies": {reply(notify, notify) + reply(notify) + strings.Repeat(reply(bad), 4), "five tool calls in a row failed."},
		"failed beside a refusal":       {reply(notify, notify) + strings.Repeat(reply(notify, bad), 4), "five tool calls in a row failed."},
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, Team{Agents: []string{"StubbornBot", "DataBot"}, Script: "agents:\n  StubbornBot:\n    - steps:\n" + c.replies + "        - say: 'Done.'\n",
				Member: limits(func(l *parley.Limits) { l.Rate, l.Burst = 1, 1 })}, func(s *Stage) {
				id := s.As("rutger").Delegate("StubbornBot", "Go.")
				s.Equal("error", c.error, s.Wait(id).Error)
			})
		})
	}
}
