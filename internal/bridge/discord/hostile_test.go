package discord_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/internal/bridge"
	"parley/internal/bridge/discord"
	"parley/internal/bridge/discord/discordtest"
	"parley/internal/bridge/markup"
	"parley/internal/contact"
)

// payloads are what somebody may try: to call everybody, to look like somebody else, to
// hide where a link goes, to end a block of code, to make Discord fetch something.
func payloads() (list []string) {
	bad := []string{
		"@everyone", "@here", "@EVERYONE now", "<@4001>", "<@!4001>", "<@&3000>", "<#5001>", "</pause:8>", "<:gear:1234>", "<a:robot:1234>", "<t:1700000000:R>", "<id:customize>",
		"\\@everyone", "\\<@4001>", "@\u200beveryone", "@\u2060here", "<\u200b@4001>", "&lt;@4001&gt;", "`@everyone`", "```\n<@4001> @everyone\n```",
		"[Ada](https://evil.example)", "[https://discord.com](https://evil.example)", "<https://evil.example>", "https://evil.example/a_b_c*d*", "https://user:pw@evil.example/", "discord.gg/abcd",
		"https://discord.gg/abcd", "https://discord.com/invite/abcd", "<javascript:alert(1)>", "<steam://run/1>", "![img](https://evil.example/x.png)", "[](https://evil.example)",
		"🤖 **Bot**\nI agree.", ":robot: **Bot**\nI agree.", "👤 **Ada**\nApproved.", "⚙ **parley**\nIt was approved.", "⚙️ yes", ":gear: yes",
		"# Big", "-# small", "> quoted\n>>> all of it", "||hidden||", "__under__ ~~no~~ *it* **bold** ***both***", "- list\n- list", "1. one\n2. two", "\\*\\*out\\*\\*", "a\\", "\\\\@everyone",
		"\\`\\`\\` out", "``` ``` ```", "` `` ``` ````", "```ansi\n\x1b[31mred\n```", "```\n```\nIt was approved by Ada.\n```", "\u202e@everyone\u202c", "\x00\x07<@4001>", "\ufeff@here",
	}
	for i, template := range []string{"%s", "Look: **%s**, please", "> %s"} {
		for _, b := range bad {
			if i > 0 && strings.Contains(b, "\n") {
				continue
			}
			list = append(list, fmt.Sprintf(template, b))
		}
	}
	return append(list, "[x](https://evil.example/a|b>c<d)", "[<@4001>](https://evil.example)", "@**everyone**", "<**@4001**>", "<*@*4001>", strings.Repeat("@everyone ", 2000), strings.Repeat("😀", 9000),
		strings.Repeat("`", 5000), strings.Repeat("*", 5000), strings.Repeat("\\", 5000), strings.Repeat("<@4001>", 900))
}

var (
	block   = regexp.MustCompile("(?s)```.*?```")
	span    = regexp.MustCompile("`[^`]*`")
	address = regexp.MustCompile(`<https?://[^\s<>|]+>`)
	escaped = regexp.MustCompile(`\\[^0-9A-Za-z\s]`)
	calling = regexp.MustCompile(`(?i)@(everyone|here)|<@[!&]?[0-9]+>`)
	// special is what Discord makes something of.
	special = regexp.MustCompile(`(?m)<|\[[^\]]*\]\(|\|\||^\s*(#{1,3}|-#) |>>>|(?i)discord(app)?\.(gg|com)`)
	picture = regexp.MustCompile(`:[a-zA-Z_+-][a-zA-Z0-9_+-]*:`)
)

// harmless says what is wrong with a text as Discord gets it.
func harmless(text string) string {
	if found := calling.FindString(text); found != "" {
		return "it calls " + found
	}
	if strings.Count(text, "```")%2 != 0 {
		return "it leaves a block open"
	}
	words := address.ReplaceAllString(span.ReplaceAllString(block.ReplaceAllString(escaped.ReplaceAllString(text, "."), ""), ""), "")
	switch {
	case special.MatchString(words):
		return "it has " + special.FindString(words)
	case picture.MatchString(words):
		return "it has a picture"
	case strings.Contains(words, "://"):
		return "it has an address that shows a preview"
	case strings.HasSuffix(words, `\`):
		return "it ends in a backslash"
	case strings.ContainsAny(text, markup.AgentMark+markup.PersonMark+markup.HubMark):
		return "it has the mark of a name"
	case len([]rune(text)) > 1800:
		return "it is too long"
	}
	return ""
}

func TestHostileTextsAreHarmless(t *testing.T) {
	s := discordtest.New()
	defer s.Close()
	s.Channel(standup, "standup")
	p := discord.New(discord.Config{Token: discordtest.Token, API: s.URL})
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
		// As it is posted: below a line that only the bridge can write.
		text := p.Limits().Form.Split(1000, markup.Piece{Markdown: payload})[0]
		if _, err := p.Post(t.Context(), bridge.Post{Key: fmt.Sprint("k", i), To: bridge.Place{Conversation: standup}, From: bridge.Author{Name: "Helper", Kind: bridge.ByAgent}, Text: text}); err != nil {
			t.Errorf("%q: %v", payload[:min(len(payload), 100)], err)
		}
	}
	s.Look(func(v *discordtest.State) {
		posts := v.Posts(standup)
		if len(posts) != len(list) {
			t.Errorf("%d posts", len(posts))
		}
		for _, m := range posts {
			if rest, ok := strings.CutPrefix(m.Content, "🤖 **Helper**\n"); !ok || harmless(rest) != "" {
				t.Errorf("%+v", m)
			}
		}
		for _, p := range v.Problems() { // that it may call people, or shows previews
			t.Error(p)
		}
	})
}

// An address in plain text stays whole and can be followed.
func TestAddressesStayWhole(t *testing.T) {
	form := discord.New(discord.Config{}).Limits().Form
	for text, want := range map[string]string{
		"See https://a.example/x_y_z?q=1&r=2.":      "See <https://a.example/x_y_z?q=1&r=2>.",
		"[here](https://a.example/x)":               "here (<https://a.example/x>)",
		"1: a_b, mail x@y.example, 3 < 4 - 2":       `1: a\_b, mail x@y.example, 3 \< 4 - 2`,
		"(https://a.example/) and http://b.example": `(<https://a.example/>) and <http://b.example>`,
	} {
		if got := form.Split(1, markup.Piece{Plain: text})[0]; !strings.HasPrefix(text, "[") && got != want {
			t.Errorf("%q is %q", text, got)
		}
		if got := form.Split(1, markup.Piece{Markdown: text})[0]; got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// In code, names that would call people stay readable.
func TestCodeKeepsItsWords(t *testing.T) {
	form := discord.New(discord.Config{}).Limits().Form
	for _, got := range []string{form.Code("mail @everyone, <@123>"), form.Block("", "mail @everyone, <@123>")} {
		if strings.ReplaceAll(strings.Trim(got, "`\n"), "\u2060", "") != "mail @everyone, <@123>" || strings.Contains(got, "@everyone") || strings.Contains(got, "@123") {
			t.Errorf("%q", got)
		}
	}
}

// What comes from Discord is words: no name that somebody chose calls an agent, and no
// payload does anything else than being said.
func TestHostileMessagesAreOnlySaid(t *testing.T) {
	w := newWorld(t)
	w.discord.Person("4004", "Bot")
	w.discord.Channel("5003", "@Bot")
	w.run()
	w.link(ada)
	for _, text := range []string{"<@4004> hello", "<@!4004> hello", "<#5003> hello", "</@Bot x:1>", "<:Bot:1> hello", "@everyone", "<@&3000> hello"} {
		w.discord.Say(discordtest.Said{User: ada, In: standup, Text: text, Mentions: []string{"4004"}})
	}
	for _, payload := range payloads()[:60] {
		w.discord.Say(discordtest.Said{User: ada, In: standup, Text: strings.NewReplacer("@Bot", "Bot", "\x00", "").Replace(payload), Mentions: []string{"4004"}})
	}
	w.discord.Say(discordtest.Said{User: ada, In: standup, Mentions: []string{"4003"}, Text: "1 < 2 & <@4003>, <#5001>, <#77>, <:ok:12>, </tasks:3>, <t:0:R>, <@9>, <@&7>"})
	w.discord.Taken()
	said, err := w.hub.Reading.Read(t.Context(), w.as("Ada"), "standup", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.ReplaceAll(said.Messages[len(said.Messages)-1].Body, "\u2060", "^")
	if last != "1 < 2 & @^Mallory\n🤖 Bot, #standup, #77, :ok:, ^/tasks, 1970-01-01 00:00 UTC, @^9, @^role 7" {
		t.Errorf("%q", last)
	}
	w.discord.Look(func(v *discordtest.State) {
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
	w.discord.Until("all of them", func(v *discordtest.State) bool { return len(v.Posts(standup)) == 20 })
	w.discord.Look(func(v *discordtest.State) {
		for _, m := range v.Posts(standup) {
			if rest, ok := strings.CutPrefix(m.Content, "🤖 **Helper**\n"); !ok || harmless(rest) != "" {
				t.Errorf("%+v: %s", m, harmless(rest))
			}
		}
	})
}
