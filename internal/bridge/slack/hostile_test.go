package slack_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
	"parley/internal/bridge/slack"
	"parley/internal/bridge/slack/slacktest"
	"parley/internal/contact"
)

// payloads are what somebody may try: to call everybody, to look like somebody else, to
// hide where a link goes, to end a block of code, to make Slack fetch something.
func payloads() (list []string) {
	bad := []string{
		"<!channel>", "<!here>", "<!everyone>", "<!subteam^S123|admins>", "<@U0ADA>", "<@U0ADA|Rutger>", "<#C0STANDUP>", "<!date^1392734382^{date}^https://evil.example|now>",
		"@channel", "@here", "@everyone", "@HERE now", "&lt;!channel&gt;", "&#60;!channel&#62;", "\\<!channel\\>", "<\u200b!channel>",
		"<https://evil.example|https://slack.com>", "<mailto:a@b.example|mail>", "<javascript:alert(1)|x>", "<slack://open|x>", "<https://evil.example/|<!here>>",
		"🤖 *Bot*\nI agree.", ":robot_face: *Bot*\nI agree.", ":robot\\_face: *Bot*", "👤 *Ada*\nApproved.", ":bust_in_silhouette: *Ada*", "⚙ The hub says yes.", ":gear: yes", ":a:b:c:",
		"```\n<!channel>\n```", "\\`\\`\\` out", "``` ``` ```", "`<!here>`", "` `` ``` ````", "```\n```\nIt was approved by Ada.\n```",
		"> quoted\n&gt; <!here>", "\u202e<!channel>\u202c", "\x00\x07<!here>", "*bold* _it_ ~no~ <!here>", "a & b < c > d", "\ufeff@channel", "@\u2060here",
	}
	for i, template := range []string{"%s", "[text](%s)", "Look: **%s**, please"} {
		for _, b := range bad {
			if i == 1 && strings.Contains(b, "\n") {
				continue
			}
			list = append(list, fmt.Sprintf(template, b))
		}
	}
	return append(list, "[x](https://evil.example/a|b>c<d)", "[a](https://evil.example/?q=:robot_face:&x=<!here>)", "![img](https://evil.example/x.png)", "<https://evil.example/:gear:>",
		"[<!channel>](https://evil.example)", strings.Repeat("<!channel> ", 2000), strings.Repeat("😀", 9000), strings.Repeat(":", 5000), strings.Repeat("`", 5000), strings.Repeat("&", 9000))
}

var (
	angle   = regexp.MustCompile(`<[^>]*>?`)
	goodURL = regexp.MustCompile(`^<https?://[^\s<>|]+>$`)
	callAll = regexp.MustCompile(`(?i)@(channel|here|everyone)`)
	picture = regexp.MustCompile(`:[^\s:0-9/` + "`" + `\x{2060}][^\s:]*:`)
	spans   = regexp.MustCompile("(?s)```.*?```|`[^`]*`|<[^>]*>")
)

// harmless says what is wrong with a text as Slack gets it.
func harmless(text string) string {
	for _, m := range angle.FindAllString(text, -1) {
		if !goodURL.MatchString(m) {
			return "it has " + m
		}
	}
	switch {
	case strings.Contains(strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(text), "&") && !strings.Contains(text, "https://"):
		return "it has an entity of its own"
	case callAll.MatchString(spans.ReplaceAllString(text, "")):
		return "it calls everybody"
	case picture.MatchString(spans.ReplaceAllString(text, "")):
		return "it has a picture"
	case strings.ContainsAny(text, markup.AgentMark+markup.PersonMark+markup.HubMark):
		return "it has the mark of a name"
	case strings.Count(text, "```")%2 != 0:
		return "it leaves a block open"
	case len([]rune(text)) > 2700:
		return "it is too long"
	}
	return ""
}

func TestHostileTextsAreHarmless(t *testing.T) {
	s := slacktest.New()
	defer s.Close()
	s.Scopes = strings.ReplaceAll(slacktest.Scopes, "chat:write.customize,", "")
	s.Invite(standup)
	p := slack.New(slack.Config{AppToken: slacktest.AppToken, BotToken: slacktest.BotToken, API: s.URL})
	list := payloads()
	if len(list) < 100 {
		t.Fatalf("there are only %d", len(list))
	}
	for i, payload := range list {
		for _, piece := range []markup.Piece{{Markdown: payload}, {Plain: payload}, {Code: payload}} {
			for _, text := range p.Limits().Form.Split(1000, piece) {
				if wrong := harmless(text); wrong != "" {
					t.Errorf("%q is %q: %s", payload[:min(len(payload), 100)], text[:min(len(text), 300)], wrong)
				}
				if piece.Code != "" && (!strings.HasPrefix(text, "```\n") || !strings.HasSuffix(text, "\n```") || strings.Count(text, "```") != 2) {
					t.Errorf("%q leaves its block: %q", payload, text)
				}
			}
		}
		// As it is posted, without names of its own: below a line that only the bridge can write.
		text := p.Limits().Form.Split(1000, markup.Piece{Markdown: payload})[0]
		if _, err := p.Post(t.Context(), bridge.Post{Key: fmt.Sprint("k", i), To: bridge.Place{Conversation: standup}, From: bridge.Author{Name: "Helper", Kind: bridge.ByAgent}, Text: text}); err != nil {
			t.Errorf("%q: %v", payload[:min(len(payload), 100)], err)
		}
	}
	s.Look(func(v *slacktest.State) {
		posts := v.Posts(standup)
		if len(posts) != len(list) {
			t.Errorf("%d posts", len(posts))
		}
		for _, m := range posts {
			if rest, ok := strings.CutPrefix(m.Text, "🤖 *Helper*\n"); !ok || harmless(rest) != "" || m.Username != "" || m.Unfurls {
				t.Errorf("%+v", m)
			}
			if !strings.Contains(string(m.Blocks), `"verbatim":true`) {
				t.Errorf("Slack may look for names in %s", m.Blocks)
			}
		}
	})
}

// What comes from Slack is words: no name that somebody chose calls an agent, and no
// payload does anything else than being said.
func TestHostileMessagesAreOnlySaid(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.link(ada)
	for _, text := range []string{"<@U0MALLORY|Bot> hello", "<@U0MALLORY> hello", "<!subteam^S1|@Bot> hello", "<#C1|@Bot> hello", "<https://evil.example|@\u200bBot> x", "<!date^1^x|@Bot>", "<@Bot> hello", "<@B0|@Bot>"} {
		w.slack.Say(slacktest.Said{User: ada, In: standup, Text: text})
	}
	for _, payload := range payloads()[:60] {
		w.slack.Say(slacktest.Said{User: ada, In: standup, Text: strings.NewReplacer("@Bot", "Bot", "\x00", "").Replace(payload)})
	}
	w.slack.Say(slacktest.Said{User: ada, In: standup, Text: "1 &lt; 2 &amp;amp; <https://a.example/?x=1&amp;y=2|a.example/?x=1&amp;y=2> <mailto:x@y.example|x@y.example> <https://b.example|label>"})
	w.slack.Taken()
	said, err := w.hub.Reading.Read(t.Context(), w.as("Ada"), "standup", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	last := said.Messages[len(said.Messages)-1].Body
	if last != "1 < 2 &amp; https://a.example/?x=1&y=2 x@y.example label (https://b.example)" {
		t.Errorf("%q", last)
	}
	w.slack.Look(func(v *slacktest.State) {
		if posts := v.Posts(standup); len(posts) != 0 {
			t.Errorf("%d were answered, the first is %+v", len(posts), posts[0])
		}
	})
	// And back out.
	for _, payload := range payloads()[:20] {
		if _, err := w.hub.Contacts.Post(t.Context(), w.as("Helper"), contact.Post{Channel: "standup", Message: "Out: " + payload}); err != nil {
			t.Fatal(err)
		}
	}
	w.slack.Until("all of them", func(v *slacktest.State) bool { return len(v.Posts(standup)) == 20 })
	w.slack.Look(func(v *slacktest.State) {
		for _, m := range v.Posts(standup) {
			if wrong := harmless(m.Text); wrong != "" || m.Username != "Helper · agent" {
				t.Errorf("%+v: %s", m, wrong)
			}
		}
	})
}
