package discordtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// call is one call of the REST API.
type call struct {
	*http.Request
	body json.RawMessage
	file *Attachment
}

// answer is what a call is answered: a status, and something in JSON.
type answer struct {
	status int
	body   any
}

func ok(body any) answer { return answer{http.StatusOK, body} }

var done = answer{status: http.StatusNoContent}

func refuse(status, code int, message string) answer {
	return answer{status, object{"code": code, "message": message}}
}

func (s *Server) routes(mux *http.ServeMux) {
	for route, serve := range map[string]func(call) answer{
		"GET users/@me":                                    func(call) answer { return ok(s.users[Bot]) },
		"GET gateway/bot":                                  s.where,
		"POST users/@me/channels":                          s.open,
		"GET channels/{channel}":                           s.channel,
		"GET channels/{channel}/messages":                  s.history,
		"POST channels/{channel}/messages":                 s.post,
		"PATCH channels/{channel}/messages/{message}":      s.patch,
		"DELETE channels/{channel}/messages/{message}":     s.remove,
		"GET channels/{channel}/threads/archived/public":   s.archive,
		"GET guilds/{guild}/threads/active":                s.active,
		"GET applications/{app}/commands":                  func(call) answer { return ok(s.commands) },
		"PUT applications/{app}/commands":                  s.register,
		"POST interactions/{id}/{token}/callback":          s.callback,
		"PATCH webhooks/{app}/{token}/messages/@original":  s.original,
		"DELETE webhooks/{app}/{token}/messages/@original": s.original,
	} {
		method, path, _ := strings.Cut(route, " ")
		mux.HandleFunc(method+" /api/v10/"+path, s.serve(route, serve))
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wrong("there is no %s %s", r.Method, r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
	})
}

func (s *Server) wrong(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// pause is how long a route is not to be called when nothing is left.
const pause = 300 * time.Millisecond

var names = regexp.MustCompile(`/?\{[a-z]+\}`)

// serve does a call, with its faults.
func (s *Server) serve(route string, do func(call) answer) http.HandlerFunc {
	method, path, _ := strings.Cut(route, " ")
	short := names.ReplaceAllString(path, "")
	return func(w http.ResponseWriter, r *http.Request) {
		c := call{Request: r}
		c.read()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[method+" "+short]++
		defer s.changed.Broadcast()
		fault := None
		if s.fault != nil {
			fault = s.fault(method, short)
		}
		if !strings.HasPrefix(r.Header.Get("User-Agent"), "DiscordBot (") {
			s.wrong("%s has the User-Agent %q", route, r.Header.Get("User-Agent"))
		}
		a := answer{}
		if time.Now().Before(s.spent[method+r.URL.Path]) {
			s.wrong("%s was called although nothing was left", route)
		}
		if fault == Spent {
			s.spent[method+r.URL.Path] = time.Now().Add(pause)
			w.Header().Set("X-RateLimit-Limit", "5")
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset-After", strconv.FormatFloat(pause.Seconds(), 'f', 3, 64))
		}
		switch {
		case fault == Unheard:
			panic(http.ErrAbortHandler)
		case fault == Limited || fault == LimitedAll:
			s.limits++
			w.Header().Set("Retry-After", strconv.Itoa(int(s.RetryAfter)+1))
			if fault == LimitedAll {
				w.Header().Set("X-RateLimit-Global", "true")
			}
			a = answer{http.StatusTooManyRequests, object{"message": "You are being rate limited.", "retry_after": s.RetryAfter, "global": fault == LimitedAll}}
		case fault == Refused:
			a = refuse(http.StatusForbidden, 50007, "Cannot send messages to this user")
		case !strings.HasPrefix(path, "interactions") && !strings.HasPrefix(path, "webhooks") && r.Header.Get("Authorization") != "Bot "+Token:
			a = refuse(http.StatusUnauthorized, 0, "401: Unauthorized")
		default:
			a = do(c)
		}
		switch fault {
		case Unanswered:
			panic(http.ErrAbortHandler)
		case Broken:
			a = answer{http.StatusInternalServerError, object{"message": "Internal Server Error"}}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		if a.body != nil {
			_ = json.NewEncoder(w).Encode(a.body)
		}
	}
}

// read reads the body, which may have a file besides.
func (c *call) read() {
	if !strings.HasPrefix(c.Header.Get("Content-Type"), "multipart/form-data") {
		c.body, _ = io.ReadAll(c.Body)
		return
	}
	if c.ParseMultipartForm(32<<20) != nil {
		return
	}
	c.body = json.RawMessage(c.FormValue("payload_json"))
	if f, head, err := c.FormFile("files[0]"); err == nil {
		text, _ := io.ReadAll(f)
		_ = f.Close()
		c.file = &Attachment{ID: "0", Filename: head.Filename, Text: string(text)}
	}
}

func (s *Server) where(call) answer {
	return ok(object{"url": strings.Replace(s.http.URL, "http", "ws", 1) + "/gateway/", "shards": 1, "session_start_limit": object{"total": 1000, "remaining": 999, "reset_after": 14400000, "max_concurrency": 1}})
}

func (s *Server) open(c call) answer {
	var got struct {
		Recipient string `json:"recipient_id"`
	}
	_ = json.Unmarshal(c.body, &got)
	if _, known := s.users[got.Recipient]; !known {
		return refuse(http.StatusBadRequest, 50033, "Invalid Recipient(s)")
	}
	return ok(s.channels[s.dm(got.Recipient)])
}

// seen is the channel of a call, if the bot sees it.
func (s *Server) seen(c call) (*Channel, answer) {
	ch := s.channels[c.PathValue("channel")]
	switch {
	case ch == nil:
		return nil, refuse(http.StatusNotFound, 10003, "Unknown Channel")
	case ch.hidden:
		return nil, refuse(http.StatusForbidden, 50001, "Missing Access")
	}
	return ch, answer{}
}

func (s *Server) channel(c call) answer {
	ch, no := s.seen(c)
	if ch == nil {
		return no
	}
	return ok(ch)
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// history is a page of messages, newest first.
func (s *Server) history(c call) answer {
	ch, no := s.seen(c)
	if ch == nil {
		return no
	}
	limit := int(number(c.FormValue("limit")))
	if limit < 1 || limit > 100 {
		return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	list := []Message{}
	for _, m := range s.messages[ch.ID] {
		if !m.deleted && number(m.ID) > number(c.FormValue("after")) {
			shown := *m
			if !s.Keep {
				shown.Nonce = ""
			}
			list = append(list, shown)
		}
	}
	if len(list) > limit {
		if c.FormValue("after") != "" {
			list = list[:limit]
		} else {
			list = list[len(list)-limit:]
		}
	}
	slices.Reverse(list)
	return ok(list)
}

// posted is the body of a message.
type posted struct {
	Content      string
	Flags        int
	Nonce        string
	EnforceNonce bool `json:"enforce_nonce"`
	Components   json.RawMessage
	Allowed      *struct {
		Parse   *[]string
		Replied bool `json:"replied_user"`
	} `json:"allowed_mentions"`
	Reference *struct {
		Message string `json:"message_id"`
		Fail    *bool  `json:"fail_if_not_exists"`
	} `json:"message_reference"`
	Attachments *[]struct {
		ID       int
		Filename string
	}
}

// check looks at a message as Discord does. What a bot of this kind must not do is a
// problem besides.
func (s *Server) check(c call) (p posted, no *answer) {
	invalid := refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
	if json.Unmarshal(c.body, &p) != nil {
		return p, &invalid
	}
	size := len(utf16.Encode([]rune(p.Content)))
	if size == 0 || size > 2000 || len(p.Nonce) > 25 {
		s.wrong("a message has %d characters, and a nonce of %d", size, len(p.Nonce))
		return p, &invalid
	}
	if p.Allowed == nil || p.Allowed.Parse == nil || len(*p.Allowed.Parse) > 0 || p.Allowed.Replied {
		s.wrong("a message may call people: %s", c.body)
	}
	if p.Flags&(1<<2) == 0 {
		s.wrong("a message shows previews: %s", c.body)
	}
	buttons := Message{Components: p.Components}.Buttons()
	known := map[string]bool{}
	for _, b := range buttons {
		if n := len([]rune(b.Label)); n == 0 || n > 80 || b.CustomID == "" || len(b.CustomID) > 100 || known[b.CustomID] {
			s.wrong("a button is not valid: %q", b)
			return p, &invalid
		}
		known[b.CustomID] = true
	}
	return p, nil
}

func (s *Server) post(c call) answer {
	ch, no := s.seen(c)
	if ch == nil {
		return no
	}
	p, bad := s.check(c)
	if bad != nil {
		return *bad
	}
	if p.Nonce == "" || !p.EnforceNonce {
		s.wrong("a message has no nonce that counts")
	}
	if known, there := s.nonces[p.Nonce]; there && time.Since(known.at) < s.Window {
		if m := s.find(ch.ID, known.message); m != nil {
			return ok(m)
		}
	}
	m := &Message{Channel: ch.ID, Author: s.users[Bot], Content: strings.TrimSpace(p.Content), Components: p.Components, Flags: p.Flags, Nonce: p.Nonce}
	if r := p.Reference; r != nil {
		if s.find(ch.ID, r.Message) == nil && (r.Fail == nil || *r.Fail) {
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
		}
		if s.find(ch.ID, r.Message) != nil {
			m.Type, m.Reference = 19, &Reference{Message: r.Message, Channel: ch.ID}
		}
	}
	if c.file != nil {
		m.Attachments = []Attachment{*c.file}
	}
	s.add(m)
	s.nonces[p.Nonce] = nonce{m.ID, time.Now()}
	s.dispatch("MESSAGE_CREATE", s.event(m))
	return ok(m)
}

func (s *Server) patch(c call) answer {
	ch, no := s.seen(c)
	if ch == nil {
		return no
	}
	m := s.find(ch.ID, c.PathValue("message"))
	switch {
	case m == nil:
		return refuse(http.StatusNotFound, 10008, "Unknown Message")
	case m.Author.ID != Bot:
		return refuse(http.StatusForbidden, 50005, "Cannot edit a message authored by another user")
	}
	p, bad := s.check(c)
	if bad != nil {
		return *bad
	}
	m.Content, m.Components, m.Edited = strings.TrimSpace(p.Content), p.Components, stamp()
	m.Updates++
	if p.Attachments != nil {
		m.Attachments = nil
	}
	if c.file != nil {
		m.Attachments = []Attachment{*c.file}
	}
	s.dispatch("MESSAGE_UPDATE", s.event(m))
	return ok(m)
}

func (s *Server) remove(c call) answer {
	ch, no := s.seen(c)
	if ch == nil {
		return no
	}
	m := s.find(ch.ID, c.PathValue("message"))
	if m == nil {
		return refuse(http.StatusNotFound, 10008, "Unknown Message")
	}
	m.deleted = true
	s.dispatch("MESSAGE_DELETE", object{"id": m.ID, "channel_id": ch.ID})
	return done
}

func (s *Server) threads(which func(*Channel) bool) answer {
	list := []Channel{}
	for _, c := range s.channels {
		if c.Parent != "" && !c.hidden && which(c) {
			list = append(list, *c)
		}
	}
	return ok(object{"threads": list, "members": []object{}, "has_more": false})
}

func (s *Server) active(c call) answer {
	return s.threads(func(t *Channel) bool { return !t.archived && t.Guild == c.PathValue("guild") })
}

func (s *Server) archive(c call) answer {
	return s.threads(func(t *Channel) bool { return t.archived && t.Parent == c.PathValue("channel") })
}

func (s *Server) register(c call) answer {
	var list []struct {
		Name, Description string
	}
	valid := regexp.MustCompile(`^[-_a-z0-9]{1,32}$`)
	if json.Unmarshal(c.body, &list) != nil || slices.ContainsFunc(list, func(l struct{ Name, Description string }) bool {
		return !valid.MatchString(l.Name) || len(l.Description) < 1 || len(l.Description) > 100
	}) {
		s.wrong("the commands are not valid: %s", c.body)
		return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	s.commands = c.body
	return ok(c.body)
}

// callback is the first answer to an interaction. Discord waits three seconds for it.
func (s *Server) callback(c call) answer {
	i := s.waiting[c.PathValue("token")]
	if i == nil || i.id != c.PathValue("id") {
		return refuse(http.StatusNotFound, 10062, "Unknown interaction")
	}
	if i.answered {
		return refuse(http.StatusBadRequest, 40060, "Interaction has already been acknowledged.")
	}
	var got struct {
		Type int
		Data struct {
			Content    string
			Flags      int
			CustomID   string `json:"custom_id"`
			Title      string
			Components []struct {
				Type      int
				Label     string
				Component struct {
					Type     int
					CustomID string `json:"custom_id"`
				}
			}
		}
	}
	_ = json.Unmarshal(c.body, &got)
	i.answered = true
	switch got.Type {
	case 4, 5:
		if got.Data.Flags&(1<<6) == 0 {
			s.wrong("everybody sees an answer: %s", c.body)
		}
		i.shown = &Shown{User: i.user, Text: got.Data.Content, Deferred: got.Type == 5}
		s.shown = append(s.shown, i.shown)
	case 6:
	case 9:
		d := got.Data
		if len(d.Components) != 1 || d.Components[0].Type != 18 || d.Components[0].Component.Type != 4 || d.Title == "" || len(d.Title) > 45 || len(d.CustomID) > 100 {
			s.wrong("the form is not valid: %s", c.body)
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
		}
		s.forms = append(s.forms, Form{CustomID: d.CustomID, Title: d.Title, Label: d.Components[0].Label, Field: d.Components[0].Component.CustomID, user: i.user, channel: i.channel, message: i.message})
	default:
		s.wrong("an interaction was answered in an unknown way: %s", c.body)
	}
	return done
}

// original changes the first answer to an interaction, or takes it away.
func (s *Server) original(c call) answer {
	i := s.waiting[c.PathValue("token")]
	if i == nil || c.PathValue("app") != App || i.shown == nil {
		return refuse(http.StatusNotFound, 10015, "Unknown Webhook")
	}
	var got struct{ Content string }
	_ = json.Unmarshal(c.body, &got)
	i.shown.Text, i.shown.Deferred = got.Content, false
	return ok(object{"id": s.id()})
}
