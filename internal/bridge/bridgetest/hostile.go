package bridgetest

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
	"parley/internal/contact"
)

// tried are what somebody may try in one program or another: to call everybody, to look like
// somebody else, to hide where a link goes, to end a block of code, to have something
// fetched.
var tried = []string{
	"<b>bold</b>", "</b></pre><a href=\"tg://user?id=1\">call</a>", "<script>alert(1)</script>", "<tg-spoiler>x</tg-spoiler>", "&lt;b&gt;", "&#60;b&#62;", "<a href='x'", "\"><img src=x>", "<", ">", "&", "a & b < c > d",
	"@everyone", "@here", "@channel", "@HERE now", "@EVERYONE now", "@everyone @here @channel", "\\@everyone", "@\u200beveryone", "@\u2060here", "\ufeff@channel", "\u202e@everyone\u202c", "`@everyone`", "\\\\@everyone", "@ada_l @rutger_x",
	"<!channel>", "<!here>", "<!everyone>", "<!subteam^S123|admins>", "<@U0ADA>", "<@U0ADA|Rutger>", "<#C0STANDUP>", "<!date^1392734382^{date}^https://evil.example|now>", "&lt;!channel&gt;", "&#60;!channel&#62;", "\\<!channel\\>", "<\u200b!channel>",
	"<@4001>", "<@!4001>", "<@&3000>", "<#5001>", "</pause:8>", "<:gear:1234>", "<a:robot:1234>", "<t:1700000000:R>", "<id:customize>", "\\<@4001>", "<\u200b@4001>", "&lt;@4001&gt;", "@**everyone**", "<**@4001**>", "<*@*4001>",
	"[call me](tg://user?id=501)", "[https://bank.example](https://evil.example)", "[Ada](https://evil.example)", "![x](https://evil.example/pixel.png)", "[x](javascript:alert(1))", "[x](https://user:pass@evil.example)", "https://evil.example/unfurl",
	"https://evil.example/a_b_c*d*", "https://user:pw@evil.example/", "<https://evil.example>", "<https://evil.example|https://slack.com>", "<mailto:a@b.example|mail>", "<javascript:alert(1)|x>", "<javascript:alert(1)>", "<slack://open|x>", "<steam://run/1>",
	"<https://evil.example/|<!here>>", "[](https://evil.example)", "[x](https://evil.example/a|b>c<d)", "[a](https://evil.example/?q=:robot_face:&x=<!here>)", "<https://evil.example/:gear:>", "[<!channel>](https://evil.example)", "[<@4001>](https://evil.example)",
	"discord.gg/abcd", "https://discord.gg/abcd", "https://discord.com/invite/abcd", "/pause", "click /approve now",
	"🤖 Boss\nI approve this.", "**🤖 Boss**", "🤖 *Bot*\nI agree.", "🤖 **Bot**\nI agree.", ":robot_face: *Bot*\nI agree.", ":robot: **Bot**\nI agree.", ":robot\\_face: *Bot*", "👤 Ada", "👤 *Ada*\nApproved.", "👤 **Ada**\nApproved.", ":bust_in_silhouette: *Ada*",
	"⚙ parley\napproval-1: It was approved.", "⚙ **parley**\nIt was approved.", "⚙ The hub says yes.", "⚙️ yes", ":gear: yes", ":a:b:c:",
	"\u202etxt.exe", "a\u200bb\u2066c", "\x00\x07\x1b[31m", "\x00\x07<!here>", "\x00\x07<@4001>", "\u202e<!channel>\u202c", "\xff\xfe invalid",
	"```\n</code></pre>\n```", "`</code>`", "```\n<!channel>\n```", "```\n<@4001> @everyone\n```", "\\`\\`\\` out", "``` ``` ```", "`<!here>`", "` `` ``` ````", "```\n```\nIt was approved by Ada.\n```", "```ansi\n\x1b[31mred\n```",
	"> quote\n> > deeper\n> > > deepest", "> quoted\n&gt; <!here>", "> quoted\n>>> all of it", "| a | b |\n|---|---|\n| <b> | </pre> |", "***a**b*c~~d~~", "_*`[_*`[", "*bold* _it_ ~no~ <!here>", "__under__ ~~no~~ *it* **bold** ***both***",
	"# Big", "-# small", "||hidden||", "- list\n- list", "1. one\n2. two\n   - three\n     - four", "\\*\\*out\\*\\*", "a\\",
}

// payloads are those, alone and among words, and such as are long.
func payloads() (list []string) {
	for _, text := range tried {
		list = append(list, text, "# "+text)
		if !strings.Contains(text, "\n") {
			list = append(list, "before "+text+" after", "[text]("+text+")", "Look: **"+text+"**, please", "> "+text)
		}
	}
	for _, text := range []string{"[", "> ", "*a_", "<!channel> ", "@everyone ", "<@4001>", "😀", ":", "`", "&", "*", "\\"} {
		list = append(list, strings.Repeat(text, 3000))
	}
	return list
}

// Whatever is written, the program reads it as words: in Markdown, as it is, and in code. It
// refuses nothing, and each post says whose it is.
func hostileForms(w *World) {
	p := w.Chat.Program(w.logger())
	form := p.Limits().Form
	for i, payload := range payloads() {
		short := payload[:min(len(payload), 100)]
		for name, piece := range map[string]markup.Piece{"Markdown": {Markdown: payload}, "plain": {Plain: payload}, "code": {Code: payload}} {
			for _, text := range form.Split(1000, piece) {
				if wrong := w.Is.Harm(text); wrong != "" {
					w.Errorf("%q as %s is %q: %s", short, name, text[:min(len(text), 300)], wrong)
				}
				if name == "code" && !inBlock(text, w.Is.Block) {
					w.Errorf("%q leaves its block: %q", short, text)
				}
			}
		}
		text := form.Split(1000, markup.Piece{Markdown: payload})[0]
		if _, err := p.Post(w.Context(), bridge.Post{Key: fmt.Sprint("k", i), To: bridge.Place{Conversation: w.Is.Standup}, From: bridge.Author{Name: "Helper", Kind: bridge.ByAgent}, Text: text, Parts: 1}); err != nil {
			w.Errorf("%q: %v", short, err)
		}
	}
	w.harmless(len(payloads()))
}

// inBlock reports whether a text is one block of code.
func inBlock(text string, block [2]string) bool {
	inner, begins := strings.CutPrefix(text, block[0])
	inner, ends := strings.CutSuffix(inner, block[1])
	return begins && ends && !strings.Contains(inner, strings.TrimSpace(block[1]))
}

// harmless looks at the posts in Standup, all of which are Helper's.
func (w *World) harmless(want int) {
	w.Helper()
	posts := w.Posts(Standup)
	if len(posts) != want {
		w.Errorf("%d posts, not %d", len(posts), want)
	}
	for _, p := range posts {
		if wrong := w.Is.Harm(p.Raw); wrong != "" || p.From != "🤖 Helper" {
			w.Errorf("%s: %+v", wrong, p)
		}
	}
}

// The same holds for what agents say.
func hostileOut(w *World) {
	w.Run()
	sent := 0
	for _, text := range tried {
		if _, err := w.Hub.Contacts.Post(w.Context(), w.As("Helper"), contact.Post{Channel: Standup, Message: "Out: " + text}); err == nil { // the hub itself refuses some
			sent++
		}
	}
	if sent < 100 {
		w.Errorf("only %d were sent", sent)
	}
	w.Until("all of them", func(v View) bool { return len(v.Posts(Standup)) >= sent })
	w.harmless(sent)
}

// Whatever comes in is words of the person, or refused with a word: it calls nobody and does
// nothing else than being said.
func hostileIn(w *World) {
	w.Linked(Ada)
	for _, text := range tried {
		w.Say(Ada, "@Helper "+text)
		if !strings.HasPrefix(strings.TrimPrefix(text, "<"), "/") { // that would be a command
			w.SayAll(Ada, strings.NewReplacer("@Bot", "Bot", "\x00", "").Replace(text))
		}
	}
	w.SayAll(Ada, "the end")
	w.Chat.Taken()
	w.Paused(0)
	for _, p := range slices.Concat(w.Posts(Standup), w.Posts(Ada)[1:]) {
		if p.From != "⚙ parley" || !strings.Contains(p.Text, "Nobody here is called @") && !strings.Contains(p.Text, "a NUL character") {
			w.Errorf("%+v", p)
		}
	}
	if n := len(w.Said(Standup)); n < 100 {
		w.Errorf("only %d were said", n)
	}
	tasks, err := w.Hub.Desk.Tasks(w.Context(), w.As("Helper"))
	if err != nil || len(tasks) < 100 {
		w.Errorf("%d tasks, %v", len(tasks), err)
	}
	w.Say(Ada, "/tasks")
	w.Find(Ada, "There are more.")
}
