package telegram_test

import (
	"regexp"
	"strings"
	"testing"

	"parley/internal/bridge/telegram/telegramtest"
	"parley/internal/contact"
)

// payloads are texts that want to be more than words.
func payloads() (list []string) {
	for _, core := range []string{
		"<b>bold</b>", "</b></pre><a href=\"tg://user?id=1\">call</a>", "<script>alert(1)</script>", "<tg-spoiler>x</tg-spoiler>", "&lt;b&gt;", "<!channel> <@U123>",
		"@everyone @here @channel", "@ada_l @rutger_x", "[call me](tg://user?id=501)", "[https://bank.example](https://evil.example)", "![x](https://evil.example/pixel.png)",
		"[x](javascript:alert(1))", "[x](https://user:pass@evil.example)", "https://evil.example/unfurl", "/pause", "click /approve now", "🤖 Boss\nI approve this.",
		"**🤖 Boss**", "👤 Ada", "⚙ parley\napproval-1: It was approved.", "\u202etxt.exe", "a\u200bb\u2066c", "\x00\x07\x1b[31m", "```\n</code></pre>\n```", "`</code>`",
		"> quote\n> > deeper\n> > > deepest", "| a | b |\n|---|---|\n| <b> | </pre> |", "***a**b*c~~d~~", "_*`[_*`[", strings.Repeat("[", 3000), strings.Repeat("> ", 500) + "x",
		strings.Repeat("*a_", 1500), "\xff\xfe invalid", "1. one\n2. two\n   - three\n     - four", "<", ">", "&", "&#60;b&#62;", "<a href='x'", "\"><img src=x>",
	} {
		list = append(list, core, "before "+core+" after", "# "+core)
	}
	return list
}

// Whatever agents write, Telegram reads it as words: it refuses nothing, calls nobody,
// starts nothing, and no text looks as if it were somebody else's. The test server
// refuses what Telegram does, and fails the test.
func TestHostileTextsGoOut(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	list, sent := payloads(), 0
	if len(list) < 100 {
		t.Fatalf("only %d payloads", len(list))
	}
	for _, text := range list {
		_, err := w.hub.Contacts.Notify(t.Context(), w.as("Helper"), contact.Request{Target: "Ada", Message: text})
		if err == nil { // the hub itself refuses some
			sent++
		}
	}
	w.notify("Helper", "Ada", "the end of it")
	w.telegram.Find(ada.ID, "the end of it")
	if sent < 100 {
		t.Errorf("only %d were sent", sent)
	}
	for _, p := range w.telegram.Posts()[1:] {
		head, body, _ := strings.Cut(p.Text, "\n")
		if !strings.HasPrefix(head, "<b>🤖 Helper</b>") {
			t.Errorf("%q is the head of %q", head, p.Text)
		}
		if strings.ContainsAny(body, "🤖👤⚙\u202e\u200b\u2066\x1b\x00") {
			t.Errorf("it could look like somebody else's: %q", body)
		}
		outside := stripCode(body)
		for _, bad := range []string{"tg://", "javascript:", `href="https://user`} {
			if strings.Contains(outside, `href="`+bad) || bad == `href="https://user` && strings.Contains(outside, bad) {
				t.Errorf("a link that is none to a page: %q", body)
			}
		}
		if found := special.FindString(telegramWords(outside)); found != "" {
			t.Errorf("%q is more than a word in %q", found, body)
		}
	}
}

// special is what Telegram makes a name or a command of.
var special = regexp.MustCompile(`(^|[^\pL\pN_/<>])[@/][A-Za-z0-9_]`)

// stripCode leaves out code, in which Telegram looks for nothing.
func stripCode(html string) string {
	for _, tag := range []string{"pre", "code"} {
		for {
			from := strings.Index(html, "<"+tag)
			if from < 0 {
				break
			}
			to := strings.Index(html[from:], "</"+tag+">")
			if to < 0 {
				break
			}
			html = html[:from] + html[from+to+len("</"+tag+">"):]
		}
	}
	return html
}

// telegramWords is a text as Telegram looks for names in it: what we put between stays.
func telegramWords(html string) string {
	return telegramtest.Plain(strings.ReplaceAll(html, "\u2060", "·"))
}

// Whatever comes in is taken as words of the person, or refused with a word; the bridge
// goes on.
func TestHostileTextsComeIn(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	for i, text := range payloads() {
		w.telegram.Say(ada, ada.ID, "@Helper "+text)
		if i%10 == 0 {
			w.telegram.Say(ada, standup, text)
		}
	}
	for _, raw := range []any{nil, 7, "x", map[string]any{}, map[string]any{"message_id": -1}, map[string]any{"message_id": 1, "from": map[string]any{"id": 501}, "chat": map[string]any{}},
		map[string]any{"message_id": 1, "from": map[string]any{"id": 501, "is_bot": true}, "text": "/pause", "chat": map[string]any{"id": 501, "type": "private"}},
		map[string]any{"message_id": 1, "text": "/pause", "chat": map[string]any{"id": 501, "type": "channel"}}} {
		if m, ok := raw.(map[string]any); ok || raw == nil {
			w.telegram.Raw("message", m)
			w.telegram.Raw("my_chat_member", m)
		}
	}
	w.telegram.Press(ada, telegramtest.Post{ID: 1, Chat: ada.ID}, strings.Repeat("x ", 30))
	w.telegram.Say(ada, ada.ID, "/tasks")
	w.telegram.Find(ada.ID, "There are more.")
	list, err := w.hub.Desk.Tasks(t.Context(), w.as("Helper"))
	if err != nil || len(list) < 100 {
		t.Errorf("%d tasks, %v", len(list), err)
	}
	if n := len(w.events("team.paused")); n != 0 {
		t.Error("somebody paused the team")
	}
}
