package slack_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley/internal/bridge/bridgetest"
	"parley/internal/bridge/slack/slacktest"
)

// refuse has calls refused with a code.
func (w *world) refuse(code string, methods ...string) {
	w.slack.Refuse(func(called string, _ url.Values) string {
		if slices.Contains(methods, called) {
			return code
		}
		return ""
	})
}

// Whatever Slack refuses, and with whatever code, what comes after it goes on.
func TestARefusalHoldsNothingUp(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)

	// A file.
	w.refuse("file_upload_size_restricted", "files.getUploadURLExternal")
	w.Notify(Ada, "Long. "+strings.Repeat("A few words. ", 2000))
	w.Notify(Ada, "After the file.")
	w.Once(Ada, "Long.", "could not be attached", "After the file.")

	// To look whether a post is there.
	w.refuse("missing_scope", "conversations.history", "conversations.replies")
	w.Chat.Fail(bridgetest.Unheard)
	w.Notify(Ada, "Perhaps.")
	if p := w.Find(Ada, "Perhaps."); !p.Repeat {
		t.Errorf("%+v", p)
	}
	w.slack.Refuse(nil)

	// To take a file away: the words go.
	made := w.Notify(Ada, "Secret. "+strings.Repeat("A few words. ", 2000))
	w.slack.Until("the file", func(v *slacktest.State) bool { return len(v.Files()) == 1 })
	w.refuse("cant_delete_file", "files.delete")
	w.Redact(made)
	w.Until("that the words are gone", func(v bridgetest.View) bool {
		return !slices.ContainsFunc(v.Posts(Ada), func(p bridgetest.Post) bool {
			return strings.Contains(p.Text, "Secret.") || strings.Contains(p.Text, "The whole text is attached.")
		})
	})

	// To change a post: others change.
	first, second := w.Want("one thing"), w.Want("another thing")
	kept, changes := w.Find(Ada, first.String()), w.Find(Ada, second.String())
	w.slack.Refuse(func(method string, args url.Values) string {
		if method == "chat.update" && args.Get("ts") == kept.ID {
			return "update_failed"
		}
		return ""
	})
	w.Deny(first)
	w.Deny(second)
	w.Until("a post without buttons", func(v bridgetest.View) bool {
		return slices.ContainsFunc(v.Posts(Ada), func(p bridgetest.Post) bool { return p.ID == changes.ID && len(p.Buttons) == 0 })
	})
}
