package bridgetest

import (
	"strings"

	"parley"
)

// An approval has buttons that are bound to the call. Whoever decides first decides, and
// everybody sees it in place.
func approvals(w *World) {
	w.Linked(Ada, Rutger)
	id := w.Want("rm -rf <everything>")
	post, other := w.Find(Ada, id.String()), w.Find(Rutger, id.String())
	if !strings.Contains(post.Text, "Trainee wants to contact Bot.") || !strings.Contains(post.Text, "rm -rf <everything>") || post.From != "⚙ parley" {
		w.Errorf("%+v", post)
	}
	w.Press(Ada, post, "Show all")
	w.Find(Ada, `"message"`)
	w.Press(Ada, post, "Approve")
	w.Chat.Repeat() // the program may do so
	for _, in := range []string{Ada, Rutger} {
		if p := w.Find(in, "It was approved by Ada."); len(p.Buttons) > 0 || p.Edits != 1 {
			w.Errorf("%+v", p)
		}
	}
	w.Shown(Ada, "is approved.")
	// Another decision is too late, and changes nothing. The button was on the screen still.
	w.Press(Rutger, other, "Deny")
	w.Shown(Rutger, "was approved by Ada already")
	w.Decided(id, parley.ApprovalApproved, "")
	// One that was decided elsewhere changes in place too.
	id = w.Want("another thing")
	w.Find(Ada, "another thing")
	w.Deny(id)
	w.Find(Ada, id.String(), "It was denied by Rutger.")
	w.Chat.Taken()
}

// Who denies with a reason is asked for it.
func reasons(w *World) {
	w.Linked(Ada, Rutger)
	id := w.Want("something")
	w.Press(Rutger, w.Find(Rutger, "something"), "Deny, saying why")
	w.Chat.Submit(Rutger, "Not on a Friday.")
	w.Chat.Submit(Rutger, "Not on a Friday.") // some programs repeat it
	w.Find(Ada, "It was denied by Rutger: Not on a Friday.")
	w.Chat.Taken()
	w.Decided(id, parley.ApprovalDenied, "Not on a Friday.")
}

// A press that names another call than the one that was shown is refused, and so is one that
// nobody knows.
func forgedButtons(w *World) {
	w.Linked(Ada)
	id := w.Want("something")
	post := w.Find(Ada, id.String())
	for _, forge := range []func(string) string{
		func(data string) string { return data[:strings.LastIndex(data, " ")] + " 0123456789ab" },
		func(string) string { return "approve " + id.String() + " 0123456789ab" },
		func(string) string { return "approve" },
		func(string) string { return "become admin now" },
		func(string) string { return strings.Repeat("x ", 30) },
	} {
		w.Chat.Press(Ada, post, "Approve", forge)
	}
	w.Until("five answers", func(v View) bool { return len(v.Shown(Ada)) == 5 })
	w.Chat.Taken()
	w.Decided(id, parley.ApprovalPending, "")
	w.Press(Ada, post, "Approve")
	w.Find(Ada, "It was approved by Ada.")
}
