package scenario

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/store/postgres"
)

// The main flows once more, on PostgreSQL and in real time. The order of what
// happens at different moments is made certain by gates.

func openPostgres(t *testing.T, dsn string) store.Store {
	t.Helper()
	return openPostgresAt(t, dsn, time.Now)
}

func openPostgresAt(t *testing.T, dsn string, clock parley.Clock) store.Store {
	t.Helper()
	st, err := postgres.Open(t.Context(), dsn, postgres.Options{MaxConns: 8, Crowd: -1, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return st
}

func playPostgres(t *testing.T, team Team, play func(s *Stage)) {
	t.Helper()
	t.Parallel()
	s := Raise(t, team, openPostgres(t, pgtest.DSN(t)))
	s.perform(play)
	s.Stop()
	s.CheckPromises()
}

func TestPostgresAskNestedAskAndNotification(t *testing.T) {
	playPostgres(t, Team{Agents: []string{"CoordinatorBot", "AnalystBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - steps:
        - {call: contact_agent, args: {action: notify, agentId: AnalystBot, message: 'A question is coming.'}}
        - {call: contact_agent, args: {action: ask, agentId: AnalystBot, message: 'Where do we stand?', context: 'For the CEO.'}}
        - say: '{{result}}'
  AnalystBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Revenue?'}}, {say: 'Second. {{result}}'}]}]
  DataBot: [{steps: [{say: '$2.4M.'}]}]
`}, func(s *Stage) {
		s.Equal("answer", "Response from AnalystBot: Second. Response from DataBot: $2.4M.", s.As("rutger").Ask("CoordinatorBot", "Well?"))
		s.Equal("AnalystBot saw", []string{
			"user: [Agent Notification from CoordinatorBot]\n\nA question is coming.",
			"user: [Agent Request from CoordinatorBot | Pattern: ask]\n\nContext: For the CEO.\n\nWhere do we stand?",
		}, s.Saw("AnalystBot", 1))
		s.Equal("tasks", 3, len(s.tasks()))
	})
}

func TestPostgresDelegationsWithCallbacks(t *testing.T) {
	playPostgres(t, Team{Agents: []string{"CoordinatorBot", "DataBot", "AnalystBot", "WriterBot"}, Script: `
agents:
  CoordinatorBot:
    - match: quarterly review
      steps:
        - calls:
            - {tool: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Pull data', priority: high}}
            - {tool: contact_agent, args: {action: delegate, agentId: AnalystBot, message: 'Analyze trends'}}
            - {tool: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Draft'}}
        - say: 'Handed out.'
    - match: '^\[Delegation (Result from|Failed \|) (\w+)'
      seen: 3
      steps: [{say: 'All three.'}]
    - match: '^\[Delegation (Result from|Failed \|) (\w+)'
      steps: [{say: 'Noted {{match 2}}.'}]
  DataBot: [{steps: [{say: 'Revenue.'}]}]
  WriterBot: [{steps: [{fail: 'No ink.'}]}]
  AnalystBot: [{steps: [{say: 'Up.'}]}]
`}, func(s *Stage) {
		data, analyst, writer := s.Models.Hold("DataBot"), s.Models.Hold("AnalystBot"), s.Models.Hold("WriterBot")
		root := s.As("rutger").Delegate("CoordinatorBot", "Prepare the quarterly review.")
		for _, gate := range []*Gate{data, analyst, writer} {
			gate.Arrived()
		}
		for _, gate := range []*Gate{data, writer, analyst} { // in this order, each when the last was dealt with
			s.Until("the coordinator waits", func() bool { return s.Task(root).State == parley.Waiting })
			open := s.Task(root).OpenChildren
			gate.Open()
			s.Until("the result is dealt with", func() bool {
				task := s.Task(root)
				return task.State == parley.Completed || task.State == parley.Waiting && task.OpenChildren < open
			})
		}
		s.Equal("result", "All three.", s.Result(root))
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 DataBot completed\n  task-103 AnalystBot completed\n  task-104 WriterBot failed\n", s.Tree(root))
		s.Equal("said", []string{"Handed out.", "[Delegation Result from DataBot | task-102]\nRevenue.", "Noted DataBot.",
			"[Delegation Failed | WriterBot | task-104]\nError: WriterBot failed to complete the task: No ink.", "Noted WriterBot.",
			"[Delegation Result from AnalystBot | task-103]\nUp.", "All three."}, texts(s.DM("rutger", "CoordinatorBot"))[1:])
	})
}

func TestPostgresTimeoutAndLateAnswer(t *testing.T) {
	playPostgres(t, Team{Agents: []string{"CallerBot", "SlowBot"}, Script: `
agents:
  CallerBot:
    - match: 'Go'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: SlowBot, message: 'Well?'}}
        - {call: await_task, args: {task_id: '{{capture "task-[0-9]+" result}}'}}
        - say: 'Waiting.'
    - steps: [{say: '{{input}}'}]
  SlowBot: [{steps: [{say: 'At last.'}]}]
`, Member: limits(func(l *parley.Limits) { l.AskTimeout = 50 * time.Millisecond })}, func(s *Stage) {
		gate := s.Models.Hold("SlowBot")
		root := s.As("rutger").Delegate("CallerBot", "Go.")
		s.Until("the asker has given up and waits", func() bool { return s.Task(root).State == parley.Waiting })
		gate.Open()
		s.Wait(root)
		s.Equal("result", "[Delegation Result from SlowBot | task-102]\nAt last.", s.Result(root))
		s.Equal("record", []string{"ask.timed_out by CallerBot to SlowBot task-102"}, s.Events(parley.EventTimeout))
	})
}

func TestPostgresCancelOfASubtree(t *testing.T) {
	playPostgres(t, familyTeam, func(s *Stage) {
		worker, helper := s.Models.Hold("WorkerBot"), s.Models.Hold("HelperBot")
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		worker.Arrived()
		helper.Arrived()
		s.Until("the coordinator waits", func() bool { return s.Task(root).State == parley.Waiting })
		s.As("ann").Cancel(102)
		worker.Left()
		helper.Left()
		s.Wait(root)
		s.Equal("result", "[Delegation Failed | ManagerBot | task-102]\nError: cancelled by ann.", s.Result(root))
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 ManagerBot cancelled\n    task-103 WorkerBot cancelled\n    task-104 HelperBot cancelled\n", s.Tree(root))
	})
}

func TestPostgresSleepAndDueTime(t *testing.T) {
	playPostgres(t, Team{Agents: []string{"TargetBot"}, Script: callerAndTarget}, func(s *Stage) {
		awake := time.Now().Add(200 * time.Millisecond)
		s.As("rutger").Sleep("TargetBot", 200*time.Millisecond)
		id := s.As("rutger").Delegate("TargetBot", "When you wake up.")
		task := s.Wait(id)
		s.Equal("state", parley.Completed, task.State)
		if started := task.StartedAt.Time(); started.Before(awake.Truncate(time.Microsecond)) {
			t.Errorf("started %s before the end of the sleep", awake.Sub(started))
		}
	})
}

// Two hubs share a database. The first is suspended in the middle of a turn;
// its lease runs out, the second does the work, and when the first comes back
// it changes nothing.
func TestPostgresALeaseThatRanOutIsTakenOver(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	team := Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot: [{steps: [{call: contact_agent, args: {action: notify, agentId: rutger, message: 'On my way.'}}, {say: 'Done.'}]}]
`}
	var process *Mortal
	suspended := team
	suspended.Hub = func(c *app.HubConfig) {
		process = NewMortal(t, c.Store)
		c.Store, c.LeaseTime, c.Poll = process, 300*time.Millisecond, 50*time.Millisecond
	}
	first := raiseHeld(t, suspended, openPostgres(t, dsn), func(m *Models) *Gate { return m.Hold("DataBot") })
	id := first.As("rutger").Delegate("DataBot", "Go.")
	first.gate.Arrived()
	process.Kill()
	team.Hub = func(c *app.HubConfig) { c.LeaseTime, c.Poll = 300*time.Millisecond, 50*time.Millisecond }
	second := Raise(t, team, openPostgres(t, dsn))
	second.Equal("state", parley.Completed, second.Wait(id).State)
	before := second.record()
	process.Resume()
	first.gate.Open()
	first.gate.Left()
	first.Stop()
	second.Equal("the record", before, second.record())
	second.Equal("inbox", []string{"[Agent Notification from DataBot]\n\nOn my way.", "Done."}, texts(second.Inbox("rutger")))
	second.Equal("rescues", 1, second.Task(id).Rescues)
}

// A turn that takes longer than a lease keeps it by heartbeats, with another
// hub beside it that looks for dead ones. The clock goes on by half a lease
// after each heartbeat.
func TestPostgresHeartbeatsKeepALease(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	var late atomic.Int64 // what the clock is ahead
	clock := func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	const lease = time.Hour
	var commits atomic.Int64
	team := Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot: [{steps: [{say: 'Done.'}]}]
`, Hub: func(c *app.HubConfig) {
		c.Store, c.LeaseTime, c.Poll = counted{c.Store, &commits}, lease, 20*time.Millisecond
	}}
	first := raiseHeld(t, team, openPostgresAt(t, dsn, clock), func(m *Models) *Gate { return m.Hold("DataBot") })
	id := first.As("rutger").Delegate("DataBot", "Go.")
	first.gate.Arrived()
	first.Until("the turn's beginning is stored", func() bool { return len(first.Steps(id)) == 1 })
	team.Hub = func(c *app.HubConfig) { c.LeaseTime, c.Poll = lease, 20*time.Millisecond }
	second := Raise(t, team, openPostgresAt(t, dsn, clock))
	for range 10 {
		before := commits.Load()
		late.Add(int64(lease / 2))
		first.Until("two heartbeats later", func() bool { return commits.Load() >= before+2 })
	}
	first.gate.Open()
	task := second.Wait(id)
	second.Equal("state", parley.Completed, task.State)
	second.Equal("rescues", 0, task.Rescues)
	second.Equal("token", int64(1), task.Token)
}

// An agent that runs one turn at a time does so on all hubs together.
func TestPostgresAOneTurnAgentRunsOneTurnOnAllHubs(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	team := Team{Agents: []string{"DataBot"}, Member: turns(1), Script: `
agents:
  DataBot: [{steps: [{say: 'Done.'}]}]
`}
	first := raiseHeld(t, team, openPostgres(t, dsn), func(m *Models) *Gate { return m.Hold("DataBot") })
	running := first.As("rutger").Delegate("DataBot", "One.")
	first.gate.Arrived()
	var claims atomic.Int64
	team.Hub = func(c *app.HubConfig) { c.Store, c.Poll = counted{c.Store, &claims}, 10*time.Millisecond }
	second := Raise(t, team, openPostgres(t, dsn))
	queued := second.As("rutger").Delegate("DataBot", "Two.")
	before := claims.Load()
	second.Until("the second hub has looked for work", func() bool { return claims.Load() >= before+3 })
	second.Equal("queued", parley.Queued, second.Task(queued).State)
	second.Equal("steps at the second hub", 0, len(second.Models.Shown("DataBot")))
	first.gate.Open()
	second.Wait(running)
	second.Equal("then", parley.Completed, second.Wait(queued).State)
}

// A contact at one hub is worked on at the other, which has room.
func TestPostgresAContactAtOneHubIsWorkedOnAtTheOther(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	team := Team{Agents: []string{"BusyBot", "DataBot"}, Script: `
agents:
  BusyBot: [{steps: [{say: 'Free again.'}]}]
  DataBot: [{steps: [{say: 'Done.'}]}]
`, Hub: func(c *app.HubConfig) { c.Workers = 1 }}
	first := raiseHeld(t, team, openPostgres(t, dsn), func(m *Models) *Gate { return m.Hold("BusyBot") })
	busy := first.As("rutger").Delegate("BusyBot", "Keep the only place.")
	first.gate.Arrived()
	second := Raise(t, team, openPostgres(t, dsn))
	first.Equal("answer", "Done.", first.As("rutger").Ask("DataBot", "Well?"))
	first.Equal("steps at the first", 0, len(first.Models.Shown("DataBot")))
	first.Equal("steps at the second", 1, len(second.Models.Shown("DataBot")))
	first.gate.Open()
	first.Wait(busy)
}

// A person at another hub, who came after this one had started, has a name all
// the same.
func TestPostgresSomebodyFromAnotherHubHasAName(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	team := Team{Agents: []string{"BusyBot", "DataBot"}, Script: `
agents:
  BusyBot: [{steps: [{say: 'Free again.'}]}]
  DataBot: [{steps: [{say: 'Done.'}]}]
`, Hub: func(c *app.HubConfig) { c.Workers = 1 }}
	first := Raise(t, team, openPostgres(t, dsn))
	team.People = []string{"rutger", "ann"}
	second := raiseHeld(t, team, openPostgres(t, dsn), func(m *Models) *Gate { return m.Hold("BusyBot") })
	busy := second.As("rutger").Delegate("BusyBot", "Keep the only place.")
	second.gate.Arrived()
	for _, text := range []string{"One.", "Two."} { // the second time she is in the history too
		second.Equal("answer", "Done.", second.As("ann").Ask("DataBot", text))
	}
	request := "user: [Agent Request from ann | Pattern: ask]\n\n"
	first.Equal("DataBot saw", []string{request + "One.", "assistant: Done.", request + "Two."}, first.Saw("DataBot", 2))
	if system := first.Models.Shown("DataBot")[0].System; !strings.Contains(system, "conversation with ann.") {
		t.Errorf("the conversation is with nobody: %s", system)
	}
	second.gate.Open()
	second.Wait(busy)
}

// Two hubs with different folders share a database and a team: neither removes
// whom only the other names.
func TestPostgresHubsKeepEachOthersAgents(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	s := Raise(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot: [{steps: [{say: 'Twelve.'}]}]
`}, openPostgres(t, dsn))
	join := func(names ...string) {
		t.Helper()
		r := app.Roster{Team: parley.MainTeam, Home: "elsewhere:/team"}
		for _, name := range names {
			r.Members = append(r.Members, app.Member{Name: name, Kind: parley.Client, Limits: parley.DefaultLimits()})
		}
		hub := app.NewHub(app.HubConfig{Store: openPostgres(t, dsn), Log: slog.New(slog.DiscardHandler)})
		if _, err := hub.Join(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	join("WriterBot", "ReaderBot")
	s.Equal("its own", "Twelve.", s.As("rutger").Ask("DataBot", "How many?"))
	join("WriterBot")
	removed := map[string]bool{}
	s.view(func(tx *store.Tx) error {
		list, err := tx.Agents(s.id)
		for _, a := range list {
			removed[a.Name] = a.Removed
		}
		return err
	})
	s.Equal("removed", map[string]bool{"DataBot": false, "WriterBot": false, "ReaderBot": true, "rutger": false}, removed)
	s.Stop()
}

// The end of a message that was sent is posted in two threads, whose locks are
// taken one after the other.
func TestPostgresMessagesAndTheirReplies(t *testing.T) {
	playPostgres(t, Team{Agents: []string{"CallerBot", "DataBot"}, Member: func(m *app.Member) { m.Toolsets = []string{"chorus", "contact"} }, Script: `
agents:
  CallerBot:
    - match: 'Go'
      steps:
        - {call: send_to_agent, args: {target_agent: DataBot, message: 'Count one.'}}
        - {call: send_to_agent, args: {target_agent: DataBot, message: 'Count two.'}}
        - {call: request_from_agent, args: {target_agent: DataBot, task_description: 'Count three.'}}
        - say: '{{result}}'
    - steps: [{call: list_agents, args: {}}, {say: '{{result}}'}]
  DataBot:
    - match: 'Count'
      steps: [{say: 'Counted.'}]
    - steps: [{call: contact_agent, args: {action: ask, agentId: CallerBot, message: 'Satisfied?'}}, {say: '{{result}}'}]
`}, func(s *Stage) {
		s.Equal("answer", "Response from DataBot: Counted.", s.As("rutger").Ask("CallerBot", "Go."))
		s.Wait(102)
		s.Wait(103)
		s.As("rutger").Ask("DataBot", "Ask back.")
		for _, task := range []string{"task-102", "task-103"} {
			s.Equal(task, true, s.Models.Showed("CallerBot", "[Delegation Result from DataBot | "+task+"]\nCounted."))
		}
	})
}

// Two people decide at once on row locks; the call runs once.
func TestPostgresApprovalDecidedTwiceAtOnce(t *testing.T) {
	team := interns(askSenior)
	team.People = []string{"rutger", "ann"}
	playPostgres(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("InternBot", "Go.")
		s.Until("the task waits", func() bool { return s.Task(id).State == parley.Waiting })
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, name := range []string{"rutger", "ann"} {
			who := s.As(name).Caller
			wg.Go(func() { errs[i] = s.approve(who, 1) })
		}
		wg.Wait()
		s.Equal("one has won", true, (errs[0] == nil) != (errs[1] == nil))
		s.Wait(id)
		s.Equal("result", "Response from SeniorAnalystBot: It is sound.", s.Result(id))
		s.Equal("asked once", 1, len(s.Children(id)))
	})
}

// Two decide at once about a request from outside, at two hubs; the contact is made
// once and its answer comes once.
func TestPostgresRequestFromOutsideDecidedAtTwoHubs(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	first := Raise(t, visitors(counting), openPostgres(t, dsn))
	second := Raise(t, visitors(counting), openPostgres(t, dsn))
	for round := range 8 {
		r := howMany
		r.Key = fmt.Sprint(round)
		id := first.As("VisitorBot").Wants(parley.Ask, r)
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, s := range []*Stage{first, second} {
			who := s.As([]string{"rutger", "ann"}[i]).Caller
			wg.Go(func() { errs[i] = s.approve(who, id) })
		}
		wg.Wait()
		first.Equal("one decided", true, (errs[0] == nil) != (errs[1] == nil))
		made, err := second.As("VisitorBot").contact(parley.Ask, r)
		first.Equal("error", nil, err)
		first.Wait(made.Task.ID)
	}
	first.Equal("contacts", 8, len(first.asked("DataBot")))
	id := first.As("VisitorBot").Wants(parley.Notify, contact.Request{Target: "DataBot", Message: "x"})
	second.As("ann").Deny(id, "No.")
	first.Finds("VisitorBot", "[Agent Notification from ann]\n\n"+id.String()+": Approval denied for contacting DataBot. No.")
	for _, task := range first.asked("ChiefBot") {
		first.Wait(task.ID)
	}
	first.Stop()
	second.Stop()
	first.Models.Adopt(second.Models) // either has run turns
	first.CheckPromises()
}

// Two hubs look at the clock; the others are asked once.
func TestPostgresTheSecondWaveIsAskedByOneOfTwoHubs(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	team := Team{Agents: eight, Member: func(m *app.Member) { loom(m); m.Limits.QuestionLifetime = time.Hour }, Script: "agents:\n"}
	for _, name := range eight {
		team.Script += "  " + name + ": [{steps: [{fail: 'No idea.'}]}]\n"
	}
	first := Raise(t, team, openPostgres(t, dsn))
	second := Raise(t, team, openPostgres(t, dsn))
	for round := range 8 {
		id := first.As("rutger").AskTeam("", fmt.Sprintf("Round %d?", round))
		first.Until("the first have failed", func() bool { return len(first.reached(id)) > parley.FirstAsked })
		var wg sync.WaitGroup
		for _, s := range []*Stage{first, second} {
			wg.Go(func() {
				if err := s.Contacts.TendQuestion(s.Context(), id); err != nil {
					s.Error(err)
				}
			})
		}
		wg.Wait()
		first.Equal("each once", []string{"AnnBot", "B1", "B2", "B3", "B4", "B5", "B6", "B7"}, first.reached(id))
	}
	first.Stop()
	second.Stop()
}

func TestPostgresAQuestionIsForwardedAnsweredAndExpires(t *testing.T) {
	playPostgres(t, Team{Agents: []string{"AnnBot", "BeeBot", "CidBot", "DanBot"}, Member: func(m *app.Member) {
		learns(m)
		if m.Name == "DanBot" {
			m.Limits.QuestionLifetime = time.Second
		}
	}, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {say: 'Asked.'}]
  BeeBot: [{steps: [{call: peer_forward_question, args: {query_id: query-1, target: CidBot, enrichment: 'It moved in May.'}}, {say: 'Not my field.'}]}]
  CidBot:
    - match: 'Anybody'
      steps: [{say: 'I am.'}]
    - steps: [{call: peer_answer_question, args: {query_id: query-1, answer: 'Bearer tokens.'}}, {say: '{{result}}'}]
  DanBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Are you there?', target: rutger}}, {say: 'Asked.'}]
`}, func(s *Stage) {
		// Time is real here: what comes back may find the turn that asks still running.
		s.As("rutger").Ask("AnnBot", "Go.")
		s.Until("the answer is dealt with", func() bool { return s.Models.Showed("AnnBot", "[Answer from CidBot") })
		s.Equal("the asker reads", "user: [Answer from CidBot | Query: query-1]\nBearer tokens.\n\nEnrichments gathered during routing:\nBeeBot: It moved in May.",
			last(s.Saw("AnnBot", -1)))
		_, routes := s.Question(1)
		s.Equal("path", []string{"0 AnnBot → BeeBot forwarded", "1 BeeBot → CidBot answered (It moved in May.)"}, routes)
		s.As("rutger").Ask("DanBot", "Go.")
		s.Until("the end is told", func() bool { return s.Models.Showed("DanBot", "[Query Unanswered") })
		s.Equal("the asker reads", "user: [Query Unanswered | ID: query-2]\nThe question has expired: nobody answered within 1 second.", last(s.Saw("DanBot", -1)))
		id := s.As("rutger").AskTeam("", "Anybody?")
		s.Until("all have answered", func() bool {
			_, routes := s.Question(id)
			return slices.Contains(routes, "0 rutger → CidBot answered")
		})
		s.Until("nothing runs", func() bool {
			return !slices.ContainsFunc(s.tasks(), func(t parley.Task) bool { return t.State == parley.Running || t.State == parley.Queued })
		})
	})
}
