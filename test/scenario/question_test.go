package scenario

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

const howToAnswer = "\n\nYou can respond using peer_answer_question with query_id \"query-1\", or forward the question with " +
	"peer_forward_question if someone else is better suited to answer. If you do not know, pass with peer_answer_question and pass: true. " +
	"If you do none of these, what you say at the end of your turn is your answer."

// askB is a step that asks one agent.
const askB = `{call: peer_ask_question, args: {question: 'What pattern does the auth module use?', target: BeeBot, context: 'For the review.'}}`

// heard are an asker's script rules for what comes back to it.
const heard = `
    - match: '^\[(Answer from|Query Unanswered)'
      steps: [{say: 'Heard: {{body}}'}]`

func TestAQuestionIsAnsweredInTheTaskThatAsks(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {wait: 1m, say: '{{result}}'}]
  BeeBot: [{steps: [{call: peer_answer_question, args: {query_id: query-1, answer: 'Bearer tokens.'}}, {say: '{{result}}'}]}]
`}, func(s *Stage) {
		s.Equal("the asker's last word", "Heard: Bearer tokens.", s.As("rutger").Ask("AnnBot", "Go."))
		s.Equal("the one asked reads", []string{"user: [Query from AnnBot | ID: query-1]\nWhat pattern does the auth module use?\n\nContext from AnnBot: For the review." + howToAnswer},
			s.Saw("BeeBot", 1))
		s.Equal("the asker is told", []string{"Question sent to BeeBot. Query ID: query-1. The answer will be delivered to you when available."}, s.Results(101))
		s.Equal("the one who answers is told", []string{"Answer delivered for query query-1."}, s.Results(102))
		s.Equal("the asker reads", "user: [Answer from BeeBot | Query: query-1]\nBearer tokens.", last(s.Saw("AnnBot", -1)))
		q, routes := s.Question(1)
		s.Equal("state", parley.QuestionAnswered, q.State)
		s.Equal("path", []string{"0 AnnBot → BeeBot answered"}, routes)
		s.Equal("task", []any{parley.TaskID(101), parley.QuestionPattern, parley.CallbackAnswer, 1, 0},
			[]any{s.Task(102).Parent, s.Task(102).Pattern, s.Task(102).Callback, s.Task(102).DelegationDepth, s.Task(101).OpenChildren})
		s.Equal("record", []string{"question.asked by AnnBot to BeeBot task-101 (query-1)", "question.answered by BeeBot to AnnBot task-102 (query-1)"},
			s.Events(parley.EventQuestionAsked, parley.EventQuestionAnswered, parley.EventQuestionExpired))
	})
}

// The asker's task does not wait for the answer; an answer after its end begins a
// turn in the dm with the one who answers.
func TestAnAnswerAfterTheEndBeginsATurnInTheDM(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {say: 'Asked.'}]
  BeeBot: [{steps: [{wait: 1m, say: 'Bearer tokens.'}]}]
`}, func(s *Stage) {
		s.Equal("the asker does not wait", "Asked.", s.As("rutger").Ask("AnnBot", "Go."))
		s.Pass(2 * time.Minute)
		s.Equal("a turn of its own", "Heard: Bearer tokens.", s.Result(103))
		s.Equal("linked to what asked", []any{parley.TaskID(101), parley.TaskID(0), parley.AnswerPattern, 1},
			[]any{s.Task(103).Cause, s.Task(103).Parent, s.Task(103).Pattern, s.Task(103).DelegationDepth})
		s.Equal("the dm", []Said{
			{"AnnBot", parley.QuestionMessage, "[Query from AnnBot | ID: query-1]\nWhat pattern does the auth module use?\n\nContext from AnnBot: For the review."},
			{"BeeBot", parley.AnswerMessage, "[Answer from BeeBot | Query: query-1]\nBearer tokens."},
			{"AnnBot", parley.ReplyMessage, "Heard: Bearer tokens."},
		}, s.DM("AnnBot", "BeeBot"))
		s.Equal("nobody else is woken", 1, len(s.Models.Shown("BeeBot")))
	})
}

func TestAForwardedQuestionIsAnsweredWithWhatWasGathered(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot", "CidBot", "DanBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{call: peer_forward_question, args: {query_id: query-1, target: cidbot, enrichment: 'It moved in May.'}}, {say: 'Not my field.'}]}]
  CidBot: [{steps: [{call: peer_forward_question, args: {query_id: query-1, target: DanBot, enrichment: 'Dan moved it.'}}, {say: 'Nor mine.'}]}]
  DanBot: [{steps: [{say: 'Bearer tokens.'}]}]
`}, func(s *Stage) {
		s.As("rutger").Ask("AnnBot", "Go.")
		s.Equal("the forwarder is told", []string{"Question forwarded to CidBot with enrichment."}, s.Results(102))
		s.Equal("the last one reads", []string{"user: [Query from AnnBot | ID: query-1]\nWhat pattern does the auth module use?\n\nContext from AnnBot: For the review." +
			"\n\nRelevant context:\nBeeBot: It moved in May.\nCidBot: Dan moved it." + howToAnswer}, s.Saw("DanBot", 1))
		s.Equal("the asker reads", "user: [Answer from DanBot | Query: query-1]\nBearer tokens.\n\nEnrichments gathered during routing:\n"+
			"BeeBot: It moved in May.\nCidBot: Dan moved it.", last(s.Saw("AnnBot", -1)))
		q, routes := s.Question(1)
		s.Equal("state", []any{parley.QuestionAnswered, 2}, []any{q.State, q.Hops})
		s.Equal("path", []string{"0 AnnBot → BeeBot forwarded", "1 BeeBot → CidBot forwarded (It moved in May.)", "2 CidBot → DanBot answered (Dan moved it.)"}, routes)
		s.Equal("one answer", 1, s.Task(101).InboxCount)
		s.Equal("asked below the task that asks", []parley.TaskID{101, 101}, []parley.TaskID{s.Task(103).Parent, s.Task(104).Parent})
		s.Equal("deeper each time", []int{1, 2, 3}, []int{s.Task(102).DelegationDepth, s.Task(103).DelegationDepth, s.Task(104).DelegationDepth})
	})
}

func TestABroadcastReachesEveryoneButTheAskerAndStaysOpen(t *testing.T) {
	const ask = `{call: peer_ask_question, args: {question: 'Who knows the auth module?'}}`
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot", "CidBot", "OffBot"}, Member: func(m *app.Member) { loom(m); m.Limits.Rate, m.Limits.Burst = 1, 1 }, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + ask + `, {call: peer_ask_question, args: {question: 'And who else?'}}, {wait: 1m, say: '{{result}}'}]
  BeeBot: [{steps: [{wait: 1s, say: 'I do.'}]}]
  CidBot: [{steps: [{wait: 2s, say: 'So do I.'}]}]
`}, func(s *Stage) {
		s.As("rutger").Offline("OffBot")
		s.As("rutger").Ask("AnnBot", "Go.")
		s.Equal("one rate unit", []string{"Question sent to all agents. Query ID: query-1. The answer will be delivered to you when available.",
			"Error: rate limit reached (1 messages per minute). Try again in 60 seconds."}, s.Results(101))
		q, routes := s.Question(1)
		s.Equal("still open", parley.QuestionOpen, q.State)
		s.Equal("path", []string{"0 AnnBot → rutger asked", "0 AnnBot → BeeBot answered", "0 AnnBot → CidBot answered"}, routes)
		s.Equal("both answers", 2, s.Task(101).InboxCount)
		shown := len(s.Models.Shown("AnnBot"))
		s.Pass(11 * time.Minute)
		q, _ = s.Question(1)
		s.Equal("it ends as answered", parley.QuestionAnswered, q.State)
		s.Equal("and nobody is woken for that", shown, len(s.Models.Shown("AnnBot")))
		s.Equal("what nobody began is over", parley.Cancelled, s.Task(102).State)
	})
}

func TestAnExpiredQuestionIsToldWithWhatWasGathered(t *testing.T) {
	team := Team{Agents: []string{"AnnBot", "BeeBot", "CidBot"}, Member: func(m *app.Member) {
		loom(m)
		m.Limits.QuestionLifetime = 2 * time.Minute
	}, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {say: 'Asked.'}]
  BeeBot: [{steps: [{call: peer_forward_question, args: {query_id: query-1, target: CidBot, enrichment: 'It moved in May.'}}, {say: 'Not my field.'}]}]
  CidBot: [{steps: [{wait: 1h, call: peer_answer_question, args: {query_id: query-1, answer: 'Late.'}}, {say: '{{result}}'}]}]
`}
	const told = "user: [Query Unanswered | ID: query-1]\nThe question has expired: nobody answered within 2 minutes.\n\n" +
		"Enrichments gathered during routing:\nBeeBot: It moved in May."
	t.Run("at its time", func(t *testing.T) {
		Play(t, team, func(s *Stage) {
			s.As("rutger").Ask("AnnBot", "Go.")
			s.Pass(3 * time.Minute)
			s.Equal("the asker reads", told, last(s.Saw("AnnBot", -1)))
			s.Pass(2 * time.Hour)
			q, routes := s.Question(1)
			s.Equal("state", parley.QuestionExpired, q.State)
			s.Equal("path", "1 BeeBot → CidBot asked (It moved in May.)", last(routes))
			s.Equal("too late", []string{"Query query-1 not found (may have expired)."}, s.Results(103))
			s.Equal("told once", 3, len(s.Models.Shown("AnnBot")))
		})
	})
	t.Run("after a restart", func(t *testing.T) {
		Play(t, team, func(s *Stage) {
			s.As("rutger").Ask("AnnBot", "Go.")
			s.Pass(time.Minute)
			s.Stop()
			s.Pass(time.Hour)
			again := raise(s.TB, s.team, s.Store, s.Models)
			again.Pass(time.Second)
			s.Equal("the asker reads", told, last(s.Saw("AnnBot", -1)))
			again.Pass(2 * time.Hour)
			again.Stop()
			s.Equal("told once", 3, len(s.Models.Shown("AnnBot")))
		})
	})
}

func TestAQuestionThatNobodyCanAnswerIsToldAtOnce(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{wait: 1s, fail: 'No idea.'}]}]
`}, func(s *Stage) {
		s.Equal("the asker's last word", "Heard: Nobody who was asked could answer. BeeBot: No idea.", s.As("rutger").Ask("AnnBot", "Go."))
		q, routes := s.Question(1)
		s.Equal("state", parley.QuestionFailed, q.State)
		s.Equal("path", []string{"0 AnnBot → BeeBot failed"}, routes)
	})
}

// What a model may get wrong about a question, and what it reads then. A miss is a
// result and no error.
func TestQuestionsThatCannotBeAnsweredOrForwarded(t *testing.T) {
	for name, c := range map[string]struct{ call, want string }{
		"answer to nothing":       {`peer_answer_question, args: {query_id: query-99, answer: x}`, "Query query-99 not found (may have expired)."},
		"a made-up id":            {`peer_answer_question, args: {query_id: the first, answer: x}`, "Query the first not found (may have expired)."},
		"no answer":               {`peer_answer_question, args: {query_id: query-1}`, "Error: The answer is empty. Say what you know, or forward the question."},
		"forward of nothing":      {`peer_forward_question, args: {query_id: query-99, target: CidBot, enrichment: x}`, "Query query-99 not found (may have expired)."},
		"forward to the asker":    {`peer_forward_question, args: {query_id: query-1, target: AnnBot, enrichment: x}`, "Error: AnnBot asked query-1. Choose somebody else, or answer with what you know."},
		"forward to oneself":      {`peer_forward_question, args: {query_id: query-1, target: BeeBot, enrichment: x}`, "Error: You cannot forward a question to yourself. Choose somebody else, or answer with what you know."},
		"forward to nobody":       {`peer_forward_question, args: {query_id: query-1, target: CidBo, enrichment: x}`, "Error: Agent 'CidBo' not found. Did you mean CidBot?"},
		"without an enrichment":   {`peer_forward_question, args: {query_id: query-1, target: CidBot}`, "Error: The enrichment is empty. Say what you know, or why the other knows better."},
		"forward to who is away":  {`peer_forward_question, args: {query_id: query-1, target: OffBot, enrichment: x}`, "Error: OffBot is offline (agent unavailable). Use 'notify' to leave a message, or choose another agent."},
		"a question to oneself":   {`peer_ask_question, args: {question: x, target: BeeBot}`, "Error: You cannot contact yourself."},
		"an empty question":       {`peer_ask_question, args: {question: ' '}`, "Error: The message is empty. Say what you want of the others."},
		"arguments of a bad form": {`peer_ask_question, args: {question: [1]}`, "Error: The arguments do not fit the tool: question cannot be an array. Send a string."},
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, Team{Agents: []string{"AnnBot", "BeeBot", "CidBot", "OffBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{call: ` + c.call + `}, {say: 'Bearer tokens.'}]}]
`}, func(s *Stage) {
				s.As("rutger").Offline("OffBot")
				s.Equal("the text answers all the same", "Heard: Bearer tokens.", s.As("rutger").Ask("AnnBot", "Go."))
				s.Equal("what the model reads", []string{c.want}, s.Results(102))
			})
		})
	}
}

func TestAQuestionIsForwardedFiveTimesAtMost(t *testing.T) {
	names := []string{"B1", "B2", "B3", "B4", "B5", "B6", "B7"}
	var script strings.Builder
	script.WriteString("agents:\n  AnnBot:" + heard + "\n    - steps: [{call: peer_ask_question, args: {question: 'Well?', target: B1}}, {wait: 1m, say: 'Asked.'}]\n")
	for i, name := range names[:6] {
		script.WriteString("  " + name + ": [{steps: [{call: peer_forward_question, args: {query_id: query-1, target: " + names[i+1] + ", enrichment: 'Not me.'}}, {say: '{{result}}'}]}]\n")
	}
	Play(t, Team{Agents: append([]string{"AnnBot"}, names...), Member: loom, Script: script.String()}, func(s *Stage) {
		s.Equal("the sixth answers", "Heard: Maximum forwarding hops reached. Consider answering with what you know.\n\nEnrichments gathered during routing:\n"+
			"B1: Not me.\nB2: Not me.\nB3: Not me.\nB4: Not me.\nB5: Not me.", s.As("rutger").Ask("AnnBot", "Go."))
		q, routes := s.Question(1)
		s.Equal("hops", []any{5, 6}, []any{q.Hops, len(routes)})
		s.Equal("the seventh was never asked", 0, len(s.Models.Shown("B7")))
	})
}

// Only those who were asked may answer, and once: a second answer is refused.
func TestOnlyThoseWhoWereAskedAnswerAndOnce(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot", "CidBot"}, People: []string{"rutger", "eve"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Well?', target: eve}}, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{call: peer_answer_question, args: {query_id: query-1, answer: 'I know!'}}, {say: '{{result}}'}]}]
`}, func(s *Stage) {
		asking := s.As("rutger").Begin("AnnBot", "Go.")
		s.Pass(time.Second)
		s.Equal("somebody else", "Error: You were not asked query-1. Only those who were asked answer or forward a question.", s.As("rutger").Ask("BeeBot", "Answer it."))
		s.Equal("a person too", parley.Denied, parley.KindOf(s.As("rutger").ForwardQuestion(1, "CidBot", "x")))
		s.Equal("she is asked", parley.QuestionMessage, s.Inbox("eve")[0].Kind)
		s.Equal("she answers", nil, s.As("eve").AnswerQuestion(1, "Well indeed."))
		s.Equal("and again", parley.NotFound, parley.KindOf(s.As("eve").AnswerQuestion(1, "Twice.")))
		s.Equal("her task is done", parley.Completed, s.Task(102).State)
		s.Pass(2 * time.Minute)
		s.Equal("the asker heard once", "Heard: Well indeed.", s.Result(asking))
		s.Equal("one answer", 1, s.Task(asking).InboxCount)
		s.Equal("refusals are on record", 2, len(s.Events(parley.EventDenied, parley.EventRefused)))
	})
}

// Her task used to stay open until its deadline a week later, and her inbox asked for
// an answer that nobody wanted any more.
func TestWhoForwardsAQuestionByHandIsNotAskedAnyMore(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, People: []string{"rutger", "eve"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Well?', target: eve}}, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{say: 'I know!'}]}]
`}, func(s *Stage) {
		asking := s.As("rutger").Begin("AnnBot", "Go.")
		s.Pass(time.Second)
		s.Equal("she forwards it", nil, s.As("eve").ForwardQuestion(1, "BeeBot", "Not me."))
		s.Equal("her task is done", parley.Completed, s.Task(102).State)
		s.Pass(2 * time.Minute)
		s.Equal("the asker heard the other", true, strings.HasPrefix(s.Result(asking), "Heard: I know!"))
		s.Equal("one answer", 1, s.Task(asking).InboxCount)
	})
}

func TestPeopleAskTheTeamAndFindTheAnswersInTheirInbox(t *testing.T) {
	Play(t, Team{Agents: []string{"BeeBot", "CidBot"}, Member: loom, Script: `
agents:
  BeeBot: [{steps: [{say: 'Bearer tokens.'}]}]
  CidBot: [{steps: [{wait: 1h, say: 'Late.'}]}]
`}, func(s *Stage) {
		s.As("rutger").AskTeam("", "What pattern does the auth module use?")
		id := s.As("rutger").AskTeam("CidBot", "And the other?")
		s.Pass(time.Minute)
		answered := Said{"BeeBot", parley.AnswerMessage, "[Answer from BeeBot | Query: query-1]\nBearer tokens."}
		s.Equal("one answer", []Said{answered}, s.Inbox("rutger"))
		s.Pass(10 * time.Minute)
		s.Equal("one without", Said{"rutger", parley.UnansweredMessage, "[Query Unanswered | ID: query-2]\nThe question has expired: nobody answered within 10 minutes."},
			last(s.Inbox("rutger")))
		q, _ := s.Question(id)
		s.Equal("state", parley.QuestionExpired, q.State)
		s.Pass(time.Hour)
	})
}

// A person's plain reply to the task is the answer.
func TestAReplyToTheTaskAnswersTheQuestion(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Well?', target: rutger}}, {say: 'Asked.'}]
`}, func(s *Stage) {
		s.As("rutger").Ask("AnnBot", "Go.")
		s.As("rutger").Reply(102, "Well indeed.")
		s.Pass(time.Second)
		s.Equal("a turn of its own", "Heard: Well indeed.", s.Result(103))
	})
}
