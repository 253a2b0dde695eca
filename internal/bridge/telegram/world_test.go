package telegram_test

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/bridge"
	"parley/internal/bridge/bridgetest"
	"parley/internal/bridge/telegram"
	"parley/internal/bridge/telegram/telegramtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	bridgetest.Run(t, func(t *testing.T) bridgetest.Chat { return &chat{t, telegramtest.New(t)} })
}

// The people in Telegram, and a group of theirs.
const (
	Ada, Standup = bridgetest.Ada, bridgetest.Standup
	standup      = int64(-100777)
)

var people = map[string]telegramtest.User{
	Ada: {ID: 501, FirstName: "Ada", Username: "ada_l"}, bridgetest.Rutger: {ID: 502, FirstName: "Rutger"}, bridgetest.Mallory: {ID: 666, FirstName: bridgetest.MalloryCalled},
}

// world is a team with a bridge to Telegram.
type world struct {
	*bridgetest.World
	telegram *telegramtest.Server
}

func newWorld(t *testing.T) *world {
	server := telegramtest.New(t)
	return &world{bridgetest.New(t, &chat{t, server}), server}
}

// chat is Telegram as people use it.
type chat struct {
	t *testing.T
	*telegramtest.Server
}

func (c *chat) Traits() bridgetest.Traits {
	accounts := map[string]string{}
	for name, u := range people {
		accounts[name] = strconv.FormatInt(u.ID, 10)
	}
	return bridgetest.Traits{Standup: strconv.FormatInt(standup, 10), Accounts: accounts, Mention: "@" + telegramtest.BotName, Answer: "<b>Yes</b>, &lt;b&gt;really&lt;/b&gt; &amp; truly.",
		Numbered: true, Secrets: []string{telegramtest.Token}, Block: [2]string{"<pre>", "</pre>"}, Harm: harm}
}

func (c *chat) Program(log *slog.Logger) bridge.Program {
	return telegram.New(telegram.Config{Token: telegramtest.Token, API: c.URL, Log: log})
}

// where is the number of a conversation.
func where(in string) int64 {
	if in == Standup {
		return standup
	}
	return people[in].ID
}

func (c *chat) Until(what string, so func(bridgetest.View) bool) {
	c.t.Helper()
	c.Server.Until(what, func() bool { return so(view{c.Server}) })
}

func (c *chat) Taken() { c.Confirmed() }

func (c *chat) Say(s bridgetest.Said) string {
	extra := map[string]any{}
	if s.Answers.ID != "" {
		extra = telegramtest.Reply(number(s.Answers.ID))
	}
	if s.Thread != "" {
		extra["message_thread_id"], extra["is_topic_message"] = number(s.Thread), true
	}
	if s.Shared {
		extra["forward_origin"] = map[string]any{"type": "hidden_user"}
	}
	who := people[s.Who]
	who.Bot = s.Bot
	return strconv.FormatInt(c.Server.Say(who, where(s.In), s.Text, extra), 10)
}

func number(id string) int64 { n, _ := strconv.ParseInt(id, 10, 64); return n }

func (c *chat) Edit(person, in, id, text string) {
	c.Server.Edit(people[person], where(in), number(id), text)
}

// Touch has Telegram tell of a change that is none of the text.
func (c *chat) Touch(person, in, id string) { c.Server.Touch(number(id)) }

// Thread is another topic of the group.
func (c *chat) Thread(string) string { return "42" }

func (c *chat) Command(person, text string) { c.Server.Say(people[person], people[person].ID, text) }

func (c *chat) Press(person string, p bridgetest.Post, label string, forge func(string) string) {
	post := p.Own.(telegramtest.Post)
	data := post.Buttons[slices.IndexFunc(post.Buttons, func(b telegramtest.Button) bool { return b.Text == label })].Data
	if forge != nil {
		data = forge(data)
	}
	c.Server.Press(people[person], post, data)
}

// Submit answers the last prompt.
func (c *chat) Submit(person, text string) {
	var prompt telegramtest.Post
	c.Server.Until("a prompt", func() bool {
		for _, p := range c.Posts() {
			if p.Prompt && strings.Contains(p.Text, "Why not?") {
				prompt = p
			}
		}
		return prompt.ID != 0
	})
	c.Server.Say(people[person], people[person].ID, text, telegramtest.Reply(prompt.ID))
}

func (c *chat) Fail(faults ...bridgetest.Fault)      { c.fail("sendMessage", faults) }
func (c *chat) FailFiles(faults ...bridgetest.Fault) { c.fail("sendDocument", faults) }

func (c *chat) fail(method string, faults []bridgetest.Fault) {
	c.Heal()
	for _, f := range faults {
		c.Server.Fail(map[bridgetest.Fault]telegramtest.Fault{
			bridgetest.Fine: {Method: method}, bridgetest.Unheard: {Method: method, Status: 502}, bridgetest.Unanswered: {Method: method, Lose: true},
			bridgetest.Broken: {Method: method, Status: 502}, bridgetest.Limited: {Method: method, RetryAfter: 1}, bridgetest.Refused: {Method: method, Refuse: "chat not found"},
		}[f])
	}
}

func (c *chat) Break()  { c.CloseClientConnections() }
func (c *chat) Forget() {} // it does not, for a day
func (c *chat) Repeat() { c.GiveAgain() }

// Close ends the server, which has said itself what it did not like.
func (c *chat) Close() []string { c.Stop(); return nil }

// view is what is to be seen in Telegram.
type view struct{ *telegramtest.Server }

func (v view) Connected() int { return v.Calls("getUpdates") }

// Shown is what was answered to presses, whoever pressed.
func (v view) Shown(string) []string { return v.Answers() }

func (v view) Files() (list []bridgetest.File) {
	for _, p := range v.Server.Posts() {
		if p.File != "" && !p.Deleted {
			list = append(list, bridgetest.File{Name: p.Name, Text: p.File})
		}
	}
	return list
}

// head is the first line of a post.
var head = regexp.MustCompile(`^<b>([^<]*)</b>(?: \((\d+/\d+)\))?( \(perhaps a repeat\))?\n`)

func (v view) Posts(in string) (list []bridgetest.Post) {
	for _, p := range v.Server.Posts() {
		if p.Chat != where(in) || p.Deleted {
			continue
		}
		post := bridgetest.Post{ID: fmt.Sprint(p.ID), In: in, Answers: fmt.Sprint(p.ReplyTo), Thread: fmt.Sprint(p.Thread), Raw: p.Text, Edits: p.Edits, Own: p}
		if found := head.FindStringSubmatch(p.Text); found != nil {
			post.From, post.Part, post.Repeat, post.Raw = telegramtest.Plain(found[1]), found[2], found[3] != "", p.Text[len(found[0]):]
		}
		post.Text = telegramtest.Plain(post.Raw)
		for _, b := range p.Buttons {
			post.Buttons = append(post.Buttons, b.Text)
		}
		list = append(list, post)
	}
	return list
}

var (
	code = regexp.MustCompile(`(?s)<(pre|code).*?</(pre|code)>`) // in which Telegram looks for nothing
	// special is what Telegram makes a name or a command of, and astray a link that is none to a page.
	special = regexp.MustCompile(`(^|[^\pL\pN_/<>])[@/][A-Za-z0-9_]`)
	astray  = regexp.MustCompile(`href="(https?://[^/"]*@|[^h]|h[^t])`)
)

// harm says what is wrong with a text as Telegram gets it.
func harm(html string) string {
	outside := code.ReplaceAllString(html, "")
	words := telegramtest.Plain(strings.ReplaceAll(outside, "\u2060", "·")) // what we put between stays
	switch {
	case strings.ContainsAny(html, "🤖👤⚙\u202e\u200b\u2066\x1b\x00"):
		return "it could look like somebody else's"
	case astray.MatchString(outside):
		return "it has the link " + astray.FindString(outside)
	case special.MatchString(words):
		return "it has " + special.FindString(words)
	}
	return ""
}
