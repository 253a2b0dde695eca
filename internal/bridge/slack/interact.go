package slack

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
)

// interaction is a button that was pressed, or a form that was sent.
type interaction struct {
	Type      string
	TriggerID string `json:"trigger_id"`
	User      struct {
		ID     string
		TeamID string `json:"team_id"`
	}
	Container struct {
		ChannelID string `json:"channel_id"`
		MessageTS string `json:"message_ts"`
		ThreadTS  string `json:"thread_ts"`
	}
	Actions []struct {
		Value    string
		ActionID string `json:"action_id"`
		ActionTS string `json:"action_ts"`
	}
	View struct {
		ID              string
		CallbackID      string `json:"callback_id"`
		PrivateMetadata string `json:"private_metadata"`
		State           struct {
			Values map[string]map[string]struct{ Value string }
		}
	}
}

// pressed is what a form remembers of the button that opened it.
type pressed struct {
	Conversation, Thread, Message, Data string
}

// formID is that of the forms of the bridge, of what is typed in, and of its row.
const formID = "parley_ask"

func (r *receiver) interaction(ctx context.Context, a arrival) error {
	var got interaction
	if json.Unmarshal(a.Payload, &got) != nil {
		a.from.acknowledge(a.envelope, nil)
		return nil
	}
	var err error
	switch {
	case got.Type == "block_actions" && len(got.Actions) > 0 && strings.HasPrefix(got.Actions[0].ActionID, "parley-"):
		err = r.button(ctx, got)
	case got.Type == "view_submission" && got.View.CallbackID == formID:
		err = r.submitted(ctx, got)
	}
	if err == nil {
		a.from.acknowledge(a.envelope, nil)
	}
	return err
}

func (r *receiver) button(ctx context.Context, got interaction) error {
	action := got.Actions[0]
	data, prompt, _ := strings.Cut(action.Value, "\n")
	at := pressed{got.Container.ChannelID, got.Container.ThreadTS, got.Container.MessageTS, data}
	if prompt != "" {
		r.ask(ctx, got.TriggerID, prompt, at)
		return nil
	}
	return r.press(ctx, got, at, "pressed/"+at.Conversation+"/"+at.Message+"/"+got.User.ID+"/"+action.ActionTS, "")
}

func (r *receiver) submitted(ctx context.Context, got interaction) error {
	var at pressed
	if json.Unmarshal([]byte(got.View.PrivateMetadata), &at) != nil {
		return nil
	}
	return r.press(ctx, got, at, "sent/"+got.View.ID, got.View.State.Values[formID][formID].Value)
}

// press takes a press, and tells who pressed what came of it.
func (r *receiver) press(ctx context.Context, got interaction, at pressed, id, text string) error {
	e := bridge.Event{ID: id, Kind: bridge.Pressed, Account: r.account(ctx, got.User.ID, got.User.TeamID), Place: bridge.Place{Conversation: at.Conversation, Thread: at.Thread},
		Private: strings.HasPrefix(at.Conversation, "D"), Message: at.Message, Data: at.Data, Text: text}
	answer, err := r.in.Take(ctx, e)
	if err != nil || answer == "" {
		return err
	}
	args := url.Values{"channel": {at.Conversation}, "user": {got.User.ID}, "text": {escape(answer)}}
	setThread(args, at.Thread)
	_, _ = r.call(ctx, r.cfg.BotToken, "chat.postEphemeral", args, nil) // it is for a moment, and the post shows the same
	return nil
}

// ask opens a form for a text. If that fails, nothing has happened yet: the button can be
// pressed again.
func (r *receiver) ask(ctx context.Context, trigger, prompt string, at pressed) {
	words := func(s string, most int) map[string]any {
		return map[string]any{"type": "plain_text", "text": markup.Cut(s, most), "emoji": false}
	}
	view := map[string]any{
		"type": "modal", "callback_id": formID, "private_metadata": asJSON(at), "title": words(prompt, 24), "submit": words("Send", 24), "close": words("Cancel", 24),
		"blocks": []any{map[string]any{"type": "input", "block_id": formID, "label": words(prompt, 2000),
			"element": map[string]any{"type": "plain_text_input", "action_id": formID, "multiline": true, "max_length": 2000}}},
	}
	_, _ = r.call(ctx, r.cfg.BotToken, "views.open", url.Values{"trigger_id": {trigger}, "view": {asJSON(view)}}, nil)
}

// command takes a slash command. Its answers come by direct message, wherever it was
// typed: the bot may not be there, and others may read along.
func (r *receiver) command(ctx context.Context, a arrival) error {
	var got struct {
		Command, Text string
		UserID        string `json:"user_id"`
		TeamID        string `json:"team_id"`
		TriggerID     string `json:"trigger_id"`
	}
	if json.Unmarshal(a.Payload, &got) != nil || got.UserID == "" || got.Command == "" {
		a.from.acknowledge(a.envelope, nil)
		return nil
	}
	dm, err := r.dm(ctx, got.UserID)
	if err != nil {
		if unusable(err) {
			a.from.acknowledge(a.envelope, ephemeral("I cannot write to you. "+err.Error()))
			return nil
		}
		return err
	}
	id := "command/" + firstOf(got.TriggerID, a.EnvelopeID)
	e := bridge.Event{ID: id, Kind: bridge.Said, Account: r.account(ctx, got.UserID, got.TeamID), Place: bridge.Place{Conversation: dm}, Private: true, Message: id,
		Text: strings.TrimSpace(got.Command + " " + decode(got.Text, r.me.User, func(user string) string { return r.name(ctx, user) }).text)}
	if _, err := r.in.Take(ctx, e); err != nil {
		return err
	}
	a.from.acknowledge(a.envelope, ephemeral("I answer by direct message."))
	return nil
}

func ephemeral(text string) any {
	return map[string]string{"response_type": "ephemeral", "text": escape(text)}
}

// unusable reports whether a call fails however often it is tried.
func unusable(err error) bool {
	return code(err) != "" && code(err) != "ratelimited"
}
