package crash

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/api"
	"parley/internal/bridge/discord/discordtest"
)

// While a hub is killed again and again, at any time and in the middle of a post, everything
// that is said in Discord is said in the channel once, and everything that is said in the
// channel is posted in Discord once.
func TestABridgeToDiscordIsKilled(t *testing.T) {
	g := newGround(t)
	random, _ := newRandom(t)
	discord := discordtest.New()
	t.Cleanup(discord.Close)
	dm, channel := discord.Person("4077", person), "5077"
	discord.Channel(channel, "floor")
	p := g.place("discord", team{settings: fmt.Sprintf("bridges:\n  discord:\n    api: %s\n    channels: {floor: %q}\n", discord.URL, channel)})
	p.environment = []string{"DISCORD_BOT_TOKEN=" + discordtest.Token}
	h := g.start(p)
	hub := h.waitUp()
	code, err := hub.LinkAccount(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	discord.Until("a session", func(v *discordtest.State) bool { return v.Opened() > 0 })
	discord.Say(discordtest.Said{User: "4077", In: dm, Text: code.Code})
	discord.Find(dm, "You are "+person+" here now.")
	discord.Say(discordtest.Said{User: "4077", In: channel, Text: "the first word"}) // from here on the channel is known
	discord.Taken()

	rounds := int(number(t, killsEnv, 3))
	for i := range rounds {
		struck := make(chan struct{}, 1)
		armed := []discordtest.Fault{discordtest.None, discordtest.Unanswered, discordtest.Unheard}[i%3]
		discord.Faults(func(method, route string) discordtest.Fault {
			if method != "POST" || route != "channels/messages" || armed == discordtest.None {
				return discordtest.None
			}
			fault := armed
			armed = discordtest.None
			struck <- struct{}{}
			return fault
		})
		for n := range 3 {
			discord.Say(discordtest.Said{User: "4077", In: channel, Text: fmt.Sprintf("said %d.%d in the chat", i, n), Twice: n == 1})
		}
		insist(t, hub, api.PostRequest{Channel: "floor", Message: fmt.Sprintf("said %d in the hub", i), Key: fmt.Sprint("post-", i)})
		after := time.Duration(0)
		if i%3 == 0 {
			struck <- struct{}{}
			after = time.Duration(random.IntN(300)) * time.Millisecond
		}
		<-struck
		<-time.After(after) // whenever
		h.kill()
		h = g.start(p)
		hub = h.waitUp()
	}
	opened := 0
	discord.Look(func(v *discordtest.State) { opened = v.Opened() })
	discord.Until("the last session", func(v *discordtest.State) bool { return v.Opened() > opened || v.Sockets() == 1 })
	discord.Taken()
	for i := range rounds { // one by one: Discord takes about one post a second
		discord.Find(channel, fmt.Sprintf("said %d in the hub", i))
	}
	said, err := hub.ReadChannel(t.Context(), "floor", 1000)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range said {
		count[m.Body]++
	}
	discord.Look(func(v *discordtest.State) {
		for _, m := range v.Posts(channel) {
			_, body, _ := strings.Cut(m.Content, "\n")
			count["posted "+body]++
			if strings.Contains(m.Content, "perhaps a repeat") {
				t.Errorf("posted as perhaps a repeat: %q", m.Content)
			}
		}
		for _, p := range v.Problems() {
			t.Error(p)
		}
		t.Logf("%d kills, %d sessions, %d calls to post", rounds, v.Opened(), v.Calls("POST channels/messages"))
	})
	compareChat(t, rounds, count)
}
