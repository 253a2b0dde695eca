package scenario

import (
	"testing"
	"time"

	"parley/internal/app"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/retention"
	"parley/internal/search"
	"parley/internal/store"
)

// Search finds messages as the participant may, each as who wrote it and its text.
func (p Participant) Search(text string) (list []string) {
	p.s.Helper()
	found, err := p.s.Reading.Search(p.s.Context(), p.Caller, reading.Search{Text: text, Kind: search.Messages, Newest: true, Limit: 20})
	p.must(err)
	for _, f := range found {
		list = append(list, p.s.name(f.Source.(store.FoundMessage).Author)+": "+f.Text)
	}
	return list
}

// indexed is how far the index has come.
func (s *Stage) indexed() (upto int64) {
	s.view(func(tx *store.Tx) error {
		m, err := tx.SearchMark(search.Messages)
		upto = m.Upto
		return err
	})
	return upto
}

var searchTeam = Team{Agents: []string{"AnnBot", "BobBot", "EveBot"}, Script: `
agents:
  AnnBot: [{steps: [{say: 'Heard.'}]}]
  BobBot: [{steps: [{say: 'Heard.'}]}]
  EveBot: [{steps: [{say: 'Heard.'}]}]
`}

// searching is the main flow: just written, indexed, by whom, and taken away.
func searching(s *Stage) {
	rutger, ann, bob, eve := s.As("rutger"), s.As("AnnBot"), s.As("BobBot"), s.As("EveBot")
	said := ann.Notify("BobBot", "The vault opens with swordfish.")
	rutger.AddChannel("room", "AnnBot", "EveBot")
	rutger.Post("room", "Swordfish is on the menu.")
	inDM, inRoom := "AnnBot: The vault opens with swordfish.", "rutger: Swordfish is on the menu."
	look := func(when string) {
		s.Equal("a person, "+when, []string{inRoom, inDM}, rutger.Search("swordfish"))
		s.Equal("one of the two, who is in the room, "+when, []string{inRoom, inDM}, ann.Search("swordfish"))
		s.Equal("the other, who is not, "+when, []string{inDM}, bob.Search("swordfish"))
		s.Equal("one who is only in the room, "+when, []string{inRoom}, eve.Search("swordfish"))
	}
	look("just written")
	s.Until("the index has come by", func() bool { return s.indexed() >= int64(said)+1 })
	look("indexed")
	_, err := s.Redactions.Redact(s.Context(), rutger.Caller, said, "")
	s.Equal("redacted", nil, err)
	s.Equal("a person finds it no more", []string{inRoom}, rutger.Search("swordfish"))
	s.Equal("nor does the index", 0, s.postings("vault"))
}

func (s *Stage) postings(word string) (n int) {
	s.view(func(tx *store.Tx) error {
		return tx.PostingSizes(s.id, search.Messages, []string{word}, func(string) int { return 10 }, func(store.Posting) { n++ })
	})
	return n
}

func TestSearchFindsWhatOneMayRead(t *testing.T) { Play(t, searchTeam, searching) }

func TestSearchFindsWhatOneMayReadOnPostgreSQL(t *testing.T) { playPostgres(t, searchTeam, searching) }

// An agent that has left a channel, or whose rules forbid reading it, does not find
// what is in it.
func TestSearchDoesNotFindWhatOneMayNotReadAnyMore(t *testing.T) {
	team := searchTeam
	team.Member = func(m *app.Member) {
		if m.Name == "EveBot" {
			profile, err := policy.NewProfile("open", policy.Patterns{Deny: []string{`tool:channel:read .*`}})
			if err != nil {
				t.Error(err)
			}
			m.Rules = &policy.Rules{Profile: profile}
		}
	}
	Play(t, team, func(s *Stage) {
		rutger := s.As("rutger")
		rutger.AddChannel("room", "AnnBot", "BobBot", "EveBot")
		rutger.Post("room", "Swordfish is on the menu.")
		s.Equal("a member", 1, len(s.As("BobBot").Search("swordfish")))
		s.Equal("a member who may not read", 0, len(s.As("EveBot").Search("swordfish")))
		_, err := s.Channels.Remove(s.Context(), rutger.Caller, "room", []string{"BobBot"})
		s.Equal("left", nil, err)
		s.Equal("one who has left", 0, len(s.As("BobBot").Search("swordfish")))
		s.Equal("one who has not", 1, len(s.As("AnnBot").Search("swordfish")))
	})
}

// What is too old to keep leaves no word behind, and a hub in which nothing
// happens writes nothing into the index.
func TestTheIndexForgetsWhatIsTooOld(t *testing.T) {
	Play(t, searchTeam, func(s *Stage) {
		rutger := s.As("rutger")
		rutger.Ask("AnnBot", "An old secret, swordfish.")
		keeper := s.Sweeper(s.id, retention.Rule{Messages: 90 * day})
		s.Pass(time.Hour)
		s.Equal("indexed", 1, s.postings("swordfish"))
		before := s.indexed()
		s.Pass(100 * day)
		s.Equal("idle", before, s.indexed())
		if _, err := keeper.Sweep(s.Context()); err != nil {
			s.Error(err)
		}
		s.Equal("not found", 0, len(rutger.Search("swordfish")))
		s.Equal("no word", 0, s.postings("swordfish"))
	})
}

// A result is stored where it was said and where it was delivered, and is found once.
func TestAResultIsFoundOnce(t *testing.T) {
	Play(t, Team{Agents: []string{"LeadBot", "WriterBot"}, Script: `
agents:
  LeadBot:
    - match: 'Go'
      steps: [{call: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Write.'}}, {say: 'Handed over.'}]
    - steps: [{say: 'Thanks.'}]
  WriterBot: [{steps: [{say: 'A report on swordfish.'}]}]
`}, func(s *Stage) {
		s.Wait(s.As("rutger").Delegate("LeadBot", "Go."))
		s.Equal("found", []string{"WriterBot: A report on swordfish."}, s.As("rutger").Search("swordfish"))
	})
}
