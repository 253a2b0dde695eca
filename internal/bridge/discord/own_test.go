package discord_test

import (
	"strings"
	"testing"

	"parley/internal/bridge/bridgetest"
	"parley/internal/bridge/discord"
	"parley/internal/bridge/discord/discordtest"
	"parley/internal/bridge/markup"
)

// The commands are registered once, and whoever gives one or presses a button is answered.
func TestInteractionsAreAnswered(t *testing.T) {
	w := newWorld(t)
	w.Linked(Ada)
	id := w.Want("something")
	w.Press(Ada, w.Find(Ada, id.String()), "Approve")
	w.Chat.Command(Ada, "/tasks")
	w.Say(Ada, "</pause:8>") // how Discord shows one
	w.discord.Taken()
	w.Find(Ada, "It was approved by Ada.")
	w.Paused(0)
	w.discord.Until("all answers", func(v *discordtest.State) bool { return v.Unanswered() == 0 })
	w.discord.Look(func(v *discordtest.State) {
		if list := v.Commands(); !strings.Contains(list, `"approvals"`) || v.Calls("PUT applications/commands") != 1 {
			t.Errorf("the commands are %s", list)
		}
	})
}

// Channels that are not connected are none of the bridge's business. A thread belongs to its
// channel, and what webhooks and Discord itself say is nothing at all.
func TestOtherChannels(t *testing.T) {
	w := newWorld(t)
	w.discord.Channel("5002", "elsewhere")
	w.Linked(Ada)
	w.discord.Say(discordtest.Said{User: mallory, In: "5002", Text: "@Bot not for you"})
	w.discord.Say(discordtest.Said{User: ada, In: "5002", Text: "/pause"})
	w.discord.Say(discordtest.Said{User: ada, In: "5002", Text: "<@" + discordtest.Bot + "> which id?"})
	w.discord.Find("5002", "Its id is 5002")
	w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "@Helper I am a webhook", Webhook: "9"})
	w.discord.Say(discordtest.Said{User: ada, In: standup, Text: "@Helper I am a notice", Type: 7})
	w.discord.Taken()
	w.discord.Look(func(v *discordtest.State) {
		if posts := v.Posts("5002"); len(posts) != 1 {
			t.Errorf("%+v", posts)
		}
	})
	w.Paused(0)
	w.Tasks("")
	w.SaidOnce()
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

// What comes from Discord is words: no name that somebody chose calls an agent.
func TestNamesAreOnlySaid(t *testing.T) {
	w := newWorld(t)
	w.discord.Person("4004", "Bot")
	w.discord.Channel("5003", "@Bot")
	w.Linked(Ada)
	for _, text := range []string{"<@4004> hello", "<@!4004> hello", "<#5003> hello", "</@Bot x:1>", "<:Bot:1> hello", "@everyone", "<@&3000> hello"} {
		w.discord.Say(discordtest.Said{User: ada, In: standup, Text: text, Mentions: []string{"4004"}})
	}
	w.discord.Say(discordtest.Said{User: ada, In: standup, Mentions: []string{mallory}, Text: "1 < 2 & <@4003>, <#5001>, <#77>, <:ok:12>, </tasks:3>, <t:0:R>, <@9>, <@&7>"})
	w.discord.Taken()
	said := w.Said(Standup)
	last := strings.ReplaceAll(said[len(said)-1], "\u2060", "^")
	if last != "1 < 2 & @^"+bridgetest.MalloryCalled+", #standup, #77, :ok:, ^/tasks, 1970-01-01 00:00 UTC, @^9, @^role 7" {
		t.Errorf("%q", last)
	}
	if posts := w.Posts(Standup); len(posts) != 0 {
		t.Errorf("%d were answered, the first is %+v", len(posts), posts[0])
	}
}
