package crash

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/api"
	"parley/client"
	"parley/internal/bridge/telegram/telegramtest"
)

// Two hubs share a database and a bot. The one that has the connection is killed, or frozen
// for longer than its lease, often while it posts. The other one goes on: everything that is
// said on either side comes through once, or again with a word that it may be a repeat.
func TestABridgeOfTwoHubs(t *testing.T) {
	g := newGround(t)
	dsn := newDatabase(g)
	c := &chatted{ground: g, dsn: dsn, telegram: telegramtest.New(t), pat: telegramtest.User{ID: 77, FirstName: "Pat"}, group: -100777}
	settings := fmt.Sprintf("bridges:\n  telegram:\n    api: %s\n    channels: {floor: %q}\n", c.telegram.URL, fmt.Sprint(c.group))
	for n, name := range []string{"first", "second"} {
		p := g.place(name, team{store: dsn, lease: time.Second, settings: settings})
		p.environment = []string{"TELEGRAM_BOT_TOKEN=" + telegramtest.Token}
		c.places[n], c.hubs[n] = p, g.start(p)
		c.hubs[n].waitUp()
		if n == 0 {
			c.await("the first hub connects", func() bool { return c.holder() != "" })
		}
	}
	code, err := c.hubs[0].waitUp().LinkAccount(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	c.telegram.Say(c.pat, c.pat.ID, code.Code)
	c.telegram.Find(c.pat.ID, "You are Pat here now.")
	rounds := max(4, kills(t)/2) // each waits for the end of a lease
	for i := range rounds {
		c.lose(i)
	}
	c.check(rounds)
	for _, h := range c.hubs {
		h.stop()
	}
}

// chatted is a group in Telegram and two hubs.
type chatted struct {
	*ground
	dsn      string
	telegram *telegramtest.Server
	pat      telegramtest.User
	group    int64
	places   [2]*place
	hubs     [2]*hub // the first one has the connection
	said     int
	frozen   int
	taken    int
}

// lose has the hub with the connection die or freeze in the middle of a post, and waits until
// the other one has posted it.
func (c *chatted) lose(i int) {
	c.Helper()
	c.posted()
	before := c.holder()
	victim, other := c.hubs[0], c.hubs[1]
	there := other.waitUp()
	c.say()
	if i%3 == 0 { // Telegram has it, and the hub never knows
		c.telegram.Fail(telegramtest.Fault{Method: "sendMessage", Late: c.Context().Done()})
	}
	c.post(there, i)
	if i%3 == 0 {
		c.telegram.Find(c.group, fmt.Sprintf("said %d in the hub", i))
	}
	if i%2 == 0 {
		victim.kill()
	} else {
		victim.signal(syscall.SIGSTOP)
		c.frozen++
	}
	c.say()
	c.telegram.Confirmed()
	c.telegram.Find(c.group, fmt.Sprintf("said %d in the hub", i))
	if after := c.holder(); after != before {
		c.taken++
	}
	if i%2 == 0 {
		victim = c.start(c.places[c.index(victim)])
	} else {
		victim.signal(syscall.SIGCONT)
	}
	c.say()
	victim.waitUp()
	c.hubs[0], c.hubs[1] = other, victim
}

// index is which place a hub has.
func (c *chatted) index(h *hub) int {
	if h.place == c.places[0] {
		return 0
	}
	return 1
}

// say says something in the chat.
func (c *chatted) say() {
	c.telegram.Say(c.pat, c.group, fmt.Sprintf("said %d in the chat", c.said))
	c.said++
}

func (c *chatted) post(there *client.Client, i int) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	for {
		_, err := there.Post(ctx, api.PostRequest{Channel: "floor", Message: fmt.Sprintf("said %d in the hub", i), Key: fmt.Sprint("post-", i)})
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			c.Fatal(err)
		}
	}
}

// holder is who has the connection now; empty for nobody.
func (c *chatted) holder() (name string) {
	c.Helper()
	c.look("SELECT holder FROM bridge WHERE lease_until > extract(epoch FROM clock_timestamp()) * 1000000", func(r cells) { name = r.Text(0) })
	return name
}

// posted waits until there is nothing to be posted.
func (c *chatted) posted() {
	c.Helper()
	c.await("everything is posted", func() bool {
		open := true
		c.look("SELECT count(*) FROM bridge_post WHERE state < 2", func(r cells) { open = r.Int(0) > 0 })
		return !open
	})
}

func (c *chatted) look(query string, each func(cells)) {
	c.Helper()
	db, err := openPostgres(context.Background(), c.dsn)
	if err != nil {
		c.Fatal(err)
	}
	defer db.close()
	if err := db.each(query, each); err != nil {
		c.Fatal(err)
	}
}

func (c *chatted) await(what string, is func() bool) {
	c.Helper()
	for end := time.Now().Add(patience); !is(); {
		if time.Now().After(end) {
			c.Fatalf("%s: that did not happen\n%s\n%s", what, c.hubs[0].lastWords(), c.hubs[1].lastWords())
		}
		<-time.After(20 * time.Millisecond)
	}
}

// check compares what was said with what came through.
func (c *chatted) check(rounds int) {
	c.Helper()
	c.telegram.Confirmed()
	c.posted()
	list, err := c.hubs[0].waitUp().ReadChannel(c.Context(), "floor", 1000)
	if err != nil {
		c.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range list {
		count[m.Body]++
	}
	repeats := 0
	for _, post := range c.telegram.Posts() {
		head, body, _ := strings.Cut(telegramtest.Plain(post.Text), "\n")
		if strings.Contains(head, "perhaps a repeat") {
			repeats++
			body += " again"
		}
		count["posted "+body]++
	}
	for i := range c.said {
		if text := fmt.Sprintf("said %d in the chat", i); count[text] != 1 || count["posted "+text] != 0 {
			c.Errorf("%q was said %d times, and posted back %d times", text, count[text], count["posted "+text])
		}
	}
	for i := range rounds {
		text := fmt.Sprintf("said %d in the hub", i)
		if plain, again := count["posted "+text], count["posted "+text+" again"]; plain > 1 || plain+again < 1 {
			c.Errorf("%q was posted %d times, and %d times as perhaps a repeat", text, plain, again)
		}
	}
	if c.taken < rounds/2 {
		c.Errorf("only %d of %d times the other hub took the connection over", c.taken, rounds)
	}
	if repeats < rounds/3 {
		c.Errorf("only %d repeats: no hub was lost in the middle of a post", repeats)
	}
	c.Logf("%d hubs lost, %d of them frozen; taken over %d times, %d posts that may be repeats", rounds, c.frozen, c.taken, repeats)
}
