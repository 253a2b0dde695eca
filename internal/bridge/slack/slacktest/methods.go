package slacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

type object = map[string]any

func fail(code string) object { return object{"ok": false, "error": code} }

// api answers a call of the Web API.
func (s *Server) api(w http.ResponseWriter, req *http.Request) {
	method := req.PathValue("method")
	if err := req.ParseForm(); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.calls[method]++
	fault := None
	if s.fault != nil {
		fault = s.fault(method, req.PostForm)
	}
	if fault == Unheard {
		s.changed.Broadcast()
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	answer := fail("invalid_auth")
	token := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	refusal := ""
	if s.refuse != nil {
		refusal = s.refuse(method, req.PostForm)
	}
	switch {
	case fault == Limited:
		answer = fail("ratelimited")
	case fault == Refused:
		answer = fail("restricted_action")
	case refusal != "":
		answer = fail(refusal)
	case method == "apps.connections.open" && token == AppToken:
		answer = s.open()
	case method != "apps.connections.open" && token == BotToken:
		if do, ok := methods[method]; ok {
			answer = do(s, req.PostForm)
		} else {
			answer = fail("unknown_method")
		}
	}
	s.changed.Broadcast()
	scopes := s.Scopes
	if answer["error"] == "ratelimited" {
		s.limited++
	}
	s.mu.Unlock()
	w.Header().Set("X-OAuth-Scopes", scopes)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	switch {
	case fault == Unanswered:
		panic(http.ErrAbortHandler)
	case fault == Broken:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case fault == Fatal:
		answer = fail("fatal_error")
	case answer["error"] == "ratelimited":
		w.Header().Set("Retry-After", strconv.Itoa(s.RetryAfter))
		w.WriteHeader(http.StatusTooManyRequests)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

var methods = map[string]func(*Server, url.Values) object{
	"auth.test": func(*Server, url.Values) object {
		return object{"ok": true, "team_id": Team, "user_id": BotUser, "bot_id": BotID, "team": "Home", "user": "parley"}
	},
	"users.info":                   (*Server).userInfo,
	"conversations.open":           (*Server).openDM,
	"conversations.history":        (*Server).history,
	"conversations.replies":        (*Server).replies,
	"chat.postMessage":             (*Server).postMessage,
	"chat.postEphemeral":           (*Server).postEphemeral,
	"chat.update":                  (*Server).update,
	"chat.delete":                  (*Server).remove,
	"views.open":                   (*Server).openView,
	"files.getUploadURLExternal":   (*Server).uploadURL,
	"files.completeUploadExternal": (*Server).completeUpload,
	"files.delete":                 (*Server).deleteFile,
}

func (s *Server) has(scope string) bool { return slices.Contains(strings.Split(s.Scopes, ","), scope) }

func missing(scope string) object {
	return object{"ok": false, "error": "missing_scope", "needed": scope, "provided": "chat:write"}
}

func (s *Server) open() object {
	ticket := s.id("ticket")
	s.tickets[ticket] = true
	return object{"ok": true, "url": "ws" + strings.TrimPrefix(s.http.URL, "http") + "/link?ticket=" + ticket + "&app_id=A0APP"}
}

func (s *Server) userInfo(args url.Values) object {
	name, ok := s.users[args.Get("user")]
	if !ok {
		return fail("user_not_found")
	}
	return object{"ok": true, "user": object{"id": args.Get("user"), "team_id": Team, "name": strings.ToLower(name), "profile": object{"display_name": name, "real_name": name}}}
}

func (s *Server) openDM(args url.Values) object {
	if !s.has("im:write") {
		return missing("im:write")
	}
	if _, ok := s.users[args.Get("users")]; !ok {
		return fail("user_not_found")
	}
	return object{"ok": true, "channel": object{"id": s.dm(args.Get("users"))}}
}

func (s *Server) dm(user string) string {
	if s.dms[user] == "" {
		s.dms[user] = "D" + strings.TrimPrefix(user, "U")
		s.members[s.dms[user]] = true
	}
	return s.dms[user]
}

// shown is how a message comes in a history.
func shown(m *Message, metadata bool) Message {
	c := *m
	if !metadata {
		c.Metadata = nil
	}
	return c
}

// listed cuts a list to the page that was asked for. The cursor is a place in it.
func listed(list []Message, args url.Values, normal int) object {
	limit, err := strconv.Atoi(args.Get("limit"))
	if err != nil || limit < 1 || limit > 999 {
		limit = normal
	}
	from, _ := strconv.Atoi(strings.TrimPrefix(args.Get("cursor"), "cursor:"))
	to := min(from+limit, len(list))
	next := ""
	if to < len(list) {
		next = fmt.Sprintf("cursor:%d", to)
	}
	return object{"ok": true, "messages": list[min(from, to):to], "has_more": next != "", "response_metadata": object{"next_cursor": next}}
}

func within(ts string, args url.Values) bool {
	return (args.Get("oldest") == "" || ts > args.Get("oldest")) && (args.Get("latest") == "" || ts < args.Get("latest"))
}

// history has the newest first, and no answers in threads.
func (s *Server) history(args url.Values) object {
	conv := args.Get("channel")
	if !s.members[conv] {
		return fail("not_in_channel")
	}
	list := []Message{}
	for _, m := range slices.Backward(s.convs[conv]) {
		answer := m.ThreadTS != "" && m.ThreadTS != m.TS && m.Subtype != "thread_broadcast"
		if !m.Deleted && !answer && within(m.TS, args) {
			list = append(list, shown(m, args.Get("include_all_metadata") == "true"))
		}
	}
	return listed(list, args, 100)
}

// replies has the message that the thread began with, and then the answers in order.
func (s *Server) replies(args url.Values) object {
	conv := args.Get("channel")
	if !s.members[conv] {
		return fail("channel_not_found")
	}
	first := s.find(conv, args.Get("ts"))
	if first == nil {
		return fail("thread_not_found")
	}
	list := []Message{shown(first, args.Get("include_all_metadata") == "true")}
	for _, m := range s.convs[conv] {
		if !m.Deleted && m != first && m.ThreadTS == first.TS && within(m.TS, args) {
			list = append(list, shown(m, args.Get("include_all_metadata") == "true"))
		}
	}
	return listed(list, args, 1000)
}

func (s *Server) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

func units(text string) int { return len(utf16.Encode([]rune(text))) }

// content checks what a message says, as Slack documents it.
func (s *Server) content(args url.Values) (json.RawMessage, string) {
	var blocks []struct {
		Type, Text json.RawMessage
		Elements   []struct {
			Text  struct{ Text string }
			Value string
			ID    string `json:"action_id"`
		}
	}
	text := args.Get("text")
	if text == "" && args.Get("blocks") == "" {
		return nil, "no_text"
	}
	if args.Get("blocks") == "" {
		return nil, ""
	}
	if json.Unmarshal([]byte(args.Get("blocks")), &blocks) != nil || len(blocks) == 0 || len(blocks) > 50 {
		return nil, "invalid_blocks_format"
	}
	for _, b := range blocks {
		var t struct{ Text string }
		_ = json.Unmarshal(b.Text, &t)
		if string(b.Type) == `"section"` && (t.Text == "" || units(t.Text) > 3000) || string(b.Type) == `"actions"` && (len(b.Elements) == 0 || len(b.Elements) > 25) {
			return nil, "invalid_blocks"
		}
		known := map[string]bool{}
		for _, e := range b.Elements {
			if known[e.ID] || e.Text.Text == "" || units(e.Text.Text) > 75 || len(e.Value) > 2000 {
				return nil, "invalid_blocks"
			}
			known[e.ID] = true
		}
	}
	return json.RawMessage(args.Get("blocks")), ""
}

func (s *Server) postMessage(args url.Values) object {
	conv := args.Get("channel")
	if !s.members[conv] {
		return fail("channel_not_found")
	}
	if now := time.Now(); s.Pace && now.Sub(s.paced[conv]) < 900*time.Millisecond {
		return fail("ratelimited")
	} else {
		s.paced[conv] = now
	}
	blocks, bad := s.content(args)
	if bad != "" {
		return fail(bad)
	}
	thread := args.Get("thread_ts")
	if thread != "" {
		parent := s.find(conv, thread)
		if parent == nil {
			return fail("thread_not_found")
		}
		if parent.ThreadTS != "" && parent.ThreadTS != parent.TS {
			s.problem("the thread_ts of a post is that of an answer")
		}
	}
	if args.Get("metadata") == "" {
		s.problem("a post has no metadata")
	}
	m := &Message{User: BotUser, BotID: BotID, AppID: "A0APP", Team: Team, Text: args.Get("text"), ThreadTS: thread, Blocks: blocks, Metadata: json.RawMessage(args.Get("metadata")),
		Unfurls: args.Get("unfurl_links") != "false" || args.Get("unfurl_media") != "false"}
	if s.has("chat:write.customize") {
		m.Username, m.Icon = args.Get("username"), args.Get("icon_emoji")
	}
	if m.Username != "" {
		m.Subtype, m.User = "bot_message", "" // it has no user then
	}
	s.add(conv, m)
	s.tell(conv, m, nil) // apps hear themselves
	return object{"ok": true, "channel": conv, "ts": m.TS, "message": shown(m, false)}
}

func (s *Server) postEphemeral(args url.Values) object {
	if !s.members[args.Get("channel")] {
		return fail("channel_not_found")
	}
	s.shown = append(s.shown, Message{Conv: args.Get("channel"), User: args.Get("user"), Text: args.Get("text")})
	return object{"ok": true, "message_ts": s.stamp()}
}

func (s *Server) update(args url.Values) object {
	m := s.find(args.Get("channel"), args.Get("ts"))
	if m == nil {
		return fail("message_not_found")
	}
	if m.BotID != BotID {
		return fail("cant_update_message")
	}
	blocks, bad := s.content(args)
	if bad != "" {
		return fail(bad)
	}
	before := *m
	m.Text, m.Blocks, m.Edited, m.WasUpdated = args.Get("text"), blocks, &Edited{BotUser, s.stamp()}, m.WasUpdated+1
	s.tell(m.Conv, m, &before)
	return object{"ok": true, "ts": m.TS, "channel": m.Conv}
}

func (s *Server) remove(args url.Values) object {
	m := s.find(args.Get("channel"), args.Get("ts"))
	if m == nil {
		return fail("message_not_found")
	}
	if m.BotID != BotID {
		return fail("cant_delete_message")
	}
	m.Deleted = true
	return object{"ok": true, "ts": m.TS, "channel": m.Conv}
}

// openView opens a form. What opens it works for three seconds, once.
func (s *Server) openView(args url.Values) object {
	at, ok := s.triggers[args.Get("trigger_id")]
	if !ok {
		return fail("invalid_trigger_id")
	}
	delete(s.triggers, args.Get("trigger_id"))
	if time.Since(at) > 3*time.Second {
		return fail("expired_trigger_id")
	}
	var v struct {
		Type     string
		Callback string `json:"callback_id"`
		Metadata string `json:"private_metadata"`
		Title    struct{ Text string }
		Submit   struct{ Text string }
		Blocks   []struct {
			ID      string `json:"block_id"`
			Element struct {
				ID string `json:"action_id"`
			}
		}
	}
	if json.Unmarshal([]byte(args.Get("view")), &v) != nil || v.Type != "modal" || v.Title.Text == "" || units(v.Title.Text) > 24 || v.Submit.Text == "" ||
		len(v.Metadata) > 3000 || len(v.Blocks) == 0 {
		s.problem("a view is not valid: %s", args.Get("view"))
		return fail("invalid_arguments")
	}
	s.views = append(s.views, View{ID: s.id("V"), Callback: v.Callback, Metadata: v.Metadata, Title: v.Title.Text, Block: v.Blocks[0].ID, Action: v.Blocks[0].Element.ID})
	return object{"ok": true, "view": object{"id": s.views[len(s.views)-1].ID}}
}

func (s *Server) uploadURL(args url.Values) object {
	if !s.has("files:write") {
		return missing("files:write")
	}
	id := s.id("F")
	s.files[id] = &File{ID: id, Name: args.Get("filename"), Mimetype: "text/plain"}
	return object{"ok": true, "upload_url": s.http.URL + "/upload/" + id, "file_id": id}
}

func (s *Server) upload(w http.ResponseWriter, req *http.Request) {
	text, err := io.ReadAll(req.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[req.PathValue("id")]
	if err != nil || f == nil || f.complete {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.Text = string(text)
	_, _ = fmt.Fprintf(w, "OK - %d", len(text))
}

func (s *Server) completeUpload(args url.Values) object {
	var list []struct{ ID, Title string }
	if json.Unmarshal([]byte(args.Get("files")), &list) != nil || len(list) != 1 || s.files[list[0].ID] == nil {
		return fail("invalid_arguments")
	}
	conv, thread := args.Get("channel_id"), args.Get("thread_ts")
	if !s.members[conv] {
		return fail("channel_not_found")
	}
	if parent := s.find(conv, thread); thread != "" && (parent == nil || parent.ThreadTS != "" && parent.ThreadTS != parent.TS) {
		s.problem("a file answers an answer, or nothing")
	}
	f := s.files[list[0].ID]
	if f.complete {
		return fail("file_already_completed")
	}
	f.Title, f.complete = list[0].Title, true
	m := &Message{Subtype: "file_share", User: BotUser, BotID: BotID, AppID: "A0APP", Team: Team, ThreadTS: thread, Files: []File{*f}}
	s.add(conv, m)
	s.tell(conv, m, nil)
	return object{"ok": true, "files": list}
}

func (s *Server) deleteFile(args url.Values) object {
	f := s.files[args.Get("file")]
	if f == nil || f.deleted {
		return fail("file_not_found")
	}
	f.deleted = true
	return object{"ok": true}
}
