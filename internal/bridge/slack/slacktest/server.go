// Package slacktest is a workspace of Slack on this machine, for tests: the Web API and
// Socket Mode as Slack documents them, with their limits and their faults. What people do
// there is a method of the Server.
package slacktest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/websocket"
)

// What the workspace is called, and its bot.
const (
	Team     = "T0HOME"
	BotUser  = "U0BOT"
	BotID    = "B0BOT"
	AppToken = "xapp-1-secret-of-the-app"
	BotToken = "xoxb-secret-of-the-bot"
)

// Scopes are all those that the bridge asks for.
const Scopes = "chat:write,chat:write.customize,channels:history,groups:history,im:history,im:write,users:read,files:write,commands"

// Message is one in a conversation.
type Message struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype,omitempty"`
	User       string          `json:"user,omitempty"`
	BotID      string          `json:"bot_id,omitempty"`
	AppID      string          `json:"app_id,omitempty"`
	Username   string          `json:"username,omitempty"`
	Team       string          `json:"team,omitempty"`
	UserTeam   string          `json:"user_team,omitempty"`
	Text       string          `json:"text"`
	TS         string          `json:"ts"`
	ThreadTS   string          `json:"thread_ts,omitempty"`
	Latest     string          `json:"latest_reply,omitempty"`
	Replies    int             `json:"reply_count,omitempty"`
	Edited     *Edited         `json:"edited,omitempty"`
	Files      []File          `json:"files,omitempty"`
	Blocks     json.RawMessage `json:"blocks,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	Attached   json.RawMessage `json:"attachments,omitempty"`
	Icon       string          `json:"-"`
	Unfurls    bool            `json:"-"`
	Deleted    bool            `json:"-"`
	Conv       string          `json:"-"`
	WasUpdated int             `json:"-"`
}

// Edited says who changed a message, and when.
type Edited struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

// File is one that was uploaded.
type File struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	Mimetype string `json:"mimetype"`
	Text     string `json:"-"`
	complete bool
	deleted  bool
}

// Button is under a message.
type Button struct {
	Label, Action, Value, Block string
}

// View is a form that was opened.
type View struct {
	ID, User, Callback, Metadata, Title, Block, Action string
}

// Fault is what goes wrong with a call.
type Fault int

const (
	None Fault = iota
	// Limited answers 429.
	Limited
	// Unheard closes the connection before anything was done, and Unanswered after it.
	Unheard
	Unanswered
	// Broken does it and answers 500, and Fatal does it and says fatal_error.
	Broken
	Fatal
	// Refused refuses it for good.
	Refused
)

// Server is the workspace. Its exported fields are set before the first call; everything
// else is safe for concurrent use.
type Server struct {
	URL string
	// Scopes are those of the bot's token.
	Scopes string
	// Pace makes more than one message a second in a conversation an error.
	Pace bool
	// Retry is after how long an envelope that was not acknowledged is sent again; 0 for
	// only when Again is called.
	Retry time.Duration
	// RetryAfter is what a limited call is told to wait, in seconds.
	RetryAfter int
	// Ping is how often a connection is pinged; 0 for never.
	Ping time.Duration

	http *httptest.Server

	mu       sync.Mutex
	changed  *sync.Cond
	fault    func(method string, args url.Values) Fault
	refuse   func(method string, args url.Values) string
	last     int64 // the time of the last message
	number   int
	users    map[string]string // name by id
	convs    map[string][]*Message
	members  map[string]bool // conversations that the bot is in
	dms      map[string]string
	files    map[string]*File
	uploads  map[string]string // id by path
	tickets  map[string]bool
	triggers map[string]time.Time
	paced    map[string]time.Time
	sockets  []*socket
	opened   int // connections ever made
	closed   int // and ended
	waiting  []*delivery
	events   []object // all that were sent
	muted    bool
	views    []View
	shown    []Message // ephemeral ones
	calls    map[string]int
	problems []string
	limited  int
	closing  bool
}

// New starts a workspace with nobody in it.
func New() *Server {
	s := &Server{Scopes: Scopes, RetryAfter: 1, users: map[string]string{}, convs: map[string][]*Message{}, members: map[string]bool{}, dms: map[string]string{},
		files: map[string]*File{}, uploads: map[string]string{}, tickets: map[string]bool{}, triggers: map[string]time.Time{}, paced: map[string]time.Time{}, calls: map[string]int{}}
	s.changed = sync.NewCond(&s.mu)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/{method}", s.api)
	mux.HandleFunc("POST /upload/{id}", s.upload)
	mux.Handle("GET /link", websocket.Server{Handler: s.link, Handshake: s.handshake})
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/api/"
	return s
}

// Close ends the workspace.
func (s *Server) Close() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.DropSockets()
	s.http.CloseClientConnections()
	s.http.Close()
}

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

// patience is how long Until waits on a machine that is busy.
const patience = time.Minute

func (s *Server) dump() string {
	var b strings.Builder
	for conv, list := range s.convs {
		for _, m := range list {
			fmt.Fprintf(&b, "\n%s %s thread=%s %s%s: %q", conv, m.TS, m.ThreadTS, m.User, m.Username, m.Text)
		}
	}
	fmt.Fprintf(&b, "\n%d envelopes, %d sockets, calls %v", len(s.waiting), len(s.sockets), s.calls)
	return b.String()
}

// Find waits for a post of the bot with all these words.
func (s *Server) Find(conversation string, words ...string) (m Message) {
	s.Until("a post with "+strings.Join(words, ", "), func(v *State) (ok bool) {
		m, ok = v.Post(conversation, words...)
		return ok
	})
	return m
}

// Taken waits until every envelope was acknowledged.
func (s *Server) Taken() {
	s.Until("the last acknowledgement", func(v *State) bool { return v.Unacknowledged() == 0 })
}

// Look looks at the workspace.
func (s *Server) Look(at func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at(&State{s})
}

// State is what can be seen in a moment.
type State struct{ s *Server }

// Messages are those of a conversation in order, answers too, without deleted ones.
func (v *State) Messages(conversation string) (list []Message) {
	for _, m := range v.s.convs[conversation] {
		if !m.Deleted {
			list = append(list, *m)
		}
	}
	return list
}

// Posts are those of the bot, without those that have a file.
func (v *State) Posts(conversation string) []Message {
	return slices.DeleteFunc(v.Messages(conversation), func(m Message) bool { return m.BotID != BotID || len(m.Files) > 0 })
}

// Post is the first post of the bot whose text has all these words.
func (v *State) Post(conversation string, words ...string) (Message, bool) {
	for _, m := range v.Posts(conversation) {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(m.Text, w) }) {
			return m, true
		}
	}
	return Message{}, false
}

func (v *State) Sockets() int            { return len(v.s.sockets) }
func (v *State) Opened() int             { return v.s.opened }
func (v *State) Closed() int             { return v.s.closed }
func (v *State) Unacknowledged() int     { return len(v.s.waiting) }
func (v *State) Views() []View           { return slices.Clone(v.s.views) }
func (v *State) Shown() []Message        { return slices.Clone(v.s.shown) }
func (v *State) Calls(method string) int { return v.s.calls[method] }
func (v *State) Limited() int            { return v.s.limited }

// Problems are calls that Slack would not have liked.
func (v *State) Problems() []string { return slices.Clone(v.s.problems) }

// Files are those that can be seen.
func (v *State) Files() (list []File) {
	for _, f := range v.s.files {
		if f.complete && !f.deleted {
			list = append(list, *f)
		}
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Buttons are those of a message.
func (m Message) Buttons() (list []Button) {
	var blocks []struct {
		Type     string
		BlockID  string `json:"block_id"`
		Elements []struct {
			Text  struct{ Text string }
			Value string
			ID    string `json:"action_id"`
		}
	}
	_ = json.Unmarshal(m.Blocks, &blocks)
	for _, b := range blocks {
		for _, e := range b.Elements {
			list = append(list, Button{e.Text.Text, e.ID, e.Value, b.BlockID})
		}
	}
	return list
}

// Faults sets what goes wrong. The function is called for every call, under a lock.
func (s *Server) Faults(f func(method string, args url.Values) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Refuse sets with which codes calls are refused; those with none are answered. The
// function is called for every call, under a lock.
func (s *Server) Refuse(f func(method string, args url.Values) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = f
}

// stamp is the time of a new message; no two are the same.
func (s *Server) stamp() string {
	s.last = max(time.Now().UnixMicro(), s.last+1)
	return fmt.Sprintf("%d.%06d", s.last/1e6, s.last%1e6)
}

func (s *Server) id(kind string) string {
	s.number++
	return kind + "0" + strconv.Itoa(1000+s.number)
}

func (s *Server) find(conversation, ts string) *Message {
	for _, m := range s.convs[conversation] {
		if m.TS == ts && !m.Deleted {
			return m
		}
	}
	return nil
}

// add puts a message into a conversation.
func (s *Server) add(conversation string, m *Message) {
	m.Type, m.Conv = "message", conversation
	if m.TS == "" {
		m.TS = s.stamp()
	}
	if parent := s.find(conversation, m.ThreadTS); parent != nil {
		parent.ThreadTS, parent.Latest, parent.Replies = parent.TS, m.TS, parent.Replies+1
	}
	s.convs[conversation] = append(s.convs[conversation], m)
	s.changed.Broadcast()
}
