package slacktest

import (
	"fmt"
	"strings"
	"time"
)

// Person makes a user, and returns the conversation of the bot with it.
func (s *Server) Person(id, name string) (dm string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[id] = name
	return s.dm(id)
}

// Invite has the bot in a channel.
func (s *Server) Invite(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members[channel] = true
}

// Said is how a message is said.
type Said struct {
	User, In, Text, Thread string
	// Team is the workspace of somebody from outside.
	Team string
	// File is the type of a file that comes along.
	File string
	// Shared is the text of a message that is passed on.
	Shared string
	// Bot is the id of another app that says it.
	Bot string
	// Twice has the event delivered twice.
	Twice bool
}

// Say says something, and returns the message's ts. The text is mrkdwn.
func (s *Server) Say(said Said) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &Message{User: said.User, Text: said.Text, ThreadTS: said.Thread, Team: Team, BotID: said.Bot}
	if said.Team != "" {
		m.Team, m.UserTeam = said.Team, said.Team
	}
	if said.File != "" {
		m.Subtype, m.Files = "file_share", []File{{ID: s.id("F"), Mimetype: said.File, Title: "a file"}}
	}
	if said.Shared != "" {
		m.Attached = []byte(fmt.Sprintf(`[{"is_share":true,"is_msg_unfurl":true,"text":%q}]`, said.Shared))
	}
	s.add(said.In, m)
	s.tell(said.In, m, nil)
	if said.Twice {
		s.tell(said.In, m, nil)
	}
	return m.TS
}

// tell sends the event of a message. before is what it was, if it was changed.
func (s *Server) tell(conversation string, m, before *Message) {
	kind := "channel"
	if strings.HasPrefix(conversation, "D") {
		kind = "im"
	}
	event := object{"type": "message", "channel": conversation, "channel_type": kind, "user": m.User, "text": m.Text, "ts": m.TS, "team": m.Team, "event_ts": m.TS}
	optional := object{"subtype": m.Subtype, "thread_ts": m.ThreadTS, "user_team": m.UserTeam, "bot_id": m.BotID, "app_id": m.AppID, "username": m.Username}
	for name, v := range optional {
		if v != "" {
			event[name] = v
		}
	}
	if len(m.Files) > 0 {
		event["files"] = m.Files
	}
	if len(m.Attached) > 0 {
		event["attachments"] = m.Attached
	}
	if before != nil {
		event = object{"type": "message", "subtype": "message_changed", "hidden": true, "channel": conversation, "channel_type": kind, "ts": s.stamp(),
			"message": shown(m, false), "previous_message": shown(before, false)}
	}
	s.callback(event)
}

func (s *Server) callback(event object) {
	s.deliver("events_api", object{"type": "event_callback", "team_id": Team, "api_app_id": "A0APP", "event_id": s.id("Ev"), "event_time": time.Now().Unix(), "event": event}, true, false)
}

// Edit changes what a message says.
func (s *Server) Edit(conversation, ts, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.find(conversation, ts)
	before := *m
	m.Text, m.Edited = text, &Edited{m.User, s.stamp()}
	s.tell(conversation, m, &before)
}

// Unfurl changes a message as Slack does to show a link.
func (s *Server) Unfurl(conversation, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.find(conversation, ts)
	s.tell(conversation, m, m)
}

// Delete deletes a message.
func (s *Server) Delete(conversation, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.find(conversation, ts)
	before := shown(m, false)
	if m.Replies > 0 { // its answers stay
		m.Subtype, m.User, m.Text = "tombstone", "USLACKBOT", "This message was deleted."
		s.callback(object{"type": "message", "subtype": "message_changed", "hidden": true, "channel": conversation, "ts": s.stamp(), "message": shown(m, false), "previous_message": before})
		return
	}
	m.Deleted = true
	s.callback(object{"type": "message", "subtype": "message_deleted", "hidden": true, "channel": conversation, "ts": s.stamp(), "deleted_ts": ts, "previous_message": before})
}

func (s *Server) trigger() string {
	id := s.id("trigger")
	s.triggers[id] = time.Now()
	return id
}

// Press presses the button that has this label, of a message as it was on the screen.
func (s *Server) Press(user string, m Message, label string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(m.Conv, m.TS) == nil {
		return fmt.Errorf("there is no message %s", m.TS)
	}
	for _, b := range m.Buttons() {
		if b.Label != label {
			continue
		}
		container := object{"type": "message", "message_ts": m.TS, "channel_id": m.Conv, "is_ephemeral": false}
		if m.ThreadTS != "" && m.ThreadTS != m.TS {
			container["thread_ts"] = m.ThreadTS
		}
		s.deliver("interactive", object{"type": "block_actions", "user": object{"id": user, "team_id": Team}, "team": object{"id": Team}, "container": container, "trigger_id": s.trigger(),
			"channel": object{"id": m.Conv}, "message": shown(&m, false),
			"actions": []object{{"type": "button", "action_id": b.Action, "block_id": b.Block, "value": b.Value, "action_ts": s.stamp(), "text": object{"type": "plain_text", "text": label}}}}, false, true)
		return nil
	}
	return fmt.Errorf("the message has no button %q", label)
}

// Submit sends a form.
func (s *Server) Submit(user string, v View, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliver("interactive", object{"type": "view_submission", "user": object{"id": user, "team_id": Team}, "team": object{"id": Team}, "trigger_id": s.trigger(),
		"view": object{"id": v.ID, "callback_id": v.Callback, "private_metadata": v.Metadata, "hash": "h",
			"state": object{"values": object{v.Block: object{v.Action: object{"type": "plain_text_input", "value": text}}}}}}, false, true)
}

// Command sends a slash command from a conversation.
func (s *Server) Command(user, conversation, command, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliver("slash_commands", object{"command": command, "text": text, "user_id": user, "team_id": Team, "channel_id": conversation, "trigger_id": s.trigger(),
		"response_url": s.http.URL + "/response", "api_app_id": "A0APP", "is_enterprise_install": "false"}, false, true)
}
