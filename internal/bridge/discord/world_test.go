package discord_test

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/bridge"
	"parley/internal/bridge/bridgetest"
	"parley/internal/bridge/discord"
	"parley/internal/bridge/discord/discordtest"
	"parley/internal/bridge/markup"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	bridgetest.Run(t, func(t *testing.T) bridgetest.Chat { return newChat(t) })
}

// The people on the server, and a channel that the team has too.
const (
	Ada, Rutger, Mallory, Standup = bridgetest.Ada, bridgetest.Rutger, bridgetest.Mallory, bridgetest.Standup
	ada, mallory, standup         = "4001", "4003", "5001"
)

var users = map[string]string{Ada: ada, Rutger: "4002", Mallory: mallory}

// world is a team with a bridge to Discord.
type world struct {
	*bridgetest.World
	discord *discordtest.Server
}

func newWorld(t *testing.T) *world {
	c := newChat(t)
	return &world{bridgetest.New(t, c), c.Server}
}

// program is one without a bridge.
func program(s *discordtest.Server, timing discord.Timing) *discord.Program {
	return discord.New(discord.Config{Token: discordtest.Token, API: s.URL, Timing: timing})
}

// chat is Discord as people use it.
type chat struct {
	*discordtest.Server
	t       *testing.T
	where   map[string]string // conversations by their names
	threads []string
}

func newChat(t *testing.T) *chat {
	c := &chat{Server: discordtest.New(), t: t, where: map[string]string{Standup: standup}}
	for name, called := range map[string]string{Ada: Ada, Rutger: Rutger, Mallory: bridgetest.MalloryCalled} {
		c.where[name] = c.Person(users[name], called)
	}
	c.Channel(standup, "standup")
	return c
}

func (c *chat) Traits() bridgetest.Traits {
	return bridgetest.Traits{Standup: standup, Accounts: users, Mention: "<@" + discordtest.Bot + ">", Answer: "**Yes**, \\<b\\>really\\</b\\> & truly.",
		Heard: "I answer by direct message.", Settles: true, Own: 2, Secrets: []string{discordtest.Token, "token-of-"}, Block: [2]string{"```\n", "\n```"}, Harm: harm}
}

func (c *chat) Program(*slog.Logger) bridge.Program {
	return program(c.Server, discord.Timing{Steady: time.Nanosecond, Anew: time.Millisecond})
}

func (c *chat) Until(what string, so func(bridgetest.View) bool) {
	c.Server.Until(what, func(v *discordtest.State) bool { return so(view{v, c}) })
}

// Say says something. A thread is a channel of its own.
func (c *chat) Say(s bridgetest.Said) string {
	said := discordtest.Said{User: users[s.Who], In: c.where[s.In], Text: s.Text, ReplyTo: s.Answers.ID, Bot: s.Bot}
	if s.Thread != "" {
		said.In = s.Thread
	}
	if s.Shared {
		said.Text, said.Shared = "", s.Text
	}
	return c.Server.Say(said)
}

func (c *chat) Edit(_, in, id, text string)     { c.Server.Edit(c.where[in], id, text) }
func (c *chat) Touch(_, in, id string)          { c.Unfurl(c.where[in], id) }
func (c *chat) Delete(in string, ids ...string) { c.Server.Delete(c.where[in], ids...) }

func (c *chat) Thread(message string) string {
	c.threads = append(c.threads, c.Server.Thread(standup, message))
	return c.threads[len(c.threads)-1]
}

// Command gives a command where others read. Its first option is one word.
func (c *chat) Command(person, text string) {
	words := strings.SplitN(strings.TrimPrefix(text, "/"), " ", 3)
	c.Server.Command(users[person], standup, words[0], words[1:]...)
}

func (c *chat) Press(person string, p bridgetest.Post, label string, forge func(string) string) {
	c.t.Helper()
	m := p.Own.(discordtest.Message)
	for _, b := range m.Buttons() {
		if data := strings.Split(b.CustomID, "\n")[1]; b.Label == label && forge != nil {
			m.Components = bytes.ReplaceAll(m.Components, []byte(data), []byte(forge(data)))
		}
	}
	if err := c.Server.Press(users[person], m, label); err != nil {
		c.t.Fatal(err)
	}
}

// Submit sends the last form.
func (c *chat) Submit(person, text string) {
	var form discordtest.Form
	c.Server.Until("a form", func(v *discordtest.State) bool {
		if list := v.Forms(); len(list) > 0 {
			form = list[len(list)-1]
		}
		return form.CustomID != ""
	})
	if form.Title != "Why not?" {
		c.t.Errorf("%+v", form)
	}
	c.Server.Submit(users[person], form, text)
}

// faulty has the next calls of a method fail, one after the other.
func faulty(s *discordtest.Server, method string, faults ...discordtest.Fault) {
	s.Faults(func(m, r string) discordtest.Fault {
		if m != method || r != "channels/messages" || len(faults) == 0 {
			return discordtest.None
		}
		f := faults[0]
		faults = faults[1:]
		return f
	})
}

func (c *chat) Fail(faults ...bridgetest.Fault) {
	var list []discordtest.Fault
	for _, f := range faults {
		list = append(list, map[bridgetest.Fault]discordtest.Fault{bridgetest.Unheard: discordtest.Unheard, bridgetest.Unanswered: discordtest.Unanswered, bridgetest.Broken: discordtest.Broken,
			bridgetest.Limited: discordtest.Limited, bridgetest.Refused: discordtest.Refused, bridgetest.Own: discordtest.LimitedAll, bridgetest.Own + 1: discordtest.Spent}[f])
	}
	faulty(c.Server, "POST", list...)
}

// FailFiles lets the post pass that is before the one with the file.
func (c *chat) FailFiles(faults ...bridgetest.Fault) {
	c.Fail(append([]bridgetest.Fault{bridgetest.Fine}, faults...)...)
}

func (c *chat) Break()  { c.Drop() }
func (c *chat) Forget() { c.EndSessions() }

func (c *chat) Close() (problems []string) {
	c.Look(func(v *discordtest.State) { problems = v.Problems() })
	c.Server.Close()
	return problems
}

// view is what is to be seen on the server.
type view struct {
	*discordtest.State
	c *chat
}

// Connected counts sessions that began and those that were gone on with.
func (v view) Connected() int { return v.Opened() + v.Resumed() }

func (v view) Shown(person string) (list []string) {
	for _, s := range v.State.Shown() {
		if s.User == users[person] && !s.Deferred {
			list = append(list, s.Text)
		}
	}
	return list
}

func (v view) Files() (list []bridgetest.File) {
	for _, in := range v.c.where {
		for _, m := range v.State.Posts(in) {
			for _, a := range m.Attachments {
				list = append(list, bridgetest.File{Name: a.Filename, Text: a.Text})
			}
		}
	}
	return list
}

func (v view) Posts(in string) (list []bridgetest.Post) {
	for _, m := range v.State.Posts(v.c.where[in]) {
		list = append(list, post(in, "", m))
	}
	for _, thread := range v.c.threads {
		for _, m := range v.State.Posts(thread) {
			if in == Standup {
				list = append(list, post(in, thread, m))
			}
		}
	}
	return list
}

// head is the first line of a post, and escape what is before something that means nothing.
var (
	head   = regexp.MustCompile(`^(\S+) \*\*([^*\n]*)\*\*( \(perhaps a repeat\))?\n`)
	escape = regexp.MustCompile(`\\([^0-9A-Za-z\s])|\x{2060}`)
)

func post(in, thread string, m discordtest.Message) bridgetest.Post {
	p := bridgetest.Post{ID: m.ID, In: in, Thread: thread, Raw: m.Content, Edits: m.Updates, Own: m}
	if found := head.FindStringSubmatch(m.Content); found != nil {
		p.From, p.Repeat, p.Raw = found[1]+" "+found[2], found[3] != "", m.Content[len(found[0]):]
	}
	p.Text = escape.ReplaceAllString(p.Raw, "$1")
	if m.Reference != nil {
		p.Answers = m.Reference.Message
	}
	for _, b := range m.Buttons() {
		p.Buttons = append(p.Buttons, b.Label)
	}
	return p
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

// harm says what is wrong with a text as Discord gets it.
func harm(text string) string {
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
