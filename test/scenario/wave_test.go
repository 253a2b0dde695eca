package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/directory"
)

// eight are the agents of a team that is too large to be asked at once.
var eight = []string{"AnnBot", "B1", "B2", "B3", "B4", "B5", "B6", "B7"}

// askingAll is a team whose AnnBot asks everyone, and whose others do what the rules of
// their scripts say.
func askingAll(rules ...string) Team {
	return Team{Agents: eight, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Who migrates the database?'}}, {wait: 100s, say: '{{result}}'}]
` + strings.Join(rules, "\n") + "\n"}
}

const (
	passes = ": [{steps: [{call: peer_answer_question, args: {query_id: query-1, pass: true}}, {say: 'I have passed: {{result}}'}]}]"
	broods = ": [{steps: [{wait: 1h, say: 'Late.'}]}]"
	knows  = ": [{steps: [{say: 'I do.'}]}]"
)

// reached are those whom a question reached, in order.
func (s *Stage) reached(id parley.QuestionID) (names []string) {
	s.Helper()
	_, routes := s.Question(id)
	for _, line := range routes {
		names = append(names, strings.Fields(line)[3])
	}
	return names
}

func TestTheOthersAreAskedAfterAMinuteWithoutAnAnswer(t *testing.T) {
	Play(t, askingAll("  B1"+broods, "  B2"+broods, "  B3"+broods, "  B4"+broods, "  B5"+broods, "  B6"+knows, "  B7"+passes), func(s *Stage) {
		s.As("rutger").Begin("AnnBot", "Go.")
		s.Pass(59 * time.Second)
		s.Equal("first", []string{"B1", "B2", "B3", "B4", "B5"}, s.reached(1))
		s.Pass(2 * time.Second)
		s.Equal("then", []string{"B1", "B2", "B3", "B4", "B5", "rutger", "B6", "B7"}, s.reached(1))
		s.Equal("answered", []string{"question.answered by B6 to AnnBot task-108 (query-1)"}, s.Events(parley.EventQuestionAnswered))
		s.Pass(2 * time.Hour)
		q, _ := s.Question(1)
		s.Equal("closed", parley.QuestionAnswered, q.State)
		s.Equal("one rate unit", 1, s.rateOf("AnnBot"))
	})
}

func TestAnAnswerInTimeKeepsTheOthersFromBeingAsked(t *testing.T) {
	Play(t, askingAll("  B1"+passes, "  B2"+knows, "  B3"+passes, "  B4"+passes, "  B5"+passes, "  B6"+knows, "  B7"+knows), func(s *Stage) {
		s.Equal("heard", "Heard: I do.", s.As("rutger").Ask("AnnBot", "Go."))
		s.Pass(time.Hour)
		q, routes := s.Question(1)
		s.Equal("closed when all have answered or passed", []any{parley.QuestionAnswered, q.CreatedAt}, []any{q.State, q.ClosedAt})
		s.Equal("path", []string{"0 AnnBot → B1 passed", "0 AnnBot → B2 answered", "0 AnnBot → B3 passed", "0 AnnBot → B4 passed", "0 AnnBot → B5 passed"}, routes)
		s.Equal("what they read", []string{"You have passed on query query-1. Nothing was delivered."}, s.Results(102))
		s.Equal("one answer", 1, s.Task(101).InboxCount)
	})
}

func TestTheOthersAreAskedWhenTheFirstHavePassedAndThenNobodyKnows(t *testing.T) {
	var rules []string
	for _, name := range eight[1:] {
		rules = append(rules, "  "+name+passes)
	}
	Play(t, askingAll(rules...), func(s *Stage) {
		asking := s.As("rutger").Begin("AnnBot", "Go.")
		s.Pass(time.Second)
		s.Equal("at once", []string{"B1", "B2", "B3", "B4", "B5", "rutger", "B6", "B7"}, s.reached(1))
		s.Equal("he passes", nil, s.Contacts.PassQuestion(s.Context(), s.As("rutger").Caller, 1))
		s.Pass(time.Hour)
		s.Equal("told", "Heard: Nobody knows: everyone who was asked has passed.", s.Result(asking))
		s.Equal("once", 1, s.Task(asking).InboxCount)
		q, _ := s.Question(1)
		s.Equal("state", parley.QuestionFailed, q.State)
		s.Equal("record", 8, len(s.Events(parley.EventQuestionPassed)))
		s.Equal("nothing else was delivered", false, s.Models.Showed("AnnBot", "I have passed"))
	})
}

func TestTheSecondWaveSurvivesARestart(t *testing.T) {
	team := askingAll("  B1"+broods, "  B2"+broods, "  B3"+broods, "  B4"+broods, "  B5"+broods, "  B6"+knows, "  B7"+broods)
	Play(t, team, func(s *Stage) {
		s.As("rutger").Begin("AnnBot", "Go.")
		s.Pass(time.Second)
		s.Stop()
		s.Equal("first", 5, len(s.reached(1)))
		s.Pass(time.Hour / 20)
		again := raise(s.TB, s.team, s.Store, s.Models)
		again.Pass(time.Second)
		s.Equal("then", 8, len(s.reached(1)))
		again.Pass(2 * time.Hour)
		again.Stop()
		s.Equal("heard", "Heard: I do.", s.Result(101))
	})
}

// Whoever says in the docs that it knows is asked first.
func TestWhoseDocsSpeakOfItIsAskedFirst(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "docs", "README.md"), []byte("# B7\n\nMigrations of the databases.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	team := askingAll("  B1"+passes, "  B2"+passes, "  B3"+passes, "  B4"+passes, "  B5"+passes, "  B6"+passes, "  B7"+knows)
	team.Member = func(m *app.Member) {
		loom(m)
		if m.Name == "B7" {
			m.Docs = directory.Docs{Home: home, Folder: "docs"}
		}
	}
	Play(t, team, func(s *Stage) {
		s.Equal("heard", "Heard: I do.", s.As("rutger").Ask("AnnBot", "Go."))
		s.Equal("asked", []string{"B1", "B2", "B3", "B4", "B7"}, s.reached(1))
	})
}

// The asker gets an answer once: what whoever answers says at the end of its turn is for
// the conversation alone.
func TestAnAnswerIsOneInboxItem(t *testing.T) {
	Play(t, Team{Agents: []string{"BeeBot"}, Member: loom, Script: `
agents:
  BeeBot: [{steps: [{call: peer_answer_question, args: {query_id: query-1, answer: 'Bearer tokens.'}}, {say: 'I have answered.'}]}]
`}, func(s *Stage) {
		s.As("rutger").AskTeam("BeeBot", "What pattern does the auth module use?")
		s.Pass(time.Second)
		s.Equal("the inbox", []Said{{"BeeBot", parley.AnswerMessage, "[Answer from BeeBot | Query: query-1]\nBearer tokens."}}, s.Inbox("rutger"))
		s.Equal("the dm has both", Said{"BeeBot", parley.ReplyMessage, "I have answered."}, last(s.DM("rutger", "BeeBot")))
	})
}

// The asker's new turn in the dm ends while the one who answered is still at work there:
// what it says does not enter that turn.
func TestTheAskersClosingTextDoesNotEnterTheAnswerersTurn(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {say: 'Asked.'}]
  BeeBot:
    - steps: [{wait: 1s, call: peer_answer_question, args: {query_id: query-1, answer: 'Bearer tokens.'}},
        {wait: 1m, call: list_agents, args: {}}, {say: 'I have answered.'}]
`}, func(s *Stage) {
		s.Equal("the asker does not wait", "Asked.", s.As("rutger").Ask("AnnBot", "Go."))
		s.Pass(5 * time.Minute)
		s.Equal("the asker's turn", "Heard: Bearer tokens.", s.Result(103))
		s.Equal("the answerer's", "I have answered.", s.Result(102))
		s.Equal("it read nothing of it", false, s.Models.Showed("BeeBot", "Heard:"))
		s.As("rutger").Ask("BeeBot", "Anything new?")
		s.Equal("nor later", false, s.Models.Showed("BeeBot", "Heard:"))
	})
}
