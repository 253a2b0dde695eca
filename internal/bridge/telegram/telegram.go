// Package telegram is the chat program Telegram, by its Bot API. It asks for updates by
// long polling, so the hub needs no public address.
//
// Telegram keeps updates for a day and gives them again until a later one is asked for.
// That is done only after an update was dealt with. It cannot say whether a message was
// posted whose answer was lost: such a one is posted again, and says so.
package telegram

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
	"parley/internal/bridge/wire"
)

// Name is that of the section in parley.yaml.
const Name = "telegram"

// API is where Telegram's own servers are.
const API = "https://api.telegram.org"

// Config is a bot.
type Config struct {
	// Token is that of the bot. It appears in no error and in no log.
	Token string
	// API is the address of the Bot API; Telegram's own if it is empty. Who runs a server
	// of the Bot API has another one.
	API string
	Log *slog.Logger
}

// Telegram is the bot of a team.
type Telegram struct {
	cfg    Config
	client *wire.Client
	texts  wire.Memory[string] // what messages say: Telegram also tells of changes that are none of the text
}

func New(cfg Config) *Telegram {
	if cfg.API == "" {
		cfg.API = API
	}
	cfg.API = strings.TrimRight(cfg.API, "/")
	return &Telegram{cfg: cfg, client: wire.NewClient("Telegram")}
}

func (t *Telegram) Name() string { return Name }

// Limits are those of the documentation: a message has 4,096 characters at most, of which
// the name and the like take some; one message a second in a chat, and thirty in all.
func (t *Telegram) Limits() bridge.Limits {
	return bridge.Limits{Form: form, Parts: 4, Every: time.Second / 25, PerConversation: time.Second}
}

// pollTime is how long Telegram waits for updates before it answers that there are none.
const pollTime = 50 * time.Second

// commands are shown by the program when somebody types a slash.
var commands = []botCommand{{"ask", "Ask an agent: /ask NAME QUESTION"}, {"tasks", "What is open"}, {"approvals", "What waits for a decision"},
	{"pause", "Stop all turns of the team"}, {"resume", "Let them go on"}, {"help", "What you can say"}}

// Receive polls for updates.
func (t *Telegram) Receive(ctx context.Context, in bridge.Inbox) error {
	defer t.client.Close()
	var me user
	if err := t.call(ctx, "getMe", nil, &me); err != nil {
		return err
	}
	if err := t.call(ctx, "setMyCommands", map[string]any{"commands": commands}, nil); err != nil {
		t.cfg.Log.Info("Telegram did not take the list of commands", "problem", err.Error())
	}
	next := int64(0)
	for {
		list, err := t.poll(ctx, next)
		if err != nil {
			return err
		}
		in.Up(ctx)
		for _, u := range list { // they are known by their ids; after a quiet week they may be lower than before
			if err := t.take(ctx, in, me, u); err != nil {
				return err // it comes again
			}
			next = u.ID + 1
		}
	}
}

func (t *Telegram) poll(ctx context.Context, from int64) (list []update, err error) {
	ctx, cancel := context.WithTimeout(ctx, pollTime+15*time.Second)
	defer cancel()
	err = t.call(ctx, "getUpdates", map[string]any{"offset": from, "timeout": int(pollTime.Seconds()), "limit": 100,
		"allowed_updates": []string{"message", "edited_message", "callback_query"}}, &list)
	return list, err
}

func (t *Telegram) take(ctx context.Context, in bridge.Inbox, me user, u update) error {
	e, ok := u.event(me)
	if !ok {
		return nil
	}
	if e.Kind == bridge.Edited {
		if said, known := t.texts.Get(e.Place.Conversation + "/" + e.Message); known && said == e.Text {
			return nil
		}
	}
	answer, err := in.Take(ctx, e)
	if err != nil {
		return err
	}
	if u.Callback == nil {
		t.texts.Put(e.Place.Conversation+"/"+e.Message, e.Text)
		return nil
	}
	params := map[string]any{"callback_query_id": u.Callback.ID}
	if answer != "" {
		params["text"] = markup.Cut(answer, 190)
	}
	if err := t.call(ctx, "answerCallbackQuery", params, nil); err != nil {
		t.cfg.Log.Info("Telegram did not take the answer to a button", "problem", err.Error())
	}
	return nil
}

// Post posts a message.
func (t *Telegram) Post(ctx context.Context, p bridge.Post) (string, error) {
	params := map[string]any{"chat_id": p.To.Conversation}
	if n, err := strconv.ParseInt(p.To.Thread, 10, 64); err == nil {
		params["message_thread_id"] = n
	}
	if n, err := strconv.ParseInt(p.ReplyTo, 10, 64); err == nil {
		params["reply_parameters"] = map[string]any{"message_id": n, "allow_sending_without_reply": true}
	}
	if below := keyboard(p); below != nil {
		params["reply_markup"] = below
	}
	var posted message
	if p.File != nil {
		params["caption"], params["parse_mode"] = whole(p), "HTML"
		err := t.upload(ctx, "sendDocument", params, "document", p.File, &posted)
		return strconv.FormatInt(posted.ID, 10), err
	}
	params["text"], params["parse_mode"], params["link_preview_options"] = whole(p), "HTML", noPreview
	err := t.call(ctx, "sendMessage", params, &posted)
	return strconv.FormatInt(posted.ID, 10), err
}

var noPreview = map[string]any{"is_disabled": true}

// Edit replaces a message, or deletes it.
func (t *Telegram) Edit(ctx context.Context, id string, p bridge.Post) error {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return &bridge.Failure{Refused: true, Reason: "that is no message of Telegram"}
	}
	if p.Text != "" {
		return t.replace(ctx, n, p)
	}
	err = unchanged(t.call(ctx, "deleteMessage", map[string]any{"chat_id": p.To.Conversation, "message_id": n}, nil))
	if f := (*bridge.Failure)(nil); errors.As(err, &f) && f.Refused { // it is older than two days, for instance, and can still be changed
		return t.replace(ctx, n, bridge.Post{To: p.To, Text: removed})
	}
	return err
}

// removed is what a message says that cannot be deleted.
const removed = "(removed)"

// longestCaption is how much is said beside a file, with some room for how Telegram counts.
const longestCaption = 1000

// replace replaces what a message says: its text, or its file and the caption of that.
func (t *Telegram) replace(ctx context.Context, id int64, p bridge.Post) error {
	params := map[string]any{"chat_id": p.To.Conversation, "message_id": id, "reply_markup": map[string]any{"inline_keyboard": rows(p.Buttons)}}
	if p.File == nil {
		text := maps.Clone(params)
		text["text"], text["parse_mode"], text["link_preview_options"] = whole(p), "HTML", noPreview
		err := unchanged(t.call(ctx, "editMessageText", text, nil))
		if err == nil || !strings.Contains(err.Error(), "no text in the message") {
			return err
		}
		p.File = &bridge.File{Name: "removed.txt", Text: removed + "\n"} // it has a file, which stays one
	}
	if markup.Units(whole(p)) > longestCaption {
		p.Text = "(This has changed, and is too long to be shown here.)"
	}
	params["media"] = map[string]any{"type": "document", "media": "attach://document", "caption": whole(p), "parse_mode": "HTML"}
	return unchanged(t.upload(ctx, "editMessageMedia", params, "document", p.File, nil))
}

// Settle cannot know: Telegram finds no message by anything that we give it.
func (t *Telegram) Settle(context.Context, bridge.Post) (bridge.Settled, error) {
	return bridge.Unknown, nil
}

// keyboard is what is under a message.
func keyboard(p bridge.Post) any {
	switch {
	case len(p.Buttons) > 0:
		return map[string]any{"inline_keyboard": rows(p.Buttons)}
	case p.Prompt:
		return map[string]any{"force_reply": true, "selective": true}
	}
	return nil
}

type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

// rows puts short buttons beside each other, two by two.
func rows(list []bridge.Button) [][]button {
	out := [][]button{}
	for i, b := range list {
		one := button{b.Label, b.Data}
		if last := len(out) - 1; i > 0 && len(out[last]) == 1 && len(list[i-1].Label) <= shortLabel && len(b.Label) <= shortLabel {
			out[last] = append(out[last], one)
			continue
		}
		out = append(out, []button{one})
	}
	return out
}

const shortLabel = 12
