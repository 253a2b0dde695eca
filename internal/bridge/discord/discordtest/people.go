package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Person makes a user, and returns the channel of the bot with it.
func (s *Server) Person(id, name string) (dm string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[id] = User{ID: id, Username: "user" + id, GlobalName: name}
	return s.dm(id)
}

func (s *Server) dm(user string) string {
	id := "77" + user
	if s.channels[id] == nil {
		s.channels[id] = &Channel{ID: id, Type: 1}
	}
	return id
}

// Channel makes a channel of the server.
func (s *Server) Channel(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[id] = &Channel{ID: id, Name: name, Guild: Guild}
}

// Thread begins a thread at a message.
func (s *Server) Thread(channel, message string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Channel{ID: message, Type: 11, Name: "a thread", Guild: Guild, Parent: channel}
	s.channels[message] = c
	s.dispatch("THREAD_CREATE", *c)
	return message
}

// Archive closes a thread for now.
func (s *Server) Archive(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[thread].archived = true
}

// Hide takes a channel out of the bot's sight.
func (s *Server) Hide(channel string, hidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[channel].hidden = hidden
}

// Said is how a message is said.
type Said struct {
	User, In, Text, ReplyTo string
	// Mentions are users whose names come along.
	Mentions []string
	// File is the type of a file that comes along.
	File string
	// Shared is the text of a message that is passed on.
	Shared string
	// Webhook says it, or a Bot.
	Webhook string
	Bot     bool
	// Type is that of a message of Discord itself.
	Type int
	// Twice has the event sent twice, and Late not before Deliver.
	Twice, Late bool
}

// Say says something, and returns the message's number.
func (s *Server) Say(said Said) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &Message{Channel: said.In, Author: s.users[said.User], Content: said.Text, Type: said.Type, Webhook: said.Webhook}
	m.Author.IsBot = said.Bot
	if said.ReplyTo != "" {
		m.Type, m.Reference = 19, &Reference{Message: said.ReplyTo, Channel: said.In}
	}
	if said.File != "" {
		m.Attachments = []Attachment{{ID: "1", Filename: "a file", Type: said.File}}
	}
	if said.Shared != "" {
		m.Reference, m.Snapshots = &Reference{Type: 1, Message: "5", Channel: "6"}, []object{{"message": object{"content": said.Shared}}}
	}
	for _, id := range said.Mentions {
		m.Mentions = append(m.Mentions, s.users[id])
	}
	s.add(m)
	if !said.Late {
		s.dispatch("MESSAGE_CREATE", s.event(m))
	}
	if said.Twice {
		s.dispatch("MESSAGE_CREATE", s.event(m))
	}
	return m.ID
}

// Deliver sends the event of a message, now or again.
func (s *Server) Deliver(channel, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatch("MESSAGE_CREATE", s.event(s.find(channel, id)))
}

// Edit changes what a message says.
func (s *Server) Edit(channel, id, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.find(channel, id)
	m.Content, m.Edited = text, stamp()
	s.dispatch("MESSAGE_UPDATE", s.event(m))
}

// Unfurl changes a message as Discord does to show a link.
func (s *Server) Unfurl(channel, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatch("MESSAGE_UPDATE", s.event(s.find(channel, id)))
}

// Delete deletes messages.
func (s *Server) Delete(channel string, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.find(channel, id).deleted = true
	}
	if len(ids) == 1 {
		s.dispatch("MESSAGE_DELETE", object{"id": ids[0], "channel_id": channel, "guild_id": s.channels[channel].Guild})
		return
	}
	s.dispatch("MESSAGE_DELETE_BULK", object{"ids": ids, "channel_id": channel, "guild_id": s.channels[channel].Guild})
}

// Repost makes a message of the bot that this bridge has not made, and tells of it.
func (s *Server) Repost(channel, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &Message{Channel: channel, Author: s.users[Bot], Content: text}
	s.add(m)
	return m.ID
}

// interaction is one that waits for its answer.
type interaction struct {
	id, user, channel, message string
	at                         time.Time
	answered                   bool
	shown                      *Shown
}

// interact sends an interaction.
func (s *Server) interact(kind int, user, channel, message string, data object) {
	i := &interaction{id: s.id(), user: user, channel: channel, message: message, at: time.Now()}
	token := "token-of-" + i.id
	s.waiting[token] = i
	d := object{"id": i.id, "application_id": App, "type": kind, "token": token, "version": 1, "channel_id": channel, "data": data}
	if c := s.channels[channel]; c != nil && c.Guild != "" {
		d["guild_id"], d["member"] = c.Guild, object{"user": s.users[user], "permissions": "0"}
	} else {
		d["user"] = s.users[user]
	}
	if message != "" {
		d["message"] = object{"id": message, "channel_id": channel}
	}
	s.dispatch("INTERACTION_CREATE", d)
}

// Press presses the button of a message that has this label.
func (s *Server) Press(user string, m Message, label string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range m.Buttons() {
		if b.Label == label {
			s.interact(3, user, m.Channel, m.ID, object{"component_type": 2, "custom_id": b.CustomID})
			return nil
		}
	}
	return fmt.Errorf("the message has no button %q", label)
}

// Submit sends a form.
func (s *Server) Submit(user string, f Form, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interact(5, user, f.channel, f.message, object{"custom_id": f.CustomID,
		"components": []object{{"type": 18, "id": 1, "component": object{"type": 4, "id": 2, "custom_id": f.Field, "value": text}}}})
}

// Command gives a command, with the values of its options.
func (s *Server) Command(user, channel, name string, values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var known []struct {
		Name    string
		Options []struct{ Name string }
	}
	_ = json.Unmarshal(s.commands, &known)
	options := []object{}
	for _, c := range known {
		for i, o := range c.Options {
			if c.Name == name && i < len(values) {
				options = append([]object{{"type": 3, "name": o.Name, "value": values[i]}}, options...) // in any order
			}
		}
	}
	s.interact(2, user, channel, "", object{"id": "8", "name": name, "type": 1, "options": options})
}

// Unanswered is how many interactions have no answer yet.
func (v *State) Unanswered() (n int) {
	for _, i := range v.s.waiting {
		if !i.answered || i.shown != nil && i.shown.Deferred {
			n++
		}
	}
	return n
}

// Repeat sends again what people did, as after a connection was lost.
func (s *Server) Repeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range slices.Clone(s.events) {
		text, _ := json.Marshal(v["d"])
		for _, n := range s.sessions {
			if !n.over {
				s.dispatchTo(n, v["t"].(string), json.RawMessage(text))
			}
		}
	}
}
