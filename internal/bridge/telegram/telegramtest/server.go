// Package telegramtest is a server that speaks the Bot API, for tests: what people do in
// Telegram is called on it, and it answers the bot as the documentation says. It can be
// told to ask for patience, to lose answers and to give updates again.
package telegramtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
)

// Token is that of the bot, BotName its name and BotID its id.
const (
	Token   = "987654321:AAH-a-token-of-a-test_bot"
	BotName = "parley_test_bot"
	BotID   = 987654321
)

// Post is a message of the bot.
type Post struct {
	ID      int64
	Chat    int64
	Thread  int64
	ReplyTo int64
	Text    string // HTML as it was sent
	Buttons []Button
	Prompt  bool
	File    string // what was attached, and under which name
	Name    string
	Edits   int
	Deleted bool
}

// Button is one of a keyboard.
type Button struct{ Text, Data string }

// Server is Telegram.
type Server struct {
	*httptest.Server
	t testing.TB

	mu      sync.Mutex
	changed chan struct{} // closed when something has changed
	closed  bool
	updates []json.RawMessage // those that were not confirmed
	first   int64             // the number of the first of them
	next    int64
	message int64
	posts   []*Post
	answers []string // to presses
	faults  []Fault
	again   bool
	polls   int
	calls   map[string]int
	said    map[int64]map[string]any // messages as they are
	seen    []json.RawMessage        // confirmed, for Again
}

// Fault is what happens to the next call of a method.
type Fault struct {
	Method string
	// RetryAfter answers 429.
	RetryAfter int
	// Status answers with a status and nothing that can be read.
	Status int
	// Refuse answers 400 with a description.
	Refuse string
	// Lose does what was asked and hangs up.
	Lose bool
	// Late does what was asked and answers only when the channel is closed, or the bot
	// has hung up.
	Late <-chan struct{}
}

// New starts a server.
func New(t testing.TB) *Server {
	s := &Server{t: t, changed: make(chan struct{}), next: 1000, first: 1000, message: 10, calls: map[string]int{}, said: map[int64]map[string]any{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Stop)
	return s
}

// Stop ends the server.
func (s *Server) Stop() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		s.touch()
	}
	s.mu.Unlock()
	s.CloseClientConnections()
	s.Close()
}

// touch says that something has changed. The lock is held.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Fail has the next calls fail, one fault after the other.
func (s *Server) Fail(list ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, list...)
}

// Heal has no call fail any more.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// GiveAgain has the next poll give updates again that were confirmed.
func (s *Server) GiveAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = true
	s.touch()
}

// Renumber has the next update have a number, as Telegram chooses one after a week without
// any. All updates are confirmed.
func (s *Server) Renumber(next int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next, s.first = next, next
}

// User is a person in Telegram.
type User struct {
	ID        int64  `json:"id"`
	Bot       bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	Username  string `json:"username,omitempty"`
}

// Say is a message of a person. Extra adds fields to it.
func (s *Server) Say(from User, chat int64, text string, extra ...map[string]any) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.message++
	s.update("message", s.chatMessage(s.message, from, chat, text, extra))
	return s.message
}

// Edit changes a message of a person.
func (s *Server) Edit(from User, chat, id int64, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update("edited_message", s.chatMessage(id, from, chat, text, []map[string]any{{"edit_date": time.Now().Unix()}}))
}

// Touch tells of a change of a message that is none of its text.
func (s *Server) Touch(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update("edited_message", s.said[id])
}

// Reply is an extra of Say: it answers a message.
func Reply(to int64) map[string]any {
	return map[string]any{"reply_to_message": map[string]any{"message_id": to, "date": 1, "chat": map[string]any{"id": 1, "type": "private"}}}
}

func (s *Server) chatMessage(id int64, from User, chat int64, text string, extra []map[string]any) map[string]any {
	kind := "private"
	if chat < 0 {
		kind = "supergroup"
	}
	m := map[string]any{"message_id": id, "from": from, "date": time.Now().Unix(), "text": text, "chat": map[string]any{"id": chat, "type": kind}}
	for _, more := range extra {
		for k, v := range more {
			m[k] = v
		}
	}
	s.said[id] = m
	return m
}

// Press presses a button of a post.
func (s *Server) Press(from User, p Post, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update("callback_query", map[string]any{"id": fmt.Sprintf("press-%d", s.next), "from": from, "chat_instance": "1", "data": data,
		"message": s.chatMessage(p.ID, User{ID: BotID, Bot: true, FirstName: "parley"}, p.Chat, p.Text, nil)})
}

// Raw adds an update as it is.
func (s *Server) Raw(kind string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update(kind, value)
}

func (s *Server) update(kind string, value any) {
	text, err := json.Marshal(map[string]any{"update_id": s.next, kind: value})
	if err != nil {
		s.t.Error(err)
	}
	s.next++
	s.updates = append(s.updates, text)
	s.touch()
}

// Posts are the messages of the bot.
func (s *Server) Posts() (list []Post) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.posts {
		list = append(list, *p)
	}
	return list
}

// Answers are what was answered to presses.
func (s *Server) Answers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers)
}

// Calls is how often a method was called.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// patience limits every wait. Only a failing test waits that long.
const patience = 60 * time.Second

// Until waits until something is so, and fails the test if it never is.
func (s *Server) Until(what string, is func() bool) {
	s.t.Helper()
	over := time.After(patience)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if is() {
			return
		}
		select {
		case <-changed:
		case <-over:
			for _, p := range s.Posts() {
				s.t.Logf("%+v", p)
			}
			s.t.Fatalf("%s did not happen; answers: %q", what, s.Answers())
		}
	}
}

// Find waits for a post in a chat that contains a text, and returns the last of them.
func (s *Server) Find(chat int64, text string) (found Post) {
	s.t.Helper()
	s.Until(fmt.Sprintf("a post in %d with %q", chat, text), func() bool {
		for _, p := range s.Posts() {
			if p.Chat == chat && strings.Contains(Plain(p.Text), text) && !p.Deleted {
				found = p
			}
		}
		return found.ID != 0
	})
	return found
}

// Confirmed waits until the bot has confirmed all updates.
func (s *Server) Confirmed() {
	s.t.Helper()
	s.Until("that all updates are confirmed", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.updates) == 0
	})
}

var plainer = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "\u2060", "")

// Plain is what somebody reads: without elements, and without what is not seen.
func Plain(html string) string {
	var b strings.Builder
	in := false
	for _, r := range html {
		switch {
		case r == '<':
			in = true
		case r == '>' && in:
			in = false
		case !in:
			b.WriteRune(r)
		}
	}
	return plainer.Replace(b.String())
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	method, ok := strings.CutPrefix(r.URL.Path, "/bot"+Token+"/")
	if !ok {
		refuse(w, http.StatusUnauthorized, "Unauthorized", nil)
		return
	}
	params, err := read(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "Bad Request: "+err.Error(), nil)
		return
	}
	s.mu.Lock()
	s.calls[method]++
	fault := s.fault(method)
	s.mu.Unlock()
	switch {
	case fault.RetryAfter > 0:
		refuse(w, http.StatusTooManyRequests, fmt.Sprintf("Too Many Requests: retry after %d", fault.RetryAfter), map[string]any{"retry_after": fault.RetryAfter})
	case fault.Status > 0:
		w.WriteHeader(fault.Status)
		_, _ = io.WriteString(w, "<html>bad gateway</html>") // it may be gone
	case fault.Refuse != "":
		refuse(w, http.StatusBadRequest, "Bad Request: "+fault.Refuse, nil)
	case fault.Lose:
		s.answer(httptest.NewRecorder(), r, method, params)
		panic(http.ErrAbortHandler)
	case fault.Late != nil:
		kept := httptest.NewRecorder()
		s.answer(kept, r, method, params)
		select {
		case <-fault.Late:
		case <-r.Context().Done():
		}
		_, _ = w.Write(kept.Body.Bytes()) // it may be gone
	default:
		s.answer(w, r, method, params)
	}
}

// fault takes the next fault of a method. The lock is held.
func (s *Server) fault(method string) (f Fault) {
	for i, one := range s.faults {
		if one.Method == method {
			s.faults = slices.Delete(s.faults, i, i+1)
			return one
		}
	}
	return f
}

type params map[string]any

// read reads the parameters of a call, as JSON or as a form with a file.
func read(r *http.Request) (p params, err error) {
	p = params{}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return p, json.NewDecoder(r.Body).Decode(&p)
	}
	if err := r.ParseMultipartForm(32 << 20); err != nil {
		return nil, err
	}
	for name, values := range r.MultipartForm.Value {
		var value any
		if name == "caption" || name == "chat_id" || name == "parse_mode" || json.Unmarshal([]byte(values[0]), &value) != nil {
			value = values[0]
		}
		p[name] = value
	}
	for name, files := range r.MultipartForm.File {
		f, err := files[0].Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(f)
		if err != nil {
			return nil, err
		}
		p[name], p["name of "+name] = string(text), files[0].Filename
	}
	return p, nil
}

func (p params) text(name string) string { s, _ := p[name].(string); return s }

func (p params) number(name string) int64 {
	switch v := p[name].(type) {
	case float64:
		return int64(v)
	case string:
		n, _ := strconv.ParseInt(v, 10, 64)
		return n
	}
	return 0
}

func refuse(w http.ResponseWriter, code int, description string, parameters map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	body := map[string]any{"ok": false, "error_code": code, "description": description}
	if parameters != nil {
		body["parameters"] = parameters
	}
	_ = json.NewEncoder(w).Encode(body) // it may be gone
}

func result(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": value}) // it may be gone
}

// length is how long Telegram finds a text.
func length(html string) int {
	return len(utf16.Encode([]rune(strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`).Replace(elements.ReplaceAllString(html, "")))))
}
