package desk_test

import (
	"fmt"
	"testing"

	"parley"
)

// What a result has shown is not handed out again, although nobody waits until it is stored.
func TestWhatWasShownIsSeenAtOnce(t *testing.T) {
	o := newOffice(t)
	first, second := o.notify("Pat", "Codex", "one"), o.notify("Pat", "Codex", "two")
	o.Shown(o.as("Codex"), []parley.MessageID{first})
	n, err := o.Unread(o.Context(), o.as("Codex"))
	o.must(err)
	o.equal("unread after one was shown", 1, n)
	o.equal("handed out after one was shown", []string{"two"}, bodies(o.receive("Codex", "")))

	o.Shown(o.as("Claude"), []parley.MessageID{second}) // not a message to Claude
	o.Settle()
	n, err = o.service().Unread(o.Context(), o.as("Codex"))
	o.must(err)
	o.equal("unread at a hub that remembers nothing", 1, n)
}

// When the hub stops, what was shown is stored.
func TestWhatWasShownIsStored(t *testing.T) {
	o := newOffice(t)
	for i := range 30 {
		o.Shown(o.as("Codex"), []parley.MessageID{o.notify("Pat", "Codex", fmt.Sprint(i))})
	}
	o.Settle()
	n, err := o.service().Unread(o.Context(), o.as("Codex"))
	o.must(err)
	o.equal("unread at a hub that remembers nothing", 0, n)
}

// Counting ends at some point, so that a call does not take longer the more is unread.
func TestUnreadIsCountedUpTo200(t *testing.T) {
	o := newOffice(t)
	for i := range 150 {
		o.notify("Pat", "Codex", fmt.Sprint(i))
		o.delegate("Pat", "Codex", fmt.Sprint(i), parley.Normal)
	}
	n, err := o.Unread(o.Context(), o.as("Codex"))
	o.must(err)
	o.equal("unread", 200, n)
	b := o.receive("Codex", "")
	o.equal("unread and more with a batch", []int{200, 180}, []int{b.Unread, b.More})
}
