package scenario

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/contact"
)

func TestALongMessageOfAPersonIsAttachedAndReadInParts(t *testing.T) {
	long := "Review this.\n\n" + strings.Repeat("0123456789abcde\n", 3000) // 48,014 bytes
	Play(t, Team{Agents: []string{"ReviewBot"}, Script: `
agents:
  ReviewBot:
    - steps:
        - {call: read_attachment, args: {}}
        - {call: read_attachment, args: {from: 32768}}
        - {call: read_attachment, args: {from: 48015}}
        - {say: 'Reviewed.'}
`, Member: limits(func(l *parley.Limits) { l.MessageBytes = 1000 })}, func(s *Stage) {
		rutger := s.As("rutger")
		made, err := s.Contacts.Delegate(s.Context(), rutger.Caller, contact.Request{Target: "ReviewBot", Message: long, Attach: true, Key: "k"})
		rutger.must(err)
		s.Wait(made.Task.ID)
		parts := s.Results(made.Task.ID)
		s.Equal("parts", 3, len(parts))
		s.Equal("the first", "Bytes 0 to 32768 of 48014:\n\n"+long[:32768]+"\n\nGo on with from: 32768.", parts[0])
		s.Equal("the second", "Bytes 32768 to 48014 of 48014:\n\n"+long[32768:]+"\n\nThat is all of it.", parts[1])
		s.Equal("past the end", "Error: The text has 48014 bytes; from is a number of one of them.", parts[2])

		again, err := s.Contacts.Delegate(s.Context(), rutger.Caller, contact.Request{Target: "ReviewBot", Message: long, Attach: true, Key: "k"})
		rutger.must(err)
		s.Equal("the same key", made.Task.ID, again.Task.ID)

		s.Equal("without the word", "Error: The message has 48014 bytes; the limit is 1000. Shorten it, or put the text where the other can read it.",
			rutger.Refused(parley.Notify, contact.Request{Target: "ReviewBot", Message: long}))
		s.Equal("by an agent", true, strings.HasPrefix(
			s.As("ReviewBot").Refused(parley.Notify, contact.Request{Target: "rutger", Message: long, Attach: true}), "Error: Only people "))
		huge := strings.Repeat("x", parley.AttachmentBytes+1)
		s.Equal("too long for an attachment", true, strings.HasPrefix(
			rutger.Refused(parley.Notify, contact.Request{Target: "ReviewBot", Message: huge, Attach: true}), "Error: The text has 4194305 bytes; an attachment has at most 4194304."))
	})
}

func TestARetriedTaskKeepsItsAttachment(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 100)
	Play(t, Team{Agents: []string{"ReviewBot"}, Script: `
agents:
  ReviewBot:
    - steps: [{fail: 'The pen is broken.'}]
`, Member: limits(func(l *parley.Limits) { l.MessageBytes = 1000 })}, func(s *Stage) {
		rutger := s.As("rutger")
		made, err := s.Contacts.Delegate(s.Context(), rutger.Caller, contact.Request{Target: "ReviewBot", Message: long, Attach: true})
		rutger.must(err)
		s.Wait(made.Task.ID)
		again, err := s.Contacts.Retry(s.Context(), rutger.Caller, made.Task.ID)
		rutger.must(err)
		s.Equal("attached", long, s.Attachment(s.Task(again.ID).Request))
	})
}
