package cli

import "testing"

// Whoever waits at a terminal is asked there what waits for them in the tree.
func TestAskInATerminal(t *testing.T) {
	w := newWatching(t)
	w.start()
	w.tmux("new-session", "-d", "-x", "100", "-y", "40", "env PS1='ready: ' sh")

	// What was typed before the question stood does not answer it.
	w.press("parley ask writer 'Run the tests.'", "Enter", "y", "Enter")
	w.see("writer wants to", "y: yes.", "a: yes, and always", "does not count", "\n>")
	if len(w.approvals()) != 1 {
		t.Fatal("a word that was typed before the question has decided it")
	}
	w.press("s", "Enter")
	w.see(`"command"`, "Enter: later.\n>")
	w.press("n Not today.", "Enter")
	w.see("Denied.", "Not today.", "The tests pass.\nready:")

	// Always writes the rule.
	w.press("clear; parley ask writer 'Run the tests.'", "Enter")
	w.unseen("Denied.") // the question before stands there until then
	w.see("a: yes, and always", "\n>")
	w.press("a", "Enter")
	w.see("Approved, and writer has the rule profile allow:tool:shell:", "The tests pass.\nready:")
	w.unseen("waits for approval")

	// A question is answered by the number of a choice; the agent reads its text. The
	// message was piped in, so the terminal itself is asked.
	w.press("clear; echo Please. | parley ask planner 'Paint the door.'", "Enter")
	w.see("planner asks you", "Choose by number", "\n>")
	w.press("2", "Enter")
	w.see("Answered: ")
	w.unseen("Answered: 2")
}
