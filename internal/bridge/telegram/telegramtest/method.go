package telegramtest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

func (s *Server) answer(w http.ResponseWriter, r *http.Request, method string, p params) {
	switch method {
	case "getMe":
		result(w, map[string]any{"id": BotID, "is_bot": true, "first_name": "parley", "username": BotName})
	case "setMyCommands":
		result(w, true)
	case "getUpdates":
		s.getUpdates(w, r, p)
	case "sendMessage", "sendDocument":
		s.sendMessage(w, p)
	case "editMessageText":
		s.editMessage(w, p)
	case "editMessageMedia":
		s.editMedia(w, p)
	case "deleteMessage":
		s.deleteMessage(w, p)
	case "answerCallbackQuery":
		s.mu.Lock()
		s.answers = append(s.answers, p.text("text"))
		s.touch()
		s.mu.Unlock()
		result(w, true)
	default:
		refuse(w, http.StatusNotFound, "Not Found", nil)
	}
}

// getUpdates confirms those before the offset, and waits for others. A second poll ends
// the first.
func (s *Server) getUpdates(w http.ResponseWriter, r *http.Request, p params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polls++
	mine := s.polls
	for offset := p.number("offset"); s.first < offset && offset <= s.next && len(s.updates) > 0; s.first++ {
		s.seen = append(s.seen, s.updates[0])
		s.updates = s.updates[1:]
	}
	s.touch()
	over := time.After(time.Duration(p.number("timeout")) * time.Second)
	for {
		list := slices.Clone(s.updates)
		if s.again {
			s.again = false
			list = append(slices.Clone(s.seen), list...)
		}
		if s.polls != mine {
			refuse(w, http.StatusConflict, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", nil)
			return
		}
		changed, done := s.changed, len(list) > 0 || s.closed
		if !done {
			s.mu.Unlock()
			select {
			case <-changed:
			case <-over:
				done = true
			case <-r.Context().Done():
				done = true
			}
			s.mu.Lock()
		}
		if done {
			result(w, slices.Concat([]json.RawMessage{}, list[:min(len(list), 100)]))
			return
		}
	}
}

var elements = regexp.MustCompile(`</?(b|i|s|code|pre|blockquote)>|<code class="language-[^"<>]*">|<a href="[^"<>]*">|</a>`)

// checkHTML refuses what Telegram refuses: elements that it does not know, and those that
// are not closed in order.
func checkHTML(html string) string {
	var open []string
	for _, tag := range elements.FindAllString(html, -1) {
		name := strings.Trim(strings.SplitN(tag, " ", 2)[0], "</>")
		switch {
		case !strings.HasPrefix(tag, "</"):
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			return "can't parse entities: Unmatched end tag"
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return "can't parse entities: Can't find end tag corresponding to start tag " + open[len(open)-1]
	}
	if strings.ContainsAny(elements.ReplaceAllString(html, ""), "<>") {
		return "can't parse entities: Unsupported start tag"
	}
	return ""
}

func (s *Server) sendMessage(w http.ResponseWriter, p params) {
	text := p.text("text") + p.text("caption")
	most := 4096
	if p["document"] != nil {
		most = 1024
	}
	wrong := checkHTML(text)
	switch {
	case strings.TrimSpace(text) == "":
		wrong = "message text is empty"
	case length(text) > most:
		wrong = "message is too long"
	case p.text("parse_mode") != "HTML":
		wrong = "unsupported parse_mode in this test"
	}
	if wrong != "" {
		s.t.Errorf("refused: %s\n%s", wrong, text)
		refuse(w, http.StatusBadRequest, "Bad Request: "+wrong, nil)
		return
	}
	if preview, ok := p["link_preview_options"].(map[string]any); p["document"] == nil && (!ok || preview["is_disabled"] != true) {
		s.t.Errorf("links would unfurl: %s", text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.message++
	post := &Post{ID: s.message, Chat: p.number("chat_id"), Thread: p.number("message_thread_id"), Text: text, File: p.text("document"), Name: p.text("name of document")}
	if reply, ok := p["reply_parameters"].(map[string]any); ok {
		post.ReplyTo = params(reply).number("message_id")
	}
	if markup, ok := p["reply_markup"].(map[string]any); ok {
		post.Buttons, post.Prompt = s.buttons(markup), markup["force_reply"] == true
	}
	s.posts = append(s.posts, post)
	s.touch()
	result(w, map[string]any{"message_id": post.ID, "date": time.Now().Unix(), "chat": map[string]any{"id": post.Chat, "type": "private"}})
}

func (s *Server) buttons(markup map[string]any) (list []Button) {
	rows, _ := markup["inline_keyboard"].([]any)
	for _, row := range rows {
		cells, _ := row.([]any)
		for _, cell := range cells {
			one, _ := cell.(map[string]any)
			b := Button{params(one).text("text"), params(one).text("callback_data")}
			if len(b.Data) < 1 || len(b.Data) > 64 || b.Text == "" {
				s.t.Errorf("a button that Telegram refuses: %+v", b)
			}
			list = append(list, b)
		}
	}
	return list
}

func (s *Server) find(p params) *Post {
	for _, post := range s.posts {
		if post.ID == p.number("message_id") && post.Chat == p.number("chat_id") && !post.Deleted {
			return post
		}
	}
	return nil
}

func (s *Server) editMessage(w http.ResponseWriter, p params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	post := s.find(p)
	var buttons []Button
	if markup, ok := p["reply_markup"].(map[string]any); ok {
		buttons = s.buttons(markup)
	}
	text := p.text("text")
	wrong := checkHTML(text)
	switch {
	case wrong != "":
		s.t.Errorf("refused: %s\n%s", wrong, text)
	case post == nil:
		wrong = "message to edit not found"
	case post.File != "":
		wrong = "there is no text in the message to edit"
	case post.Text == text && slices.Equal(post.Buttons, buttons):
		wrong = "message is not modified: specified new message content and reply markup are exactly the same"
	}
	if wrong != "" {
		refuse(w, http.StatusBadRequest, "Bad Request: "+wrong, nil)
		return
	}
	post.Text, post.Buttons = text, buttons
	post.Edits++
	s.touch()
	result(w, map[string]any{"message_id": post.ID, "date": 1, "chat": map[string]any{"id": post.Chat, "type": "private"}})
}

// editMedia replaces the file of a message and its caption, or gives it one.
func (s *Server) editMedia(w http.ResponseWriter, p params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var caption string
	media, ok := p["media"].(map[string]any)
	if ok {
		caption = params(media).text("caption")
	}
	wrong := checkHTML(caption)
	post := s.find(p)
	switch {
	case !ok || media["type"] != "document" || media["media"] != "attach://document" || media["parse_mode"] != "HTML" || p["document"] == nil:
		wrong = "wrong media in this test"
	case length(caption) > 1024:
		wrong = "message caption is too long"
	}
	if wrong != "" {
		s.t.Errorf("refused: %s\n%s", wrong, caption)
	} else if post == nil {
		wrong = "message to edit not found"
	}
	if wrong != "" {
		refuse(w, http.StatusBadRequest, "Bad Request: "+wrong, nil)
		return
	}
	post.Text, post.File, post.Buttons = caption, p.text("document"), nil
	if markup, ok := p["reply_markup"].(map[string]any); ok {
		post.Buttons = s.buttons(markup)
	}
	post.Edits++
	s.touch()
	result(w, map[string]any{"message_id": post.ID, "date": 1, "chat": map[string]any{"id": post.Chat, "type": "private"}})
}

func (s *Server) deleteMessage(w http.ResponseWriter, p params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	post := s.find(p)
	if post == nil {
		refuse(w, http.StatusBadRequest, "Bad Request: message to delete not found", nil)
		return
	}
	post.Deleted = true
	s.touch()
	result(w, true)
}
