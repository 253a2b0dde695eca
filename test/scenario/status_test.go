package scenario

import (
	"testing"
	"time"

	"parley"
	"parley/internal/contact"
)

const callerAndTarget = `
agents:
  CallerBot:
    - match: 'Please (ask|delegate|notify)'
      steps:
        - {call: contact_agent, args: {action: '{{match 1}}', agentId: TargetBot, message: 'Hello.'}}
        - say: '{{result}}'
    - match: '^\[Delegation Result'
      steps: [{say: 'Got it.'}]
  TargetBot:
    - match: 'an hour of work'
      steps: [{wait: 1h, say: 'Done.'}]
    - match: 'somebody else'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: HelperBot, message: 'Help.'}}
        - say: 'Waiting.'
    - steps: [{say: 'Hi.'}]
  HelperBot:
    - steps: [{wait: 1h, say: 'Helped.'}]
`

func TestStatusTable(t *testing.T) {
	const (
		answered  = "Response from TargetBot: Hi."
		delegated = "Delegated to TargetBot (subtask "
		notified  = "Notification sent to TargetBot."
		refused   = "Error: TargetBot is offline (agent unavailable). Use 'notify' to leave a message, or choose another agent."
	)
	prepare := map[parley.Status]func(s *Stage){
		parley.StatusIdle:    func(s *Stage) {},
		parley.StatusWorking: func(s *Stage) { s.As("rutger").Delegate("TargetBot", "This is an hour of work.") },
		parley.StatusAwaitingDelegation: func(s *Stage) {
			s.As("rutger").Delegate("TargetBot", "This is for somebody else.")
		},
		parley.StatusSleeping: func(s *Stage) { s.As("rutger").Sleep("TargetBot", time.Hour) },
		parley.StatusOffline:  func(s *Stage) { s.As("rutger").Offline("TargetBot") },
	}
	for _, c := range []struct {
		status parley.Status
		action parley.Pattern
		reads  string        // by the caller
		runs   bool          // the target does
		after  time.Duration // it does so
		then   parley.Status // of the target, once the contact is made
	}{
		{parley.StatusIdle, parley.Ask, answered, true, 0, parley.StatusIdle},
		{parley.StatusIdle, parley.Delegate, delegated, true, 0, parley.StatusIdle},
		{parley.StatusIdle, parley.Notify, notified, false, 0, parley.StatusIdle},
		{parley.StatusWorking, parley.Ask, answered, true, 0, parley.StatusWorking},
		{parley.StatusWorking, parley.Delegate, delegated, true, 0, parley.StatusWorking},
		{parley.StatusWorking, parley.Notify, notified, false, 0, parley.StatusWorking},
		{parley.StatusAwaitingDelegation, parley.Ask, answered, true, 0, parley.StatusAwaitingDelegation},
		{parley.StatusAwaitingDelegation, parley.Delegate, delegated, true, 0, parley.StatusAwaitingDelegation},
		{parley.StatusAwaitingDelegation, parley.Notify, notified, false, 0, parley.StatusAwaitingDelegation},
		{parley.StatusSleeping, parley.Ask, answered, true, 0, parley.StatusIdle},
		{parley.StatusSleeping, parley.Delegate, delegated, true, time.Hour - time.Second, parley.StatusSleeping},
		{parley.StatusSleeping, parley.Notify, notified, false, 0, parley.StatusSleeping},
		{parley.StatusOffline, parley.Ask, refused, false, 0, parley.StatusOffline},
		{parley.StatusOffline, parley.Delegate, refused, false, 0, parley.StatusOffline},
		{parley.StatusOffline, parley.Notify, notified, false, 0, parley.StatusOffline},
	} {
		t.Run(string(c.action)+" while "+string(c.status), func(t *testing.T) {
			Play(t, Team{Agents: []string{"CallerBot", "TargetBot", "HelperBot"}, Script: callerAndTarget}, func(s *Stage) {
				prepare[c.status](s)
				s.Pass(time.Second)
				s.Equal("status before", c.status, s.Status("TargetBot"))
				began := time.Now()
				root := s.As("rutger").Delegate("CallerBot", "Please "+string(c.action)+" it.")
				s.Pass(0)
				reads := c.reads
				children := s.Children(root)
				if c.action == parley.Delegate && len(children) == 1 {
					reads += children[0].ID.String() + "). You'll receive the result automatically when TargetBot finishes."
				}
				s.Equal("the caller reads", []string{reads}, s.Results(root))
				s.Equal("status then", c.then, s.Status("TargetBot"))
				if ran := len(children) == 1; ran != c.runs {
					t.Fatalf("the target runs: %v, want %v", ran, c.runs)
				}
				if c.runs {
					child := s.Wait(children[0].ID)
					s.Equal("runs after", c.after, child.StartedAt.Time().Sub(began))
				}
				if c.reads == notified {
					dm := s.DM("CallerBot", "TargetBot")
					s.Equal("stored", Said{"CallerBot", parley.NotificationMessage, "[Agent Notification from CallerBot]\n\nHello."}, dm[len(dm)-1])
				}
			})
		})
	}
}

func TestAnAskThatWakesMakesDelayedWorkDue(t *testing.T) {
	Play(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget}, func(s *Stage) {
		rutger := s.As("rutger")
		rutger.Sleep("TargetBot", time.Hour)
		delayed := rutger.Delegate("TargetBot", "Whenever you wake up.")
		s.Pass(time.Minute)
		s.Equal("delayed", parley.Queued, s.Task(delayed).State)
		s.Equal("answer", "Hi.", rutger.Ask("TargetBot", "Hello?"))
		s.Pass(0)
		s.Equal("no longer delayed", parley.Completed, s.Task(delayed).State)
		s.Equal("record", []string{
			"agent.status by rutger to TargetBot (sleeping until 2000-01-01T01:00:00Z)",
			"agent.status by rutger to TargetBot (awake)",
		}, s.Events(parley.EventStatus))
	})
}

func TestDelayedWorkRunsAtTheDueTimeAndNotBefore(t *testing.T) {
	Play(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget}, func(s *Stage) {
		rutger := s.As("rutger")
		rutger.Sleep("TargetBot", 8*time.Hour)
		id := rutger.Delegate("TargetBot", "In the morning.")
		s.Equal("due", time.Now().Add(8*time.Hour).UnixMicro(), int64(s.Task(id).Due))
		s.Pass(8*time.Hour - time.Microsecond)
		s.Equal("a microsecond before", parley.Queued, s.Task(id).State)
		s.Pass(time.Microsecond)
		s.Equal("then", parley.Completed, s.Task(id).State)
	})
}

func TestWhoGoesToSleepPutsQueuedWorkOff(t *testing.T) {
	Play(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget, Member: turns(1)}, func(s *Stage) {
		rutger := s.As("rutger")
		running := rutger.Delegate("TargetBot", "This is an hour of work.")
		queued := rutger.Delegate("TargetBot", "And this.")
		s.Pass(time.Second)
		rutger.Sleep("TargetBot", 3*time.Hour)
		s.Pass(2 * time.Hour)
		s.Equal("the turn under way goes on", parley.Completed, s.Task(running).State)
		s.Equal("what was queued waits", parley.Queued, s.Task(queued).State)
		s.Pass(time.Hour)
		s.Equal("until the end of the sleep", parley.Completed, s.Task(queued).State)
	})
}

func TestWakeMakesDelayedWorkDue(t *testing.T) {
	Play(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget}, func(s *Stage) {
		rutger := s.As("rutger")
		rutger.Sleep("TargetBot", time.Hour)
		id := rutger.Delegate("TargetBot", "Hello.")
		rutger.Wake("TargetBot")
		s.Pass(0)
		s.Equal("state", parley.Completed, s.Task(id).State)
	})
}

func TestTheSleepToolPutsItsOwnAgentToSleep(t *testing.T) {
	Play(t, Team{Agents: []string{"NightBot"}, Script: `
agents:
  NightBot:
    - match: 'Good night'
      steps:
        - {call: sleep, args: {until: '2000-01-01T07:00:00Z'}}
        - say: '{{result}}'
    - match: 'Sleep at (\S+)'
      steps:
        - {call: sleep, args: {until: '{{match 1}}'}}
        - say: '{{result}}'
`}, func(s *Stage) {
		rutger := s.As("rutger")
		s.Equal("answer", "You will sleep until 2000-01-01T07:00:00Z.", rutger.Ask("NightBot", "Good night."))
		s.Equal("status", parley.StatusSleeping, s.Status("NightBot"))
		s.Pass(8 * time.Hour)
		s.Equal("status in the morning", parley.StatusIdle, s.Status("NightBot"))
		s.Equal("a time that has passed", "Error: 1999-01-01T00:00:00Z is not in the future.",
			rutger.Ask("NightBot", "Sleep at 1999-01-01T00:00:00Z"))
		s.Equal("not a time", `Error: "noon" is not a time. Write it like 2026-05-01T08:00:00Z.`, rutger.Ask("NightBot", "Sleep at noon"))
	})
}

func TestGoingOfflineFailsWaitingAsksAndLeavesQueuedWorkQueued(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "TargetBot"}, Script: callerAndTarget, Member: turns(1)}, func(s *Stage) {
		rutger := s.As("rutger")
		running := rutger.Delegate("TargetBot", "This is an hour of work.")
		queued := rutger.Delegate("TargetBot", "Later.")
		asking := rutger.Delegate("CallerBot", "Please ask it.")
		s.Pass(time.Second)
		rutger.Offline("TargetBot")
		s.Pass(0)
		s.Equal("the asker reads", []string{"Error: TargetBot failed to respond: TargetBot went offline."}, s.Results(asking))
		s.Equal("tree", "task-103 CallerBot completed\n  task-104 TargetBot failed\n", s.Tree(asking))
		s.Wait(running)
		s.Pass(time.Hour)
		s.Equal("queued", parley.Queued, s.Task(queued).State)
		rutger.Online("TargetBot")
		s.Pass(0)
		s.Equal("online again", parley.Completed, s.Task(queued).State)
	})
}

func TestAnOfflineAgentReadsItsNotificationsWhenItIsBack(t *testing.T) {
	Play(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget}, func(s *Stage) {
		rutger := s.As("rutger")
		rutger.Offline("TargetBot")
		note := rutger.Notify("TargetBot", "For later.")
		s.Equal("stored, reached nobody yet", "accepted", s.Delivery(note, "TargetBot"))
		rutger.Online("TargetBot")
		s.Pass(time.Hour)
		s.Equal("a notification starts no turn", 0, len(s.Models.Shown("TargetBot")))
		rutger.Ask("TargetBot", "Hello?")
		s.Equal("read", []string{
			"user: [Agent Notification from rutger]\n\nFor later.",
			"user: [Agent Request from rutger | Pattern: ask]\n\nHello?",
		}, s.Saw("TargetBot", 1))
		s.Equal("seen", "seen", s.Delivery(note, "TargetBot"))
	})
}

func TestOnlyAPersonOrTheAgentItselfChangesAStatus(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "TargetBot"}, Script: callerAndTarget}, func(s *Stage) {
		other := s.As("CallerBot").Caller
		for name, do := range map[string]func() error{
			"sleep":   func() error { return s.Contacts.Sleep(s.Context(), other, "TargetBot", time.Now().Add(time.Hour)) },
			"wake":    func() error { return s.Contacts.Wake(s.Context(), other, "TargetBot") },
			"offline": func() error { return s.Contacts.Offline(s.Context(), other, "TargetBot") },
			"online":  func() error { return s.Contacts.Online(s.Context(), other, "TargetBot") },
		} {
			err := do()
			if parley.KindOf(err) != parley.Denied {
				t.Errorf("%s by another agent: %v", name, err)
			}
		}
		s.Equal("status", parley.StatusIdle, s.Status("TargetBot"))
		s.As("TargetBot").Sleep("TargetBot", time.Hour)
		s.Equal("status", parley.StatusSleeping, s.Status("TargetBot"))
	})
}

func TestWorkIsTakenByPriorityThenByAge(t *testing.T) {
	Play(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget, Member: turns(1)}, func(s *Stage) {
		rutger := s.As("rutger")
		rutger.Delegate("TargetBot", "This is an hour of work.")
		s.Pass(time.Second)
		for _, c := range []struct {
			name string
			prio parley.Priority
		}{
			{"low 1", parley.Low}, {"normal 1", parley.Normal}, {"urgent 1", parley.Urgent}, {"high 1", parley.High},
			{"urgent 2", parley.Urgent}, {"low 2", parley.Low}, {"normal 2", parley.Normal}, {"high 2", parley.High},
		} {
			rutger.DelegateAs(c.prio, "TargetBot", c.name)
		}
		s.Pass(2 * time.Hour)
		var order []string
		for _, e := range s.record() {
			if e.Kind == parley.EventCompleted {
				order = append(order, s.Task(e.Task).Title)
			}
		}
		s.Equal("order", []string{"This is an hour of work.", "urgent 1", "urgent 2", "high 1", "high 2",
			"normal 1", "normal 2", "low 1", "low 2"}, order)
	})
}

func TestConcurrentTurnsOfAnAgentAreLimited(t *testing.T) {
	Play(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget, Member: turns(3)}, func(s *Stage) {
		for range 5 {
			s.As("rutger").Delegate("TargetBot", "This is an hour of work.")
		}
		s.Pass(time.Minute)
		s.Equal("running", 3, len(s.Models.Shown("TargetBot")))
		s.Pass(time.Hour)
		s.Equal("then the others", 5, len(s.Models.Shown("TargetBot")))
		s.Pass(time.Hour)
	})
}

func TestEightTurnsOfAnAgentRunAtOnceByDefault(t *testing.T) {
	Play(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget}, func(s *Stage) {
		for range 9 {
			s.As("rutger").Delegate("TargetBot", "This is an hour of work.")
		}
		s.Pass(time.Minute)
		s.Equal("running", 8, len(s.Models.Shown("TargetBot")))
		s.Pass(2 * time.Hour)
	})
}

func TestAPersonIsAskedAndAnswersLikeAnyParticipant(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot"}, People: []string{"rutger", "ann"}, Script: `
agents:
  CallerBot:
    - match: Please
      steps:
        - {call: contact_agent, args: {action: ask, agentId: ann, message: 'May I?', context: 'It is late.'}}
        - say: '{{result}}'
`}, func(s *Stage) {
		root := s.As("rutger").Begin("CallerBot", "Please ask her.")
		s.Pass(time.Second)
		s.Equal("ann's inbox", []Said{{"CallerBot", parley.AskMessage, "[Agent Request from CallerBot | Pattern: ask]\n\nContext: It is late.\n\nMay I?"}}, s.Inbox("ann"))
		s.As("ann").Reply(102, "You may.")
		s.Wait(root)
		s.Equal("result", "Response from ann: You may.", s.Result(root))
		s.Equal("ann's inbox then", 0, len(s.Inbox("ann")))
		err := s.Contacts.Reply(s.Context(), s.As("ann").Caller, 102, "Again.")
		s.Equal("the first reply counts", "Error: task-102 has ended already (completed).", parley.ToolError(err))
		err = s.Contacts.Reply(s.Context(), s.As("rutger").Caller, 102, "Me too.")
		s.Equal("only who was asked", "Error: task-102 was not asked of you.", parley.ToolError(err))
	})
}

func TestAPersonDeclines(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot"}, People: []string{"rutger", "ann"}, Script: `
agents:
  CallerBot:
    - match: Please
      steps:
        - {call: contact_agent, args: {action: ask, agentId: ann, message: 'May I?'}}
        - {call: contact_agent, args: {action: delegate, agentId: ann, message: 'Would you?'}}
        - say: 'Asked.'
    - steps: [{say: '{{input}}'}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CallerBot", "Please ask her.")
		s.Pass(time.Second)
		ann := s.As("ann").Caller
		s.Equal("an empty reply", "Error: The reply is empty.", parley.ToolError(s.Contacts.Reply(s.Context(), ann, 102, " ")))
		if err := s.Contacts.Decline(s.Context(), ann, 102, "Not today."); err != nil {
			t.Fatal(err)
		}
		s.Pass(time.Second)
		s.Equal("the asker reads", "Error: ann failed to respond: Not today.", s.Results(root)[0])
		if err := s.Contacts.Decline(s.Context(), ann, 103, "cancelled by rutger."); err != nil {
			t.Fatal(err)
		}
		s.Wait(root)
		s.Equal("the delegator reads, and is not deceived",
			"[Delegation Failed | ann | task-103]\nError: ann failed to complete the task: > cancelled by rutger.", s.Result(root))
	})
}

func TestNothingIsAcceptedForNobody(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot", "DateBot"}, Script: callerAndTarget}, func(s *Stage) {
		rutger := s.As("rutger")
		for _, c := range []struct {
			r    contact.Request
			want string
		}{
			{contact.Request{Target: "DatBot", Message: "x"}, "Error: Agent 'DatBot' not found. Did you mean DataBot, DateBot?"},
			{contact.Request{Target: "data", Message: "x"}, "Error: Agent 'data' not found. Did you mean DataBot?"},
			{contact.Request{Target: "Xylophone", Message: "x"}, "Error: Agent 'Xylophone' not found. Look at the list of agents to see who is there."},
			{contact.Request{Target: "", Message: "x"}, "Error: Agent '' not found. Look at the list of agents to see who is there."},
			{contact.Request{Target: "rutger", Message: "x"}, "Error: You cannot contact yourself."},
			{contact.Request{Target: "DataBot", Message: " \n"}, "Error: The message is empty. Say what you want of DataBot."},
			{contact.Request{Target: "DataBot", Message: "a\x00b"}, "Error: The message contains a NUL character, which is not text."},
			{contact.Request{Target: "DataBot", Message: "a", Context: "\xff"}, "Error: The message is not valid UTF-8 text."},
		} {
			for _, p := range []parley.Pattern{parley.Ask, parley.Delegate, parley.Notify} {
				s.Equal(string(p)+" to "+c.r.Target, c.want, rutger.Refused(p, c.r))
			}
		}
		s.Equal("tasks", 0, len(s.tasks()))
	})
}
