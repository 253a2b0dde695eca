package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
)

// keyEvent is the type of the metadata that carries the key of a post.
const keyEvent = "parley_post"

// Post posts a message. Its key is in its metadata. A file follows as an answer to it.
func (p *Program) Post(ctx context.Context, post bridge.Post) (string, error) {
	me, err := p.self(ctx, false)
	if err != nil {
		return "", notDone(err)
	}
	thread, err := p.thread(ctx, post)
	if err != nil {
		return "", notDone(err)
	}
	args := p.message(me, post)
	args.Set("metadata", asJSON(map[string]any{"event_type": keyEvent, "event_payload": map[string]string{"key": post.Key}}))
	args.Set("unfurl_links", "false")
	args.Set("unfurl_media", "false")
	identify(me, args, post.From)
	var got struct{ TS string }
	for {
		setThread(args, thread)
		_, err = p.call(ctx, p.cfg.BotToken, "chat.postMessage", args, &got)
		if thread == "" || code(err) != "thread_not_found" {
			break
		}
		thread = "" // what it answers was deleted
	}
	if err != nil {
		return "", err
	}
	p.posted(post.To.Conversation, thread, got.TS)
	if post.File == nil {
		return got.TS, nil
	}
	return got.TS, p.attach(ctx, post, thread, got.TS)
}

// notDone says of an error before a post that it was not posted.
func notDone(err error) error {
	if f := (*bridge.Failure)(nil); errors.As(err, &f) {
		return err
	}
	return &bridge.Failure{Reason: err.Error()}
}

func asJSON(v any) string {
	text, _ := json.Marshal(v) // of maps and strings
	return string(text)
}

func setThread(args url.Values, thread string) {
	args.Del("thread_ts")
	if thread != "" {
		args.Set("thread_ts", thread)
	}
}

// posted remembers where a post of the bot is.
func (p *Program) posted(conversation, thread, ts string) {
	if thread == "" {
		thread = ts
	}
	p.threads.Put(conversation+"/"+ts, thread)
	if last, ok := p.answers.Get(conversation + "/" + thread); !ok || later(ts, last) {
		p.answers.Put(conversation+"/"+thread, ts)
	}
}

// thread is the thread that a post belongs to. What answers something goes below it, and
// what answers an answer into the same thread: threads have no threads.
func (p *Program) thread(ctx context.Context, post bridge.Post) (string, error) {
	if post.To.Thread != "" || !isStamp(post.ReplyTo) {
		return post.To.Thread, nil
	}
	key := post.To.Conversation + "/" + post.ReplyTo
	if known, ok := p.threads.Get(key); ok {
		return known, nil
	}
	var got page
	_, err := p.call(ctx, p.cfg.BotToken, "conversations.replies", url.Values{"channel": {post.To.Conversation}, "ts": {post.ReplyTo}, "limit": {"1"}}, &got)
	switch {
	case missing(err):
		return "", nil
	case err != nil:
		return "", err
	}
	thread := post.ReplyTo
	if len(got.Messages) > 0 && got.Messages[0].ThreadTS != "" {
		thread = got.Messages[0].ThreadTS
	}
	p.threads.Put(key, thread)
	return thread, nil
}

// message is what a post says. The text stands in a block where Slack looks for no names
// and addresses by itself.
func (p *Program) message(me *self, post bridge.Post) url.Values {
	text := post.Text
	if !me.named() {
		text = byline(post.From) + text
	}
	if post.Again {
		text += "\n_(perhaps a repeat)_"
	}
	blocks := []any{map[string]any{"type": "section", "expand": true, "text": map[string]any{"type": "mrkdwn", "text": text, "verbatim": true}}}
	return url.Values{"channel": {post.To.Conversation}, "text": {text}, "parse": {"none"}, "link_names": {"false"}, "blocks": {asJSON(append(blocks, buttons(post.Buttons)...))}}
}

// mostButtons is how many buttons a row holds.
const mostButtons = 25

func buttons(list []bridge.Button) (rows []any) {
	for from := 0; from < len(list); from += mostButtons {
		var row []any
		for i, b := range list[from:min(from+mostButtons, len(list))] {
			row = append(row, map[string]any{"type": "button", "action_id": fmt.Sprintf("parley-%d", from+i), "value": b.Data + "\n" + b.Prompt,
				"text": map[string]any{"type": "plain_text", "text": markup.Cut(b.Label, 75), "emoji": false}})
		}
		rows = append(rows, map[string]any{"type": "actions", "block_id": fmt.Sprintf("parley-%d", from), "elements": row})
	}
	return rows
}

// identify shows whose words a post has. Slack marks everything that an app posts as such.
// No name in a team has the dot, so none looks like another with what follows it.
func identify(me *self, args url.Values, from bridge.Author) {
	if !me.named() {
		return
	}
	switch from.Kind {
	case bridge.ByAgent:
		args.Set("username", from.Name+" · agent")
		args.Set("icon_emoji", ":robot_face:")
	case bridge.ByPerson:
		args.Set("username", from.Name+" · person")
		args.Set("icon_emoji", ":bust_in_silhouette:")
	}
}

// byline says the same in a first line, where the app may not choose names. No text has
// its mark.
func byline(from bridge.Author) string {
	switch from.Kind {
	case bridge.ByAgent:
		return markup.AgentMark + " *" + escape(from.Name) + "*\n"
	case bridge.ByPerson:
		return markup.PersonMark + " *" + escape(from.Name) + "*\n"
	}
	return ""
}

// Edit replaces what a post says, and its file.
func (p *Program) Edit(ctx context.Context, id string, post bridge.Post) error {
	me, err := p.self(ctx, false)
	if err != nil {
		return err
	}
	var left error
	if post.Text == "" || post.File != nil {
		if left = p.detach(ctx, post, id); left != nil && !lasting(left) {
			return left
		} // words are taken away even if a file is not
	}
	if post.Text == "" {
		_, err := p.call(ctx, p.cfg.BotToken, "chat.delete", url.Values{"channel": {post.To.Conversation}, "ts": {id}}, nil)
		return cmp.Or(changed(err), left)
	}
	args := p.message(me, post)
	args.Set("ts", id)
	if _, err := p.call(ctx, p.cfg.BotToken, "chat.update", args, nil); err != nil {
		return cmp.Or(changed(err), left)
	}
	if post.File == nil || left != nil {
		return left
	}
	thread, err := p.thread(ctx, bridge.Post{To: post.To, ReplyTo: id})
	if err != nil {
		return changed(err)
	}
	return p.attach(ctx, post, thread, id)
}

// changed is the error of a change: none if there is nothing to change any more, and a
// refusal if Slack does not let it be changed. It would not let it later, and the changes of
// other posts wait behind this one.
func changed(err error) error {
	switch code(err) {
	case "message_not_found", "thread_not_found", "channel_not_found", "file_not_found", "file_deleted":
		return nil
	}
	if r := (*refusal)(nil); lasting(err) && code(err) != "missing_scope" && errors.As(err, &r) {
		r.Refused = true
	}
	return err
}

// Settle looks for a post by its key, in its thread and in the conversation. It may have
// to attach the file that belongs to it.
func (p *Program) Settle(ctx context.Context, post bridge.Post) (bridge.Settled, error) {
	me, err := p.self(ctx, false)
	if err != nil {
		return bridge.Unknown, err
	}
	thread, err := p.thread(ctx, post)
	if err != nil {
		return unsettled(err)
	}
	from := post.Tried
	if from.IsZero() {
		from = time.Now().Add(-24 * time.Hour)
	}
	args := url.Values{"channel": {post.To.Conversation}, "oldest": {stamp(from.Add(-clocks))}, "include_all_metadata": {"true"}}
	ts, in := "", thread
	if thread != "" {
		args.Set("ts", thread)
		ts, err = p.find(ctx, me, "conversations.replies", args, post.Key)
		args.Del("ts")
		args.Del("cursor")
	}
	if err == nil && ts == "" {
		in = ""
		ts, err = p.find(ctx, me, "conversations.history", args, post.Key)
	}
	switch {
	case err != nil:
		return unsettled(err)
	case ts == "" && time.Since(post.Tried) < p.cfg.Timing.Grace:
		wait := min(max(time.Until(post.Tried.Add(p.cfg.Timing.Grace)), time.Millisecond), p.cfg.Timing.Grace)
		return bridge.Unknown, &bridge.Failure{Reason: "it is too early to know whether a message was posted", After: wait}
	case ts == "":
		return bridge.Absent, nil
	}
	p.posted(post.To.Conversation, in, ts)
	if post.File != nil {
		if err := p.attach(ctx, post, in, ts); err != nil {
			return bridge.Unknown, err
		}
	}
	return bridge.Unknown, &bridge.Found{ID: ts}
}

// unsettled is an error while a post was looked for. Where the bot sees nothing, trying the
// post again says why it cannot be posted; where it may not look, nobody can say.
func unsettled(err error) (bridge.Settled, error) {
	switch {
	case unseen(err):
		return bridge.Absent, nil
	case lasting(err):
		return bridge.Unknown, nil
	}
	return bridge.Unknown, err
}

// clocks is how far the hub's clock may be ahead of Slack's.
const clocks = 5 * time.Minute

// find finds a post by its key.
func (p *Program) find(ctx context.Context, me *self, method string, args url.Values, key string) (ts string, err error) {
	err = p.history(ctx, method, args, func(got page) bool {
		for _, m := range got.Messages {
			if m.Metadata.EventType == keyEvent && m.Metadata.EventPayload.Key == key && me.said(m) {
				ts = m.TS
			}
		}
		return ts == ""
	})
	return ts, unlessMissing(err)
}

// attached is the end of the title of a file that belongs to a post.
func attached(ts string) string { return " (" + strings.ReplaceAll(ts, ".", "-") + ")" }
