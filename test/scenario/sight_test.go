package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

func TestTheTargetSeesItsOwnConversationAndNothingElse(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "TargetBot", "OtherBot"}, People: []string{"rutger", "louise"}, Script: `
agents:
  CallerBot:
    - match: 'other secret'
      steps: [{call: contact_agent, args: {action: ask, agentId: OtherBot, message: 'A secret between us two.'}}, {say: 'Kept.'}]
    - match: 'payroll'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: OtherBot, message: 'A step on the way.'}}
        - {say: 'Thinking of the payroll.', call: contact_agent, args: {action: ask, agentId: TargetBot, message: 'How many are we?'}}
        - say: '{{result}}'
  TargetBot:
    - steps: [{say: 'Twelve.'}]
  OtherBot:
    - steps: [{say: 'I know of the secret.'}]
`, Member: func(m *app.Member) { m.Instructions = "Private instructions of " + m.Name + "." }}, func(s *Stage) {
		s.As("louise").Ask("CallerBot", "Here is the other secret.")
		s.As("rutger").Ask("CallerBot", "The payroll, please. It is confidential.")
		shown := s.Models.Shown("TargetBot")
		s.Equal("steps", 1, len(shown))
		s.Equal("messages", []string{"user: [Agent Request from CallerBot | Pattern: ask]\n\nHow many are we?"}, s.Saw("TargetBot", 1))
		s.Equal("system", "You are TargetBot.\n\nPrivate instructions of TargetBot.\n\n"+
			"This is your direct conversation with CallerBot.\nYou work on task-105.\n", shown[0].System)
		for _, secret := range []string{"payroll", "secret", "confidential", "rutger", "louise", "OtherBot", "A step on the way", "Private instructions of CallerBot"} {
			if seen := fmt.Sprint(shown); strings.Contains(seen, secret) {
				t.Errorf("the target sees %q", secret)
			}
		}
	})
}

func TestTwentyMessagesOfHistoryAreShownAndNotMore(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot:
    - match: 'Number (\d+)'
      steps: [{say: 'Heard {{match 1}}.'}]
`}, func(s *Stage) {
		for n := range 15 {
			s.As("rutger").Ask("DataBot", fmt.Sprintf("Number %d", n))
		}
		saw := s.Saw("DataBot", -1)
		s.Equal("messages", 21, len(saw))
		s.Equal("oldest", "user: [Agent Request from rutger | Pattern: ask]\n\nNumber 4", saw[0])
		s.Equal("the one before the request", "assistant: Heard 13.", saw[19])
		s.Equal("the request", "user: [Agent Request from rutger | Pattern: ask]\n\nNumber 14", saw[20])
	})
}

// askedOften has CallerBot ask DataBot often, and then DataBot ask back.
const askedOften = `
agents:
  CallerBot:
    - match: 'Ask|Delegate'
      steps: [{call: contact_agent, args: {action: '{{capture "ask|delegate" body}}', agentId: DataBot, message: 'Figures, please.'}}, {say: 'Thanks.'}]
    - match: 'from DataBot'
      steps: [{say: 'Yes.'}]
  DataBot:
    - match: 'Figures'
      steps: [{say: 'Here they are.'}]
    - match: 'Tell her'
      steps: [{call: contact_agent, args: {action: notify, agentId: CallerBot, message: '{{capture "news .*" body}}'}}, {say: 'Told.'}]
    - match: 'Ask back'
      steps: [{call: contact_agent, args: {action: ask, agentId: CallerBot, message: 'Are you content?'}}, {say: '{{result}}'}]
`

func TestAnswersThatWereHadBeforeAreNotShownBeyondTheTwenty(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: askedOften,
		Member: limits(func(l *parley.Limits) { l.Rate = 100 })}, func(s *Stage) {
		for range 10 {
			s.Wait(s.As("rutger").Delegate("CallerBot", "Ask: ask."))
			s.Wait(s.As("rutger").Delegate("CallerBot", "Delegate: delegate."))
		}
		s.As("rutger").Ask("DataBot", "Ask back.")
		s.Equal("messages", 21, len(s.Saw("CallerBot", -1)))
	})
}

func TestUnseenNotificationsAreAddedBeyondTheTwenty(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: askedOften,
		Member: func(m *app.Member) { m.Limits.Rate, m.Isolated = 100, true }}, func(s *Stage) {
		s.As("rutger").Ask("DataBot", "Tell her news 1.")
		for range 12 {
			s.Wait(s.As("rutger").Delegate("CallerBot", "Ask: ask."))
		}
		s.As("rutger").Ask("DataBot", "Tell her news 2.")
		s.As("rutger").Ask("DataBot", "Ask back.")
		saw := s.Saw("CallerBot", -1)
		s.Equal("messages", 22, len(saw))
		s.Equal("the one beyond", 1, count(saw, "user: [Agent Notification from DataBot]\n\nnews 1."))
		s.Equal("the one within", 1, count(saw, "user: [Agent Notification from DataBot]\n\nnews 2."))
		s.Equal("request", "user: [Agent Request from DataBot | Pattern: ask]\n\nAre you content?", saw[21])

		s.As("rutger").Ask("DataBot", "Ask back.")
		s.Equal("seen once is enough", 0, count(s.Saw("CallerBot", -1), "user: [Agent Notification from DataBot]\n\nnews 1."))
	})
}

func count(list []string, want string) (n int) {
	for _, v := range list {
		if v == want {
			n++
		}
	}
	return n
}

func TestNoNotificationIsLostHoweverManyThereAre(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot: [{steps: [{say: 'Read.'}]}]
`}, func(s *Stage) {
		const n = 450
		for i := range n {
			s.As("rutger").Notify("DataBot", fmt.Sprintf("News %d.", i))
		}
		seen := map[string]int{}
		for range 4 {
			s.As("rutger").Ask("DataBot", "Have you read them?")
			for _, m := range s.Saw("DataBot", -1) {
				if strings.HasPrefix(m, "user: [Agent Notification") {
					seen[m]++
				}
			}
		}
		s.Equal("notifications seen", n, len(seen))
		for i := range n {
			if seen[fmt.Sprintf("user: [Agent Notification from rutger]\n\nNews %d.", i)] == 0 {
				t.Fatalf("news %d was never in the model's context", i)
			}
		}
	})
}

func TestNotificationsAreReadInTheOrderOfTheirComing(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot: [{steps: [{say: 'Read.'}]}]
`}, func(s *Stage) {
		for i := range 30 {
			s.As("rutger").Notify("DataBot", fmt.Sprintf("News %d.", i))
		}
		s.As("rutger").Ask("DataBot", "Have you read them?")
		var order []string
		for _, m := range s.Saw("DataBot", -1) {
			if _, news, ok := strings.Cut(m, "\n\nNews "); ok {
				order = append(order, news)
			}
		}
		var want []string
		for i := range 30 {
			want = append(want, fmt.Sprintf("%d.", i))
		}
		s.Equal("order", want, order)
	})
}

func TestANotificationDuringATurnIsSeenAtTheNextTurnOfTheTask(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Work.'}}, {wait: 1m, say: 'Begun.'}]
    - steps: [{say: '{{conversation}}'}]
  DataBot:
    - steps: [{wait: 10m, say: 'Done.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(30 * time.Second)
		note := s.As("rutger").Notify("CoordinatorBot", "By the way.")
		s.Pass(time.Minute)
		s.Equal("not yet", "accepted", s.Delivery(note, "CoordinatorBot"))
		s.Wait(root)
		s.Equal("seen", "seen", s.Delivery(note, "CoordinatorBot"))
		s.Equal("once", 1, count(s.Saw("CoordinatorBot", -1), "user: [Agent Notification from rutger]\n\nBy the way."))
	})
}

func TestDeliveryRecords(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot:
    - steps: [{say: 'Answered.'}]
`, Member: turns(1)}, func(s *Stage) {
		gate := s.Models.Hold("DataBot")
		first := s.As("rutger").Delegate("DataBot", "One.")
		second := s.As("rutger").Delegate("DataBot", "Two.")
		gate.Arrived()
		s.Pass(time.Second)
		s.Equal("in a stored model request: seen", "seen", s.Delivery(s.Task(first).Request, "DataBot"))
		s.Equal("queued: accepted", "accepted", s.Delivery(s.Task(second).Request, "DataBot"))
		gate.Open()
		s.Wait(second)
		s.Equal("ended: answered", "answered", s.Delivery(s.Task(first).Request, "DataBot"))
		s.Equal("ended: answered", "answered", s.Delivery(s.Task(second).Request, "DataBot"))
		reply := s.Task(first).Result
		s.Equal("the reply, not displayed yet", "accepted", s.Delivery(reply, "rutger"))
	})
}

func TestEveryRequestIsSeenOnceItsTurnHasBegun(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot:
    - steps: [{fail: 'No.'}]
`, Member: turns(1)}, func(s *Stage) {
		s.As("rutger").Sleep("DataBot", time.Minute)
		var ids []parley.TaskID
		for range 3 { // all are stored before the first turn begins
			ids = append(ids, s.As("rutger").Delegate("DataBot", "Go."))
		}
		s.Pass(time.Hour)
		for _, id := range ids {
			s.Equal("a failed task's request is seen, not answered", "seen", s.Delivery(s.Task(id).Request, "DataBot"))
		}
	})
}

func TestARequestHandedOverIsDeliveredBeforeItIsSeen(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot: [{steps: [{say: 'Answered.'}]}]
`}, func(s *Stage) {
		id := s.As("rutger").Delegate("DataBot", "One.")
		s.Wait(id)
		s.Equal("record", []string{"task.opened by rutger to DataBot task-101 (delegate)", "task.completed by DataBot to rutger task-101"},
			s.Events(parley.EventTask, parley.EventCompleted))
		d := s.Deliveries(s.Task(id).Request)
		s.Equal("records", 1, len(d))
		if d[0].Delivered == 0 || d[0].Seen < d[0].Delivered || d[0].Answered < d[0].Seen {
			t.Errorf("delivered %d, seen %d, answered %d", d[0].Delivered, d[0].Seen, d[0].Answered)
		}
	})
}

func TestWhoSentOrGotAMessageCanAskWhatBecameOfIt(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot:
    - match: 'Tell'
      steps: [{call: contact_agent, args: {action: notify, agentId: DataBot, message: 'News.'}}, {say: 'Told.'}]
    - match: 'What became of (\S+)\?'
      steps: [{call: message_status, args: {message_id: '{{match 1}}'}}, {say: '{{result}}'}]
  DataBot: [{steps: [{say: 'Yes.'}]}]
`}, func(s *Stage) {
		s.As("rutger").Ask("CallerBot", "Tell him.")
		var note parley.MessageID
		for _, e := range s.record() {
			if e.Kind == parley.EventMessage {
				note = e.Message
			}
		}
		s.Equal("status", "DataBot: accepted, unread since 2000-01-01T00:00:00Z", s.As("rutger").Ask("CallerBot", "What became of "+note.String()+"?"))
		s.Equal("to it", "CallerBot: answered", s.As("rutger").Ask("CallerBot", "What became of msg-1?"))
		others := s.Task(s.As("rutger").Delegate("DataBot", "Between us.")).Request.String()
		s.Equal("between others", "Error: "+others+" not found.", s.As("rutger").Ask("CallerBot", "What became of "+others+"?"))
		s.Equal("no message", "Error: msg-999 not found.", s.As("rutger").Ask("CallerBot", "What became of msg-999?"))
	})
}

func TestListAgentsNamesAllButOneself(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot", "SleepyBot"}, Script: `
agents:
  CallerBot: [{steps: [{call: list_agents, args: {}}, {say: '{{result}}'}]}]
`, Member: func(m *app.Member) {
		if m.Name == "DataBot" {
			m.Description = "Knows the figures."
		}
	}}, func(s *Stage) {
		s.As("rutger").Sleep("SleepyBot", time.Hour)
		s.Equal("list", "DataBot (native, idle): Knows the figures.\nrutger (person, idle)\nSleepyBot (native, sleeping until 2000-01-01T01:00:00Z)", s.As("rutger").Ask("CallerBot", "Who is there?"))
	})
}

func TestThreadsIsolate(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot:
    - match: 'Call (\w+) (\S+): (.*)'
      steps:
        - {call: call_agent, args: {target: DataBot, task: '{{match 3}}', thread_mode: '{{match 1}}', thread_id: '{{capture "thread-[0-9]+|latest" (match 2)}}'}}
        - say: '{{result}}'
    - match: 'Call: (.*)'
      steps:
        - {call: call_agent, args: {target: DataBot, task: '{{match 1}}', context: {files: [a.go, b.go], facts: {answer: 42}}}}
        - say: '{{result}}'
    - match: 'Main: (.*)'
      steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: '{{match 1}}'}}, {say: '{{result}}'}]
  DataBot:
    - match: '\n\n(?P<what>[^\n]*)$'
      steps: [{say: 'Re: {{match "what"}}'}]
`, Member: func(m *app.Member) { m.Toolsets = []string{"contact", "peers"} }}, func(s *Stage) {
		ask := func(text string) string { return s.As("rutger").Ask("CallerBot", text) }
		first := ask("Call: one")
		s.Equal("context reaches the target", []string{
			"user: [Agent Request from CallerBot | Pattern: ask]\n\nContext: {\"files\":[\"a.go\",\"b.go\"],\"facts\":{\"answer\":42}}\n\none",
		}, s.Saw("DataBot", -1))
		id, _ := parley.ParseThreadID(strings.TrimSuffix(first[strings.LastIndex(first, "thread-"):], ")"))
		s.Equal("answer", "Response from DataBot: Re: one\n\n("+id.String()+")", first)

		ask("Main: two")
		s.Equal("the main thread knows nothing of the other", []string{"user: [Agent Request from CallerBot | Pattern: ask]\n\ntwo"}, s.Saw("DataBot", -1))
		ask("Call: three")
		s.Equal("a new thread knows nothing of the others", 1, len(s.Saw("DataBot", -1)))
		ask("Call reuse " + id.String() + ": four")
		s.Equal("a given thread goes on", []string{
			"user: [Agent Request from CallerBot | Pattern: ask]\n\nContext: {\"files\":[\"a.go\",\"b.go\"],\"facts\":{\"answer\":42}}\n\none",
			"assistant: Re: one",
			"user: [Agent Request from CallerBot | Pattern: ask]\n\nfour",
		}, s.Saw("DataBot", -1))
		s.Equal("an unknown thread", "Error: thread-999 is not a thread between you and DataBot.", ask("Call reuse thread-999: five"))
		s.Equal("a thread of others", "Error: thread-1 is not a thread between you and DataBot.", ask("Call reuse thread-1: five"))
		s.Equal("a made-up mode", `Error: Unknown thread_mode "sideways". Use 'new' or 'reuse'.`, ask("Call sideways latest: six"))
	})
}

func TestReuseContinuesTheLatestThread(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot:
    - match: 'Call (\w+): (.*)'
      steps: [{call: call_agent, args: {target: DataBot, task: '{{match 2}}', thread_mode: '{{match 1}}'}}, {say: '{{result}}'}]
  DataBot:
    - steps: [{say: 'Yes.'}]
`, Member: func(m *app.Member) { m.Toolsets = []string{"contact", "peers"} }}, func(s *Stage) {
		for _, call := range []string{"Call new: one", "Call new: two", "Call reuse: three"} {
			s.As("rutger").Ask("CallerBot", call)
		}
		s.Equal("goes on with two", []string{
			"user: [Agent Request from CallerBot | Pattern: ask]\n\ntwo",
			"assistant: Yes.",
			"user: [Agent Request from CallerBot | Pattern: ask]\n\nthree",
		}, s.Saw("DataBot", -1))
	})
}

func TestCallAgentHasThirtyMinutes(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot: [{steps: [{call: call_agent, args: {target: DataBot, task: 'Take your time.'}}, {say: '{{result}}'}]}]
  DataBot: [{steps: [{wait: 40m, say: 'Done.'}]}]
`, Member: func(m *app.Member) { m.Toolsets = []string{"peers"} }}, func(s *Stage) {
		began := time.Now()
		root := s.As("rutger").Delegate("CallerBot", "Go.")
		s.Wait(root)
		s.Equal("took", 30*time.Minute, time.Since(began))
		s.Equal("read", "Error: DataBot did not respond within 1800 seconds. Consider using 'delegate' for async processing. "+
			"Its work goes on as task-102; await_task waits for the answer.", s.Result(root))
		s.Pass(time.Hour)
	})
}
