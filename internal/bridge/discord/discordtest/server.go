// Package discordtest is a server of Discord on this machine, for tests: the REST API and
// the gateway as Discord documents them, with their limits and their faults. What people do
// there is a method of the Server.
package discordtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/websocket"
)

// Who is there. The bot's application has a number of its own.
const (
	Token = "MTAwMA.secret-of-the.bot"
	Bot   = "1000"
	App   = "2000"
	Guild = "3000"
)

type object = map[string]any

// User is one of Discord's.
type User struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name,omitempty"`
	IsBot      bool   `json:"bot,omitempty"`
}

// Channel is where messages are.
type Channel struct {
	ID       string `json:"id"`
	Type     int    `json:"type"`
	Name     string `json:"name,omitempty"`
	Guild    string `json:"guild_id,omitempty"`
	Parent   string `json:"parent_id,omitempty"`
	Last     string `json:"last_message_id,omitempty"`
	hidden   bool
	archived bool
}

// Message is one in a channel.
type Message struct {
	ID          string          `json:"id"`
	Channel     string          `json:"channel_id"`
	Type        int             `json:"type"`
	Content     string          `json:"content"`
	Author      User            `json:"author"`
	Timestamp   string          `json:"timestamp"`
	Edited      *string         `json:"edited_timestamp"`
	Mentions    []User          `json:"mentions"`
	Everyone    bool            `json:"mention_everyone"`
	Attachments []Attachment    `json:"attachments"`
	Components  json.RawMessage `json:"components,omitempty"`
	Reference   *Reference      `json:"message_reference,omitempty"`
	Snapshots   []object        `json:"message_snapshots,omitempty"`
	Webhook     string          `json:"webhook_id,omitempty"`
	Flags       int             `json:"flags"`
	Nonce       string          `json:"nonce,omitempty"`
	Updates     int             `json:"-"`
	deleted     bool
}

// Attachment is a file.
type Attachment struct {
	ID       string `json:"id"`
	Filename string `json:"filename"`
	Type     string `json:"content_type"`
	Text     string `json:"-"`
}

// Reference is another message.
type Reference struct {
	Type    int    `json:"type"`
	Message string `json:"message_id"`
	Channel string `json:"channel_id"`
}

// Button is under a message.
type Button struct{ Label, CustomID string }

// Shown is what somebody sees who did something: an answer to an interaction.
type Shown struct {
	User, Text string
	Deferred   bool
}

// Form is one that was opened.
type Form struct {
	CustomID, Title, Label, Field string
	user, channel, message        string
}

// Fault is what goes wrong with a call.
type Fault int

const (
	None Fault = iota
	// Limited answers 429 for the route, and LimitedAll for everything.
	Limited
	LimitedAll
	// Unheard closes the connection before anything was done, and Unanswered after it.
	Unheard
	Unanswered
	// Broken does it and answers 500.
	Broken
	// Spent does it, and says that the route is not to be called again for a while.
	Spent
	// Refused refuses it for good.
	Refused
)

// Server is Discord. Its exported fields are set before the first call; everything else is
// safe for concurrent use.
type Server struct {
	URL string
	// Window is how long a nonce counts. Nonces are in the history only if Keep is set:
	// nobody has promised that.
	Window time.Duration
	Keep   bool
	// RetryAfter is what a limited call is told to wait, in seconds.
	RetryAfter float64
	// Interval is that of heartbeats, and Deaf leaves them unanswered.
	Interval time.Duration
	Deaf     bool
	// Refuse closes every connection that identifies itself with this code.
	Refuse int

	http *httptest.Server

	mu       sync.Mutex
	changed  *sync.Cond
	fault    func(method, route string) Fault
	last     int64
	users    map[string]User
	channels map[string]*Channel
	messages map[string][]*Message
	nonces   map[string]nonce
	sessions map[string]*session
	events   []object // all that happened, whoever was there
	sockets  []*socket
	opened   int
	resumed  int
	commands json.RawMessage
	waiting  map[string]*interaction // by token
	shown    []*Shown
	forms    []Form
	calls    map[string]int
	limits   int
	spent    map[string]time.Time // until when a route is not to be called
	problems []string
	closing  bool
}

type nonce struct {
	message string
	at      time.Time
}

// New starts a server with nobody in it but the bot.
func New() *Server {
	s := &Server{Window: 5 * time.Minute, RetryAfter: 0.01, Interval: time.Hour, users: map[string]User{Bot: {ID: Bot, Username: "parley", IsBot: true}}, channels: map[string]*Channel{},
		messages: map[string][]*Message{}, nonces: map[string]nonce{}, sessions: map[string]*session{}, waiting: map[string]*interaction{}, calls: map[string]int{}, spent: map[string]time.Time{}, commands: []byte("[]")}
	s.changed = sync.NewCond(&s.mu)
	mux := http.NewServeMux()
	s.routes(mux)
	mux.Handle("GET /gateway/", websocket.Server{Handler: s.gateway})
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/api/v10/"
	return s
}

// Close ends the server.
func (s *Server) Close() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.Drop()
	s.http.CloseClientConnections()
	s.http.Close()
}

// patience is how long Until waits on a machine that is busy.
const patience = time.Minute

// Until waits until something is so. It looks whenever something has changed, and panics
// if that takes so long that it will not come.
func (s *Server) Until(what string, so func(*State) bool) {
	late := false
	timer := time.AfterFunc(patience, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		late = true
		s.changed.Broadcast()
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !so(&State{s}) {
		if late {
			panic("there was never " + what + "; there is " + s.dump())
		}
		s.changed.Wait()
	}
}

func (s *Server) dump() string {
	var b strings.Builder
	for id, list := range s.messages {
		for _, m := range list {
			fmt.Fprintf(&b, "\n%s %s %s: %q", id, m.ID, m.Author.Username, m.Content)
		}
	}
	fmt.Fprintf(&b, "\n%d sockets, calls %v, shown %v, problems %v", len(s.sockets), s.calls, s.shown, s.problems)
	return b.String()
}

// Find waits for a post of the bot with all these words.
func (s *Server) Find(channel string, words ...string) (m Message) {
	s.Until("a post with "+strings.Join(words, ", "), func(v *State) (ok bool) {
		m, ok = v.Post(channel, words...)
		return ok
	})
	return m
}

// Look looks at the server.
func (s *Server) Look(at func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at(&State{s})
}

// State is what can be seen in a moment.
type State struct{ s *Server }

// Posts are those of the bot in a channel, in order.
func (v *State) Posts(channel string) (list []Message) {
	for _, m := range v.s.messages[channel] {
		if m.Author.ID == Bot && !m.deleted {
			list = append(list, *m)
		}
	}
	return list
}

// Post is the first post of the bot that has all these words.
func (v *State) Post(channel string, words ...string) (Message, bool) {
	for _, m := range v.Posts(channel) {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(m.Content, w) }) {
			return m, true
		}
	}
	return Message{}, false
}

func (v *State) Sockets() int       { return len(v.s.sockets) }
func (v *State) Opened() int        { return v.s.opened }
func (v *State) Resumed() int       { return v.s.resumed }
func (v *State) Forms() []Form      { return slices.Clone(v.s.forms) }
func (v *State) Calls(n string) int { return v.s.calls[n] }
func (v *State) Limited() int       { return v.s.limits }
func (v *State) Problems() []string { return slices.Clone(v.s.problems) }
func (v *State) Commands() string   { return string(v.s.commands) }

// Shown are the answers to interactions.
func (v *State) Shown() (list []Shown) {
	for _, a := range v.s.shown {
		list = append(list, *a)
	}
	return list
}

// Buttons are those of a message.
func (m Message) Buttons() (list []Button) {
	var rows []struct {
		Components []struct {
			Label    string
			CustomID string `json:"custom_id"`
		}
	}
	_ = json.Unmarshal(m.Components, &rows)
	for _, row := range rows {
		for _, b := range row.Components {
			list = append(list, Button{b.Label, b.CustomID})
		}
	}
	return list
}

// Faults sets what goes wrong. The function is called for every call, under a lock, with
// the method and the route without numbers.
func (s *Server) Faults(f func(method, route string) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// id is a new number; no two are the same, and later ones are greater.
func (s *Server) id() string {
	s.last = max((time.Now().UnixMilli()-1420070400000)<<22, s.last+1)
	return strconv.FormatInt(s.last, 10)
}

func stamp() *string {
	at := time.Now().UTC().Format("2006-01-02T15:04:05.000000-07:00")
	return &at
}

func (s *Server) find(channel, id string) *Message {
	for _, m := range s.messages[channel] {
		if m.ID == id && !m.deleted {
			return m
		}
	}
	return nil
}

// add puts a message into a channel, and tells of it.
func (s *Server) add(m *Message) {
	m.ID, m.Timestamp = s.id(), *stamp()
	if m.Mentions == nil {
		m.Mentions = []User{}
	}
	s.messages[m.Channel] = append(s.messages[m.Channel], m)
	s.channels[m.Channel].Last = m.ID
	s.changed.Broadcast()
}

// event is a message as it is in an event.
func (s *Server) event(m *Message) object {
	text, _ := json.Marshal(m)
	o := object{}
	_ = json.Unmarshal(text, &o)
	if c := s.channels[m.Channel]; c.Guild != "" {
		o["guild_id"] = c.Guild
	}
	return o
}
