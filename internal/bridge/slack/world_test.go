package slack_test

import (
	"bytes"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/bridge"
	"parley/internal/bridge/bridgetest"
	"parley/internal/bridge/markup"
	"parley/internal/bridge/slack"
	"parley/internal/bridge/slack/slacktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	bridgetest.Run(t, func(t *testing.T) bridgetest.Chat { return newChat(t) })
}

// The people in the workspace, and a channel that the team has too.
const (
	Ada, Rutger, Mallory, Standup = bridgetest.Ada, bridgetest.Rutger, bridgetest.Mallory, bridgetest.Standup
	ada, mallory, standup         = "U0ADA", "U0MALLORY", "C0STANDUP"
)

var users = map[string]string{Ada: ada, Rutger: "U0RUTGER", Mallory: mallory}

// world is a team with a bridge to Slack.
type world struct {
	*bridgetest.World
	slack *slacktest.Server
}

func newWorld(t *testing.T) *world {
	c := newChat(t)
	return &world{bridgetest.New(t, c), c.Server}
}

// program is one without a bridge.
func program(s *slacktest.Server) *slack.Program {
	return slack.New(slack.Config{AppToken: slacktest.AppToken, BotToken: slacktest.BotToken, API: s.URL})
}

// chat is Slack as people use it.
type chat struct {
	*slacktest.Server
	t     *testing.T
	where map[string]string // conversations by their names
}

func newChat(t *testing.T) *chat {
	c := &chat{slacktest.New(), t, map[string]string{Standup: standup}}
	c.RetryAfter = 0
	for name, called := range map[string]string{Ada: Ada, Rutger: Rutger, Mallory: bridgetest.MalloryCalled} {
		c.where[name] = c.Person(users[name], called)
	}
	c.Invite(standup)
	return c
}

func (c *chat) Traits() bridgetest.Traits {
	accounts := map[string]string{} // another workspace may have the same numbers
	for name, id := range users {
		accounts[name] = slacktest.Team + "." + id
	}
	return bridgetest.Traits{Standup: standup, Accounts: accounts, Mention: "<@" + slacktest.BotUser + ">", Answer: "*Yes*, &lt;b&gt;really&lt;/b&gt; &amp; truly.",
		Heard: "I answer by direct message.", Settles: true, Own: 1, Secrets: []string{slacktest.AppToken, slacktest.BotToken, "ticket="}, Block: [2]string{"```\n", "\n```"}, Harm: harm}
}

func (c *chat) Program(*slog.Logger) bridge.Program {
	return slack.New(slack.Config{AppToken: slacktest.AppToken, BotToken: slacktest.BotToken, API: c.URL, Timing: slack.Timing{Grace: time.Millisecond, Steady: time.Nanosecond}})
}

func (c *chat) Until(what string, so func(bridgetest.View) bool) {
	c.Server.Until(what, func(v *slacktest.State) bool { return so(view{v, c}) })
}

// Say says something. Who answers a post does that in its thread.
func (c *chat) Say(s bridgetest.Said) string {
	said := slacktest.Said{User: users[s.Who], In: c.where[s.In], Text: s.Text, Thread: s.Thread}
	if m, ok := s.Answers.Own.(slacktest.Message); ok {
		if said.Thread = m.ThreadTS; said.Thread == "" {
			said.Thread = m.TS
		}
	}
	if s.Shared {
		said.Text, said.Shared = "", s.Text
	}
	if s.Bot {
		said.Bot = "B0OTHER"
	}
	return c.Server.Say(said)
}

func (c *chat) Edit(_, in, id, text string)  { c.Server.Edit(c.where[in], id, text) }
func (c *chat) Touch(_, in, id string)       { c.Unfurl(c.where[in], id) }
func (c *chat) Thread(message string) string { return message }

func (c *chat) Delete(in string, ids ...string) {
	for _, id := range ids {
		c.Server.Delete(c.where[in], id)
	}
}

// Command gives a slash command where others read, or where the bot is not.
func (c *chat) Command(person, text string) {
	name, rest, _ := strings.Cut(text, " ")
	c.Server.Command(users[person], map[bool]string{true: "C0ELSEWHERE", false: standup}[name == "/ask"], name, rest)
}

func (c *chat) Press(person string, p bridgetest.Post, label string, forge func(string) string) {
	c.t.Helper()
	m := p.Own.(slacktest.Message)
	for _, b := range m.Buttons() {
		if data, _, _ := strings.Cut(b.Value, "\n"); b.Label == label && forge != nil {
			m.Blocks = bytes.ReplaceAll(m.Blocks, []byte(data), []byte(forge(data)))
		}
	}
	if err := c.Server.Press(users[person], m, label); err != nil {
		c.t.Fatal(err)
	}
}

// Submit sends the last form.
func (c *chat) Submit(person, text string) {
	var form slacktest.View
	c.Server.Until("a form", func(v *slacktest.State) bool {
		if list := v.Views(); len(list) > 0 {
			form = list[len(list)-1]
		}
		return form.ID != ""
	})
	if form.Title != "Why not?" {
		c.t.Errorf("%+v", form)
	}
	c.Server.Submit(users[person], form, text)
}

func (c *chat) Fail(faults ...bridgetest.Fault)      { c.fail("chat.postMessage", faults) }
func (c *chat) FailFiles(faults ...bridgetest.Fault) { c.fail("files.completeUploadExternal", faults) }

// fail has the calls of a method fail in turn, each fault once.
func (c *chat) fail(method string, faults []bridgetest.Fault) {
	c.Faults(func(called string, _ url.Values) slacktest.Fault {
		if called != method || len(faults) == 0 {
			return slacktest.None
		}
		f := faults[0]
		faults = faults[1:]
		return map[bridgetest.Fault]slacktest.Fault{bridgetest.Unheard: slacktest.Unheard, bridgetest.Unanswered: slacktest.Unanswered, bridgetest.Broken: slacktest.Broken,
			bridgetest.Limited: slacktest.Limited, bridgetest.Refused: slacktest.Refused, bridgetest.Own: slacktest.Fatal}[f]
	})
}

func (c *chat) Break() { c.DropSockets() }

func (c *chat) Close() (problems []string) {
	c.Look(func(v *slacktest.State) {
		problems = v.Problems()
		for _, m := range append(v.Posts(standup), v.Posts(c.where[Ada])...) {
			if m.Unfurls {
				problems = append(problems, "a post unfurls its links: "+m.Text)
			}
			if !bytes.Contains(m.Blocks, []byte(`"verbatim":true`)) {
				problems = append(problems, "Slack may look for names in "+m.Text)
			}
		}
	})
	c.Server.Close()
	return problems
}

// view is what is to be seen in the workspace.
type view struct {
	*slacktest.State
	c *chat
}

func (v view) Connected() int { return v.Opened() }

func (v view) Shown(person string) (list []string) {
	for _, m := range v.State.Shown() {
		if m.User == users[person] || m.User == "" { // nobody else gives commands
			list = append(list, m.Text)
		}
	}
	return list
}

func (v view) Files() (list []bridgetest.File) {
	for _, f := range v.State.Files() {
		list = append(list, bridgetest.File{Name: f.Name, Text: f.Text})
	}
	return list
}

var plainer = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "\u2060", "")

func (v view) Posts(in string) (list []bridgetest.Post) {
	for _, m := range v.State.Posts(v.c.where[in]) {
		p := bridgetest.Post{ID: m.TS, In: in, Raw: m.Text, Text: plainer.Replace(m.Text), Repeat: strings.Contains(m.Text, "(perhaps a repeat)"), Edits: m.WasUpdated, Own: m}
		if m.ThreadTS != m.TS {
			p.Answers, p.Thread = m.ThreadTS, m.ThreadTS
		}
		name, kind, _ := strings.Cut(m.Username, " · ")
		switch kind + m.Icon {
		case "agent:robot_face:":
			p.From = "🤖 " + name
		case "person:bust_in_silhouette:":
			p.From = "👤 " + name
		case "":
			p.From = "⚙ parley"
		}
		for _, b := range m.Buttons() {
			p.Buttons = append(p.Buttons, b.Label)
		}
		list = append(list, p)
	}
	return list
}

var (
	angle   = regexp.MustCompile(`<[^>]*>?`)
	goodURL = regexp.MustCompile(`^<https?://[^\s<>|]+>$`)
	callAll = regexp.MustCompile(`(?i)@(channel|here|everyone)`)
	picture = regexp.MustCompile(`:[^\s:0-9/` + "`" + `\x{2060}][^\s:]*:`)
	spans   = regexp.MustCompile("(?s)```.*?```|`[^`]*`|<[^>]*>")
)

// harm says what is wrong with a text as Slack gets it.
func harm(text string) string {
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
