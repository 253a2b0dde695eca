package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/keeper"
	"parley/internal/store"
)

// learns gives every agent the toolset, and as many contacts as it likes.
func learns(m *app.Member) {
	loom(m)
	m.Limits.Rate = 1000
}

// learner talks about what it is told, puts it away and looks it up.
const learner = `
agents:
  LearnerBot:
    - match: 'Put 2 away'
      steps: [{call: context_offload, args: {topic: 'auth research', message_count: 2}}, {say: '{{result}}'}]
    - match: 'Put 5 away'
      steps: [{call: context_offload, args: {topic: 'auth research', message_count: 5}}, {say: '{{result}}'}]
    - match: 'Put 8 away'
      steps: [{call: context_offload, args: {topic: 'auth research', message_count: 8}}, {say: '{{result}}'}]
    - match: 'Put 12 away'
      steps: [{call: context_offload, args: {topic: 'auth research', message_count: 12}}, {say: '{{result}}'}]
    - match: 'Put 900 away'
      steps: [{call: context_offload, args: {topic: 'auth research', message_count: 900}}, {say: '{{result}}'}]
    - match: 'Put it away'
      steps: [{call: context_offload, args: {topic: 'auth research'}}, {say: '{{result}}'}]
    - match: 'Share it'
      steps: [{call: context_offload, args: {topic: 'auth research', share: team}}, {say: '{{result}}'}]
    - match: 'Look up (raw|smart|clever): (.+)'
      steps: [{call: context_retrieve, args: {query: '{{match 2}}', mode: '{{match 1}}'}}, {say: '{{result}}'}]
    - match: 'Look in (\S+): (.+)'
      steps: [{call: context_retrieve, args: {query: '{{match 2}}', keeper_id: '{{match 1}}', mode: raw}}, {say: '{{result}}'}]
    - match: 'Look up: (.+)'
      steps: [{call: context_retrieve, args: {query: '{{match 1}}'}}, {say: '{{result}}'}]
    - match: 'Messages:\n\[(keeper-\d+/\d+)\]'
      steps: [{say: 'It uses bearer tokens [{{match 1}}], or [keeper-99/1].'}]
    - steps: [{say: 'Noted.'}]
  OtherBot:
    - match: 'Look up: (.+)'
      steps: [{call: context_retrieve, args: {query: '{{match 1}}'}}, {say: '{{result}}'}]
    - match: 'Messages:'
      steps: [{say: 'I have no idea.'}]
    - steps: [{say: 'Noted.'}]
`

var learning = Team{Agents: []string{"LearnerBot", "OtherBot"}, People: []string{"rutger", "ada"}, Script: learner, Member: learns}

// teach has rutger tell LearnerBot so many things: about the auth module first,
// then about the kitchen.
func (s *Stage) teach(n int) {
	s.Helper()
	for i := range n {
		about := fmt.Sprintf("The auth module checks bearer tokens, part %d.", i)
		if i >= n/2 {
			about = fmt.Sprintf("The kitchen needs new cups, box %d.", i)
		}
		s.As("rutger").Ask("LearnerBot", about)
	}
}

// tell asks LearnerBot and waits until what it did is indexed.
func (s *Stage) tell(text string) string {
	s.Helper()
	answer := s.As("rutger").Ask("LearnerBot", text)
	s.Pass(time.Second)
	return answer
}

func TestContextOffloadAndRetrieveRoundTrip(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.teach(12)
		s.Equal("put away", "Offloaded 12 messages. [Keeper:keeper-1] topic=auth research", s.tell("Put it away."))
		s.roundTrip()
	})
}

// roundTrip compares what is found with what was put away: all of the auth module
// that is within reach, up to where the talk turns to the kitchen.
func (s *Stage) roundTrip() {
	s.Helper()
	k, list := s.Keeper(1)
	s.Equal("topic", "auth research", k.Topic)
	s.Equal("count", len(list), k.Count)
	for i, m := range list[1:] {
		if m.At < list[i].At {
			s.Errorf("%s is older than %s", m.Name(), list[i].Name())
		}
	}
	got := s.tell("Look up raw: auth tokens")
	for _, m := range list {
		if line := fmt.Sprintf("[%s]: %s", m.Role, parley.Entry(m.Text)); strings.Contains(m.Text, "auth") != strings.Contains(got, line) {
			s.Errorf("%q among what was found: %s", line, got)
		}
	}
}

// Keeper reads a keeper with its messages.
func (s *Stage) Keeper(id parley.KeeperID) (k parley.Keeper, list []parley.KeptMessage) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) {
		if k, err = tx.Keeper(id); err == nil {
			list, err = tx.KeptIn(id)
		}
		return err
	})
	return k, list
}

func TestOffloadOfAGivenNumberOfMessages(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.teach(6)
		s.Equal("answer", "Offloaded 5 messages. [Keeper:keeper-1] topic=auth research", s.tell("Put 5 away."))
		_, list := s.Keeper(1)
		s.Equal("the oldest first", "[Agent Request from rutger | Pattern: ask]\n\nThe auth module checks bearer tokens, part 0.", list[0].Text)
		s.Equal("roles", "user assistant user assistant user", roles(list))
		s.Equal("all the others", "Offloaded 10 messages. [Keeper:keeper-2] topic=auth research", s.tell("Put 900 away."))
		s.Equal("nothing was taken out of the conversation", 12+2+1, len(s.Saw("LearnerBot", -2)))
	})
}

// A keeper is found by its topic too, though no message has its words; by those who
// may read it.
func TestKeepersAreFoundByTheirTopic(t *testing.T) {
	team := learning
	team.Script = strings.ReplaceAll(learner, "topic: 'auth research', message_count: 2", "topic: 'zeppelin hangar', message_count: 2")
	Play(t, team, func(s *Stage) {
		s.teach(4)
		s.tell("Put 2 away.")
		if got := s.tell("Look up raw: zeppelin"); !strings.Contains(got, "part 0.\n  from keeper-1/1, topic: zeppelin hangar") {
			s.Errorf("found %q", got)
		}
		s.Equal("another", "No relevant context found for: zeppelin", s.As("rutger").Ask("OtherBot", "Look up: zeppelin"))
	})
}

// What is put away is the oldest of the whole thread, far beyond what is in sight, and
// a second time goes on where the first ended.
func TestOffloadGoesOnWhereItEnded(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		for i := range 30 {
			s.As("rutger").Ask("LearnerBot", fmt.Sprintf("Fact %d about the harbour.", i))
		}
		s.tell("Put 12 away.")
		s.tell("Put it away.")
		_, first := s.Keeper(1)
		k, second := s.Keeper(2)
		s.Equal("the oldest", "[Agent Request from rutger | Pattern: ask]\n\nFact 0 about the harbour.", first[0].Text)
		s.Equal("goes on", "[Agent Request from rutger | Pattern: ask]\n\nFact 6 about the harbour.", second[0].Text)
		if left := 60 + 3 - 12; k.Count < left*15/100 || k.Count > left*45/100+1 {
			s.Errorf("%d of %d messages", k.Count, left)
		}
		s.checkKeptOnce("LearnerBot")
	})
}

func TestAtMost500MessagesAreOffloadedAtOnce(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		for i := range 260 {
			s.As("rutger").Ask("LearnerBot", fmt.Sprintf("Fact %d.", i))
		}
		s.Equal("first", "Offloaded 500 messages. [Keeper:keeper-1] topic=auth research", s.tell("Put 900 away."))
		s.Equal("second", "Offloaded 23 messages. [Keeper:keeper-2] topic=auth research", s.tell("Put 900 away."))
		s.checkKeptOnce("LearnerBot")
	})
}

// The steps of a task are put away once too.
func TestASecondOffloadInATaskTakesNoStepTwice(t *testing.T) {
	team := learning
	team.Script = `
agents:
  LearnerBot:
    - steps:
      - {call: list_agents}
      - {call: list_agents}
      - {call: context_offload, args: {topic: first, message_count: 4}}
      - {call: list_agents}
      - {call: context_offload, args: {topic: second, message_count: 4}}
      - {say: 'Done.'}
`
	Play(t, team, func(s *Stage) {
		s.As("rutger").Ask("LearnerBot", "Work.")
		_, first := s.Keeper(1)
		_, second := s.Keeper(2)
		s.Equal("first", "user assistant tool assistant", roles(first))
		s.Equal("second", "tool assistant tool assistant", roles(second))
		s.Equal("which call", true, strings.HasPrefix(second[1].Text, "context_offload "))
	})
}

func roles(list []parley.KeptMessage) string {
	var all []string
	for _, m := range list {
		all = append(all, m.Role)
	}
	return strings.Join(all, " ")
}

func TestTooFewMessagesToOffload(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.Equal("one", "No messages to offload (context too small).", s.tell("Put it away."))
		s.Equal("three", "No messages to offload (context too small).", s.tell("Put 2 away."))
		s.Equal("five", "Offloaded 2 messages. [Keeper:keeper-1] topic=auth research", s.tell("Put 2 away."))
	})
}

func TestRetrieveAnswersAQuestionSmartAndNamesItsSources(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.teach(8)
		s.tell("Put it away.")
		got := s.tell("Look up: which tokens does the auth module check")
		_, after, found := strings.Cut(got, "Sources: ")
		if !strings.HasPrefix(got, "It uses bearer tokens [keeper-1/") || !found || !strings.HasPrefix(after, "keeper-1/") || strings.Contains(got, "keeper-99") {
			s.Errorf("smart: %q", got)
		}
		s.Equal("raw on a question", "[user]: ", s.tell("Look up raw: which tokens does the auth module check?")[:len("[user]: ")])
		s.Equal("words alone are raw", "[user]: ", s.tell("Look up: auth tokens")[:len("[user]: ")])
		s.Equal("a made-up mode", "Error: Unknown mode \"clever\". Use 'smart' for a short answer or 'raw' for the messages, or leave it out.", s.tell("Look up clever: auth"))
	})
}

// A model that names no message that is there is not believed, and one that fails
// is not needed.
func TestSmartRetrievalFallsBackToRaw(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.teach(8)
		s.tell("Share it.")
		got := s.As("rutger").Ask("OtherBot", "Look up: which tokens does the auth module check?")
		if !strings.HasPrefix(got, "[user]: > [Agent Request from rutger | Pattern: ask]\n  | \n  | The auth module") {
			s.Errorf("read %q", got)
		}
	})
}

func TestSmartRetrievalWithAModelThatFailsIsRaw(t *testing.T) {
	team := learning
	team.Script = strings.Replace(learner, "{say: 'I have no idea.'}", "{fail: 'Overloaded.'}", 1)
	Play(t, team, func(s *Stage) {
		s.teach(8)
		s.tell("Share it.")
		got := s.As("rutger").Ask("OtherBot", "Look up: which tokens does the auth module check?")
		if !strings.HasPrefix(got, "[user]: > [Agent Request from rutger | Pattern: ask]\n  | \n  | The auth module") {
			s.Errorf("read %q", got)
		}
		s.Equal("it was asked", true, s.Models.Showed("OtherBot", "Question: which tokens does the auth module check?"))
	})
}

func TestRetrieveFromOneKeeper(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.teach(4)
		s.tell("Put 2 away.")
		s.tell("Put 8 away.")
		if got := s.tell("Look in keeper-1: cups kitchen auth"); strings.Contains(got, "cups") || !strings.Contains(got, "part 0") {
			s.Errorf("keeper-1: %q", got)
		}
		if got := s.tell("Look in keeper-2: cups kitchen"); !strings.Contains(got, "cups") {
			s.Errorf("keeper-2: %q", got)
		}
		s.Equal("one that is not there", "No relevant context found for: cups", s.tell("Look in keeper-77: cups"))
		s.Equal("what is no id", `Error: "kitchen" is not an id like keeper-101.`, s.tell("Look in kitchen: cups"))
	})
}

func TestNothingFoundIsAFriendlyAnswer(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.Equal("no keepers", "No relevant context found for: unicorns", s.tell("Look up: unicorns"))
		s.teach(4)
		s.tell("Put it away.")
		long := strings.Repeat("zeppelin ", 20)
		s.Equal("80 characters of it", "No relevant context found for: "+long[:80], s.tell("Look up: "+long))
	})
}

func TestRetrieveIsCutAt8000CharactersAtAMessage(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		for i := range 6 {
			s.As("rutger").Ask("LearnerBot", fmt.Sprintf("Report %d on turbines: %s end.", i, strings.Repeat("they spin ", 250)))
		}
		s.tell("Put 12 away.")
		got := s.tell("Look up raw: turbines report")
		if n := len([]rune(got)); n > 8000 || n < 7000 || !strings.HasSuffix(got[:strings.LastIndex(got, "\n  from keeper-1/")], "end.") {
			s.Errorf("%d characters, ending in %q", n, got[len(got)-20:])
		}
	})
}

// TestKeepersAreNotFoundByThoseWhoMayNotReadTheirSource: a keeper made from a
// private dm is never found by, shown to or used to enrich somebody else.
func TestKeepersAreNotFoundByThoseWhoMayNotReadTheirSource(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.teach(8)
		s.tell("Put it away.")
		miss := "No relevant context found for: auth tokens"
		other := s.As("OtherBot").Caller
		s.Equal("by tool", miss, s.As("rutger").Ask("OtherBot", "Look up: auth tokens"))
		text, err := s.Keepers.Retrieve(s.Context(), other, keeper.Query{Text: "auth tokens", Keeper: 1}, nil)
		s.Equal("by its id", miss, text)
		s.Equal("error", nil, err)
		s.Equal("to enrich", "", s.Keepers.Relevant(s.Context(), s.id, other.Agent, "Which auth tokens are there?"))
		list, err := s.Keepers.List(s.Context(), other, 10)
		s.Equal("in the list", 0, len(list))
		s.Equal("error", nil, err)
		_, _, err = s.Keepers.Show(s.Context(), other, 1)
		s.Equal("shown", "Error: keeper-1 not found.", parley.ToolError(err))
		_, err = s.Keepers.Share(s.Context(), other, 1)
		s.Equal("shared by another", "Error: keeper-1 not found.", parley.ToolError(err))
		s.Equal("its owner", true, s.Keepers.Relevant(s.Context(), s.id, s.agent("LearnerBot"), "Which auth tokens are there?") != "")
		_, err = s.Keepers.Share(s.Context(), s.As("LearnerBot").Caller, 1)
		s.Equal("error", nil, err)
		s.Pass(time.Second)
		if got := s.As("rutger").Ask("OtherBot", "Look up: auth tokens"); !strings.HasPrefix(got, "[user]: ") {
			s.Errorf("after it was shared: %q", got)
		}
		s.Equal("record", []string{"keeper.shared by LearnerBot to LearnerBot (keeper-1)"}, s.Events(parley.EventKeeperShared))
	})
}

// What tools returned to an agent is its own, also where the conversation is
// another's too.
func TestStepsOfATurnAreKeptForTheirOwnerAlone(t *testing.T) {
	team := learning
	team.Channels = []string{"room"}
	team.Script = `
agents:
  LearnerBot:
    - match: 'Read and keep'
      steps: [{call: list_agents}, {call: list_agents}, {call: context_offload, args: {topic: t, message_count: 10}}, {say: '{{result}}'}]
    - match: 'Look up: (.+)'
      steps: [{call: context_retrieve, args: {query: '{{match 1}}'}}, {say: '{{result}}'}]
    - steps: [{say: 'Noted.'}]
  OtherBot:
    - match: 'Ask for it'
      steps: [{call: contact_agent, args: {action: ask, agentId: LearnerBot, message: 'Read and keep the marbles.'}}, {say: '{{result}}'}]
    - match: 'Look up: (.+)'
      steps: [{call: context_retrieve, args: {query: '{{match 1}}', mode: raw}}, {say: '{{result}}'}]
    - steps: [{say: 'Noted.'}]
`
	Play(t, team, func(s *Stage) {
		s.Equal("put away", "Response from LearnerBot: > Offloaded 5 messages. [Keeper:keeper-1] topic=t", s.As("rutger").Ask("OtherBot", "Ask for it."))
		s.Pass(time.Second)
		_, list := s.Keeper(1)
		s.Equal("roles", "user assistant tool assistant tool", roles(list))
		if got := s.As("rutger").Ask("OtherBot", "Look up: marbles"); !strings.Contains(got, "marbles") {
			s.Errorf("what it said itself: %q", got)
		}
		s.Equal("what the other's tool returned", "No relevant context found for: idle", s.As("rutger").Ask("OtherBot", "Look up: idle"))
		if got := s.As("rutger").Ask("LearnerBot", "Look up: idle"); !strings.Contains(got, "[tool]: ") {
			s.Errorf("the owner: %q", got)
		}
	})
}

// What came between two steps of an earlier turn is kept as what it is, somebody's
// message, also when the conversation was read back from the record.
func TestWhatArrivedInAnEarlierTurnIsKeptAsItsAuthors(t *testing.T) {
	team := learning
	team.Script = `
agents:
  LearnerBot:
    - match: 'Work'
      steps: [{wait: 10s, call: contact_agent, args: {action: delegate, agentId: OtherBot, message: Figures.}}, {say: 'It comes.'}]
    - match: 'Delegation Result'
      steps: [{call: context_offload, args: {topic: t, message_count: 20}}, {say: '{{result}}'}]
  OtherBot: [{steps: [{wait: 1m, say: 'Twelve.'}]}]
`
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("LearnerBot", "Work.")
		s.Pass(5 * time.Second)
		note := s.As("rutger").Notify("LearnerBot", "Mind the gap.")
		s.Wait(id)
		_, list := s.Keeper(1)
		var kept parley.KeptMessage
		for _, m := range list {
			if strings.Contains(m.Text, "Mind the gap.") {
				kept = m
			}
		}
		s.Equal("the message", note, kept.Message)
		s.Equal("its author", s.agent("rutger"), kept.Author)
		s.Equal("for its owner alone", false, kept.Private)
	})
}

// Who has left a group no longer finds what was put away there.
func TestKeepersOfAGroupFollowItsMembers(t *testing.T) {
	team := learning
	team.Channels = []string{"room"}
	Play(t, team, func(s *Stage) {
		for i := range 6 {
			s.post("rutger", "room", fmt.Sprintf("@LearnerBot The harbour opens at %d.", i))
			s.Pass(time.Second)
		}
		s.post("rutger", "room", "@LearnerBot Put it away.")
		s.Pass(time.Second)
		if got := s.As("rutger").Ask("OtherBot", "Look up: harbour opens"); !strings.Contains(got, "harbour") {
			s.Errorf("a member: %q", got)
		}
		_, err := s.Hub.Channels.Remove(s.Context(), s.As("rutger").Caller, "room", []string{"OtherBot"})
		s.Equal("error", nil, err)
		if got := s.As("rutger").Ask("OtherBot", "Look up: harbour opens"); strings.Contains(got, "\n  from keeper-") || strings.Contains(got, "\n  from msg-1,") {
			s.Errorf("one who left: %q", got) // it still reads what it said to rutger
		}
	})
}

func (s *Stage) post(as, channel, text string) {
	s.Helper()
	_, err := s.Contacts.Post(s.Context(), s.As(as).Caller, contact.Post{Channel: channel, Message: text})
	s.As(as).must(err)
}

// An outside program passes its own messages, which are its own.
func TestAClientPassesItsMessages(t *testing.T) {
	team := learning
	team.Member = func(m *app.Member) {
		learns(m)
		if m.Name == "OtherBot" {
			m.Kind, m.Model = parley.Client, nil
		}
	}
	Play(t, team, func(s *Stage) {
		c := s.As("OtherBot").Caller
		said, err := keeper.Passed(c, []string{"user", "assistant", "tool", "user"}, []string{"Where is the ladder?", "In the shed.", "shed: ladder", "Thanks."})
		s.Equal("error", nil, err)
		for range 2 { // the second finds the first
			k, made, err := s.Keepers.Offload(s.Context(), c, keeper.Offloading{Topic: "ladders", Count: 3, Key: "k", Said: said})
			s.Equal("error", nil, err)
			s.Equal("made", true, made)
			s.Equal("text", "Offloaded 3 messages. [Keeper:keeper-1] topic=ladders", parley.OffloadedText(k))
		}
		text, err := s.Keepers.Retrieve(s.Context(), c, keeper.Query{Text: "where is the ladder?"}, nil)
		s.Equal("error", nil, err)
		if !strings.Contains(text, "[user]: Where is the ladder?") {
			s.Errorf("read %q", text)
		}
		s.Equal("LearnerBot", "No relevant context found for: ladder", s.tell("Look up: ladder"))
		_, err = keeper.Passed(c, []string{"system"}, []string{"x"})
		s.Equal("a made-up role", "Error: There is no role \"system\". Use 'user', 'assistant' or 'tool'.", parley.ToolError(err))
		c.Task = 101
		_, _, err = s.Keepers.Offload(s.Context(), c, keeper.Offloading{Topic: "ladders", Said: said})
		s.Equal("another's task", "Error: task-101 is not a task of yours.", parley.ToolError(err))
	})
}

func TestUnusedKeepersAreUsedMarkedAndPruned(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.teach(4)
		s.tell("Put 2 away.")
		s.tell("Put 2 away.")
		s.Pass(3 * time.Hour)
		s.tell("Look in keeper-2: auth")
		s.tell("Look in keeper-2: auth")
		s.Pass(2 * time.Minute)
		k, _ := s.Keeper(2)
		s.Equal("uses", 2, k.Uses)
		rutger := s.As("rutger").Caller
		_, err := s.Keepers.Prune(s.Context(), s.As("LearnerBot").Caller, time.Hour, true)
		s.Equal("by an agent", "Error: Only people may prune keepers. Ask a person to do it.", parley.ToolError(err))
		for _, dry := range []bool{true, false} {
			list, err := s.Keepers.Prune(s.Context(), rutger, 2*time.Hour, dry)
			s.Equal("error", nil, err)
			s.Equal("found", 1, len(list))
			s.Equal("it", parley.KeeperID(1), list[0].ID)
		}
		left, err := s.Keepers.List(s.Context(), rutger, 10)
		s.Equal("error", nil, err)
		s.Equal("left", 1, len(left))
		s.Equal("gone", "No relevant context found for: auth", s.tell("Look in keeper-1: auth"))
		s.Equal("record", []string{"keeper.pruned by rutger (1 keepers)"}, s.Events(parley.EventKeeperPruned))
	})
}

func TestPostgresContextOffloadAndRetrieve(t *testing.T) {
	playPostgres(t, learning, func(s *Stage) {
		s.teach(12)
		s.As("rutger").Ask("LearnerBot", "Put it away.")
		_, list := s.Keeper(1)
		got := s.As("rutger").Ask("LearnerBot", "Look up raw: auth tokens")
		if !strings.Contains(got, "[user]: "+parley.Entry(list[0].Text)) {
			s.Errorf("found %q", got)
		}
		s.Equal("another", "No relevant context found for: auth tokens", s.As("rutger").Ask("OtherBot", "Look up: auth tokens"))
	})
}
