package slack_test

import (
	"net/url"
	"strings"
	"testing"

	"parley"
	"parley/internal/bridge/slack/slacktest"
	"parley/internal/contact"
)

// refuse has calls refused with a code.
func (w *world) refuse(code string, methods ...string) {
	w.slack.Refuse(func(called string, _ url.Values) string {
		for _, m := range methods {
			if called == m {
				return code
			}
		}
		return ""
	})
}

// Whatever Slack refuses, and with whatever code, what comes after it goes on.
func TestARefusalHoldsNothingUp(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)

	// A file.
	w.refuse("file_upload_size_restricted", "files.getUploadURLExternal")
	w.notify("Helper", "Ada", "Long. "+strings.Repeat("A few words. ", 2000))
	w.notify("Helper", "Ada", "After the file.")
	w.once(w.dms[ada], "Long.", "could not be attached", "After the file.")

	// To look whether a post is there.
	w.refuse("missing_scope", "conversations.history", "conversations.replies")
	w.faulty("chat.postMessage", slacktest.Unheard)
	w.notify("Helper", "Ada", "Perhaps.")
	w.slack.Find(w.dms[ada], "Perhaps.", "perhaps a repeat")
	w.slack.Refuse(nil)

	// To take a file away: the words go.
	made, err := w.hub.Contacts.Notify(t.Context(), w.as("Helper"), contact.Request{Target: "Ada", Message: "Secret. " + strings.Repeat("A few words. ", 2000), Attach: true})
	if err != nil {
		t.Fatal(err)
	}
	w.slack.Until("the file", func(v *slacktest.State) bool { return len(v.Files()) == 1 })
	w.refuse("cant_delete_file", "files.delete")
	if _, err := w.hub.Redactions.Redact(t.Context(), w.as("Ada"), made.Message, "a secret"); err != nil {
		t.Fatal(err)
	}
	w.slack.Until("that the words are gone", func(v *slacktest.State) bool {
		_, first := v.Post(w.dms[ada], "Secret.")
		_, last := v.Post(w.dms[ada], "The whole text is attached.")
		return !first && !last
	})

	// To change a post: others change.
	first, second := w.want("one thing"), w.want("another thing")
	kept, changes := w.slack.Find(w.dms[ada], first.String()), w.slack.Find(w.dms[ada], second.String())
	w.slack.Refuse(func(method string, args url.Values) string {
		if method == "chat.update" && args.Get("ts") == kept.TS {
			return "update_failed"
		}
		return ""
	})
	for _, id := range []parley.ApprovalID{first, second} {
		if _, err := w.hub.Contacts.Deny(t.Context(), w.as("Rutger"), parley.ApprovalRef{ID: id}, "no"); err != nil {
			t.Fatal(err)
		}
	}
	w.slack.Until("a post without buttons", func(v *slacktest.State) bool {
		for _, m := range v.Posts(w.dms[ada]) {
			if m.TS == changes.TS {
				return len(m.Buttons()) == 0
			}
		}
		return false
	})
}

// An account is one of a workspace: another one may have the same number.
func TestAnAccountHasItsWorkspace(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	gone, err := w.people.Unlink(t.Context(), w.as("Ada"), "Ada", "")
	if err != nil || len(gone) != 1 || gone[0].Account != slacktest.Team+"."+ada {
		t.Errorf("%+v, %v", gone, err)
	}
}
