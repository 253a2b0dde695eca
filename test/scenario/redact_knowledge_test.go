package scenario

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bubbletest"
)

// A text that was put away spreads with what is found in keepers: into the results
// of those who look it up, and into the beginning of turns that it enriched, in
// trees that have nothing to do with where it was said.
func TestARedactedTextIsGoneFromWhatWasFoundInKeepers(t *testing.T) {
	t.Parallel()
	team := learning
	team.Script = `
agents:
  LearnerBot:
    - match: 'Put 8 away'
      steps: [{call: context_offload, args: {topic: 'passwords', message_count: 8}}, {say: 'Done.'}]
    - match: 'Look it up'
      steps: [{call: context_retrieve, args: {query: 'password hunter2', mode: raw}}, {say: 'Found.'}]
    - match: '^\[Query from'
      steps: [{say: 'No idea.'}]
    - steps: [{say: 'Noted.'}]
  OtherBot:
    - match: '^\[Answer from'
      steps: [{say: 'Heard.'}]
    - steps: [{call: peer_ask_question, args: {question: 'Which password is it?', target: LearnerBot}}, {wait: 1m, say: 'Asked.'}]
`
	for name, text := range map[string]string{
		"whole": "You see, " + secret,
		"cut":   secret + strings.Repeat("\nand so on", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubbletest.Test(t, func(t *testing.T) { redactFound(t, team, text) })
		})
	}
}

func redactFound(t *testing.T, team Team, text string) {
	dir := t.TempDir()
	s := Raise(t, team, OpenFile(t, filepath.Join(dir, "parley.db")))
	rutger := s.As("rutger")
	first := rutger.Delegate("LearnerBot", text)
	s.Wait(first)
	s.teach(3)
	s.tell("Put 8 away.")
	s.tell("Look it up.")
	rutger.Ask("OtherBot", "Ask.")
	s.Pass(time.Minute)
	s.Equal("enriched", true, s.Models.Showed("LearnerBot", "Relevant context:"))
	_, err := s.Redactions.Redact(s.Context(), rutger.Caller, s.Task(first).Request, "")
	rutger.must(err)
	if inFiles(t, dir) {
		t.Error("the secret is still in the files")
	}
	s.Stop()
}

// What forwarding agents added to a question is redacted with the question, wherever
// it was read.
func TestTheEnrichmentsOfARedactedQuestionAreGone(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := Raise(t, Team{Agents: []string{"AnnBot", "BeeBot", "CidBot"}, Member: loom, Script: `
agents:
  AnnBot:
    - match: '^\[Answer from'
      steps: [{say: 'Heard.'}]
    - steps: [` + askB + `, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{call: peer_forward_question, args: {query_id: query-1, target: CidBot, enrichment: '` + secret + `'}}, {say: 'Not mine.'}]}]
  CidBot: [{steps: [{say: 'It is.'}]}]
`}, OpenFile(t, filepath.Join(dir, "parley.db")))
		rutger := s.As("rutger")
		rutger.Ask("AnnBot", "Go.")
		for _, id := range []parley.TaskID{102, 103} {
			_, err := s.Redactions.Redact(s.Context(), rutger.Caller, s.Task(id).Request, "")
			rutger.must(err)
		}
		if inFiles(t, dir) {
			t.Error("the secret is still in the files")
		}
		s.Stop()
	})
}
