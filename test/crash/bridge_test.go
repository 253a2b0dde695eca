package crash

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/api"
	"parley/client"
	"parley/internal/bridge/telegram/telegramtest"
)

// While a hub is killed again and again, everything that is said in Telegram is said in the
// channel once, and everything that is said in the channel is posted in Telegram: once, or
// again with a word that it may be a repeat.
func TestABridgeIsKilled(t *testing.T) {
	g := newGround(t)
	random, _ := newRandom(t)
	telegram := telegramtest.New(t)
	pat, group := telegramtest.User{ID: 77, FirstName: "Pat"}, int64(-100777)
	p := g.place("bridge", team{settings: fmt.Sprintf("bridges:\n  telegram:\n    api: %s\n    channels: {floor: %q}\n", telegram.URL, fmt.Sprint(group))})
	p.environment = []string{"TELEGRAM_BOT_TOKEN=" + telegramtest.Token}
	h := g.start(p)
	hub := h.waitUp()
	code, err := hub.LinkAccount(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	telegram.Say(pat, pat.ID, code.Code)
	telegram.Find(pat.ID, "You are Pat here now.")

	rounds := kills(t)
	for i := range rounds {
		for n := range 3 {
			telegram.Say(pat, group, fmt.Sprintf("said %d.%d in the chat", i, n))
		}
		if i%2 == 0 { // this one is posted, and the hub dies without knowing it
			settled(t, hub)
			telegram.Fail(telegramtest.Fault{Method: "sendMessage", Late: t.Context().Done()})
		}
		insist(t, hub, api.PostRequest{Channel: "floor", Message: fmt.Sprintf("said %d in the hub", i), Key: fmt.Sprint("post-", i)})
		if i%2 == 0 {
			telegram.Find(group, fmt.Sprintf("said %d in the hub", i))
		} else {
			<-time.After(time.Duration(random.IntN(300)) * time.Millisecond) // whenever
		}
		h.kill()
		h = g.start(p)
		hub = h.waitUp()
	}
	telegram.Confirmed()
	telegram.Find(group, fmt.Sprintf("said %d in the hub", rounds-1))
	said, err := hub.ReadChannel(t.Context(), "floor", 1000)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range said {
		count[m.Body]++
	}
	repeats := 0
	for _, post := range telegram.Posts() {
		head, body, _ := strings.Cut(telegramtest.Plain(post.Text), "\n")
		if strings.Contains(head, "perhaps a repeat") {
			repeats++
			body += " again"
		}
		count["posted "+body]++
	}
	for i := range rounds {
		for n := range 3 {
			if text := fmt.Sprintf("said %d.%d in the chat", i, n); count[text] != 1 || count["posted "+text] != 0 {
				t.Errorf("%q was said %d times, and posted back %d times", text, count[text], count["posted "+text])
			}
		}
		text := fmt.Sprintf("said %d in the hub", i)
		if plain, again := count["posted "+text], count["posted "+text+" again"]; plain > 1 || plain+again < 1 {
			t.Errorf("%q was posted %d times, and %d times as perhaps a repeat", text, plain, again)
		}
	}
	if repeats < rounds/4 {
		t.Errorf("only %d repeats: the hub did not die where it should", repeats)
	}
	t.Logf("%d kills, %d posts that may be repeats", rounds, repeats)
	if state, err := hub.Hub(t.Context()); err != nil || len(state.Bridges) != 1 || state.Bridges[0].Repeats < repeats {
		t.Errorf("%+v, %v", state.Bridges, err)
	}
}

// compareChat compares what was said in each round, three times in a chat and once in the hub,
// with what is there: count is how often each text is in the channel, and as posted in the chat.
func compareChat(t *testing.T, rounds int, count map[string]int) {
	t.Helper()
	in, out, lost, twice := 0, 0, 0, 0
	once := func(text, where string) {
		switch n := count[where+text]; {
		case n == 0:
			lost++
		case n > 1:
			twice++
		default:
			return
		}
		t.Errorf("%q is there %d times", where+text, count[where+text])
	}
	for i := range rounds {
		for n := range 3 {
			text := fmt.Sprintf("said %d.%d in the chat", i, n)
			in += count[text]
			once(text, "")
			if n := count["posted "+text]; n != 0 {
				t.Errorf("%q was posted back %d times", text, n)
			}
		}
		text := fmt.Sprintf("said %d in the hub", i)
		out += count["posted "+text]
		once(text, "posted ")
	}
	t.Logf("%d kills: %d messages came in, %d went out, %d lost, %d twice", rounds, in, out, lost, twice)
}

// settled waits until there is nothing to be posted.
func settled(t *testing.T, hub *client.Client) {
	t.Helper()
	for began := time.Now(); ; {
		state, err := hub.Hub(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(state.Bridges) == 1 && state.Bridges[0].Pending == 0 {
			return
		}
		if time.Since(began) > patience {
			t.Fatalf("it is never posted: %+v", state.Bridges)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// insist repeats a post under its key until it is answered.
func insist(t *testing.T, hub *client.Client, r api.PostRequest) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		_, err := hub.Post(ctx, r)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}
