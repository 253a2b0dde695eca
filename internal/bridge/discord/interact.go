package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
)

// What interactions are, and how they are answered.
const (
	aCommand, aButton, aForm                 = 2, 3, 5
	withMessage, inAWhile, quietly, withForm = 4, 5, 6, 9
	labelOfText, textInput, manyLines        = 18, 4, 2
)

// interaction is a command, a button that was pressed, or a form that was sent.
type interaction struct {
	ID        string
	Type      int
	Token     string
	GuildID   string `json:"guild_id"`
	ChannelID string `json:"channel_id"`
	Member    *struct{ User user }
	User      *user
	Message   *struct{ ID string }
	Data      struct {
		Name    string
		Options []struct {
			Name  string
			Value json.RawMessage
		}
		CustomID   string `json:"custom_id"`
		Components []struct {
			Component  struct{ Value string }
			Components []struct{ Value string }
		}
	}
}

func (i interaction) who() user {
	switch {
	case i.Member != nil:
		return i.Member.User
	case i.User != nil:
		return *i.User
	}
	return user{}
}

// button is the data of a button, and what it asks for.
func (i interaction) button() (data, prompt string) {
	words := strings.SplitN(i.Data.CustomID, "\n", 3)
	if len(words) > 1 {
		data = words[1]
	}
	if len(words) > 2 {
		prompt = words[2]
	}
	return data, prompt
}

// values are those of a command's options, in the order of its definition.
func (i interaction) values() (text string) {
	given := map[string]string{}
	for _, o := range i.Data.Options {
		var value string
		if json.Unmarshal(o.Value, &value) == nil {
			given[o.Name] = value
		}
	}
	for _, c := range commands {
		for _, o := range c.Options {
			if c.Name == i.Data.Name && given[o.Name] != "" {
				text += " " + given[o.Name]
			}
		}
	}
	return text
}

// typed is what was typed into a form.
func (i interaction) typed() string {
	for _, c := range i.Data.Components {
		if c.Component.Value != "" {
			return c.Component.Value
		}
		for _, inner := range c.Components {
			return inner.Value
		}
	}
	return ""
}

// reply is the answer to an interaction, which Discord wants soon. It is given when the
// interaction is stored; if that takes long, Discord is told so before.
type reply struct {
	*receiver
	interaction
	mu       sync.Mutex
	deferred bool
	over     bool
	timer    *time.Timer
}

// at sees what arrives at once. Forms are opened right away, since that cannot be put off;
// all the rest comes in its turn.
func (r *receiver) at(ctx context.Context, p payload) *reply {
	if p.T != "INTERACTION_CREATE" {
		return nil
	}
	a := &reply{receiver: r}
	if json.Unmarshal(p.D, &a.interaction) != nil || !isID(a.ID) || a.Token == "" {
		return nil
	}
	if data, prompt := a.button(); a.Type == aButton && prompt != "" {
		a.over = true
		r.side.Go(func() { a.ask(ctx, data, prompt) })
		return a
	}
	r.side.Add(1)
	a.timer = time.AfterFunc(r.cfg.Timing.Defer, func() { defer r.side.Done(); a.putOff(ctx) })
	return a
}

// stop ends the waiting. What comes of an interaction after that is said at its end.
func (a *reply) stop() {
	if a != nil && a.timer != nil && a.timer.Stop() {
		a.side.Done()
	}
}

func (a *reply) callback(ctx context.Context, kind int, data object) error {
	if data == nil {
		data = object{}
	}
	return a.call(ctx, http.MethodPost, "interactions/"+a.ID+"/"+a.Token+"/callback", content{json: object{"type": kind, "data": data}}, nil)
}

// ask opens a form for a text. If that fails, nothing has happened yet: the button can be
// pressed again.
func (a *reply) ask(ctx context.Context, data, prompt string) {
	text := object{"type": textInput, "custom_id": "text", "style": manyLines, "required": true, "max_length": 1000}
	id, _, _ := strings.Cut(a.Data.CustomID, "\n")
	_ = a.callback(ctx, withForm, object{"custom_id": id + "\n" + data, "title": markup.Cut(prompt, 45),
		"components": []object{{"type": labelOfText, "label": markup.Cut(prompt, 45), "component": text}}})
}

// putOff tells Discord that it takes longer.
func (a *reply) putOff(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	err := a.callback(ctx, inAWhile, object{"flags": ephemeral})
	a.deferred = err == nil || code(err) == alreadyAnswered
}

// end answers. Nothing depends on it: what was to be done is done, and the posts show it.
func (a *reply) end(ctx context.Context, words string) {
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	said := object{"content": escape(words), "flags": ephemeral | suppressEmbeds, "allowed_mentions": silent()}
	if !a.deferred {
		kind := withMessage
		if words == "" {
			kind, said = quietly, nil
		}
		if code(a.callback(ctx, kind, said)) != alreadyAnswered || words == "" {
			return // the answer that there is may be the one to the first time
		}
	}
	original := "webhooks/" + a.application() + "/" + a.Token + "/messages/@original"
	if words == "" {
		_ = a.call(ctx, http.MethodDelete, original, content{}, nil)
		return
	}
	delete(said, "flags")
	_ = a.call(ctx, http.MethodPatch, original, content{json: said}, nil)
}

// interaction takes an interaction, and says to whom did it what came of it.
func (r *receiver) interaction(ctx context.Context, a arrival) error {
	if a.reply == nil || a.reply.over {
		return nil
	}
	defer a.reply.stop()
	who := a.reply.who()
	if !isID(who.ID) || who.Bot {
		return nil
	}
	if a.reply.Type == aCommand {
		return r.command(ctx, a.reply, who)
	}
	if (a.reply.Type != aButton && a.reply.Type != aForm) || a.reply.Message == nil {
		return nil
	}
	c, err := r.channel(ctx, a.reply.ChannelID)
	if err != nil && !unseen(err) {
		return err
	}
	data, _ := a.reply.button()
	e := bridge.Event{ID: "pressed/" + a.reply.ID, Kind: bridge.Pressed, Account: bridge.Account{ID: who.ID, Name: who.name()}, Place: c.place(), Private: a.reply.GuildID == "",
		Message: a.reply.Message.ID, Data: data, Text: a.reply.typed()}
	said, err := r.inbox.Take(ctx, e)
	if err != nil {
		return err
	}
	a.reply.end(ctx, said)
	return nil
}

// command takes a command. Its answers come by direct message, wherever it was typed:
// others may read along.
func (r *receiver) command(ctx context.Context, a *reply, who user) error {
	dm, err := r.dm(ctx, who.ID)
	if f := code(err); f != 0 {
		a.end(ctx, "I cannot write to you. "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	text := "/" + a.Data.Name + a.values()
	plain, _ := decode(text, r.bot(), func(id string) string { return id }, func(id string) string { return id })
	e := bridge.Event{ID: "command/" + a.ID, Kind: bridge.Said, Account: bridge.Account{ID: who.ID, Name: who.name()}, Place: bridge.Place{Conversation: dm}, Private: true,
		Message: "command/" + a.ID, Text: plain}
	if _, err := r.inbox.Take(ctx, e); err != nil {
		return err
	}
	a.end(ctx, "I answer by direct message.")
	return nil
}

// command is one that people find when they type a slash.
type command struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Options     []option `json:"options,omitempty"`
}

type option struct {
	Type        int    `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

func word(name, description string) option { return option{3, name, description, true} }

var commands = []command{
	{"ask", "Ask an agent of the team", []option{word("agent", "Whom to ask"), word("question", "What to ask")}},
	{"tasks", "What is open", nil},
	{"approvals", "What waits for your decision", nil},
	{"pause", "Stop all turns of the team", nil},
	{"resume", "Let the team go on", nil},
	{"help", "What can be said here", nil},
	{"link", "Say who you are, by the code of parley person link", []option{word("code", "The code")}},
}

// register tells Discord the commands, if it has others.
func (r *receiver) register(ctx context.Context) error {
	route := fmt.Sprintf("applications/%s/commands", r.application())
	var known []command
	err := r.read(ctx, route, &known)
	if err == nil && !registered(known) {
		err = r.call(ctx, http.MethodPut, route, content{json: commands}, nil)
	}
	if code(err) != 0 {
		return nil // without them everything else works
	}
	return err
}

func registered(known []command) bool {
	if len(known) != len(commands) {
		return false
	}
	by := map[string]command{}
	for _, c := range known {
		by[c.Name] = c
	}
	for _, c := range commands {
		if k := by[c.Name]; k.Description != c.Description || !reflect.DeepEqual(append([]option{}, k.Options...), append([]option{}, c.Options...)) {
			return false
		}
	}
	return true
}
