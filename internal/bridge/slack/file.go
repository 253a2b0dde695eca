package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"parley/internal/bridge"
)

// attach puts the file of a post into its thread, unless it is there. The post itself is
// there whatever comes of this, so an error is never one that says it is not.
func (p *Program) attach(ctx context.Context, post bridge.Post, thread, ts string) error {
	if thread == "" {
		thread = ts
	}
	_, list, err := p.attachments(ctx, post.To.Conversation, thread, ts)
	if err == nil && len(list) == 0 {
		err = p.upload(ctx, post, thread, ts)
	}
	switch {
	case err == nil:
		return nil
	case lasting(err):
		return p.withoutFile(ctx, post, ts, err.Error())
	}
	return fmt.Errorf("the file of a message could not be attached: %s", err.Error())
}

// withoutFile says in the post that its file is missing.
func (p *Program) withoutFile(ctx context.Context, post bridge.Post, ts, reason string) error {
	me, err := p.self(ctx, false)
	if err != nil {
		return err
	}
	post.Text = escape("The whole text could not be attached here. " + reason)
	args := p.message(me, post)
	args.Set("ts", ts)
	_, err = p.call(ctx, p.cfg.BotToken, "chat.update", args, nil)
	if lasting(err) {
		return nil // the post is there, and says what it said
	}
	return err
}

// attachments are the files that belong to a post, and the messages that have them.
func (p *Program) attachments(ctx context.Context, conversation, thread, ts string) (messages, files []string, err error) {
	me, err := p.self(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	err = p.history(ctx, "conversations.replies", url.Values{"channel": {conversation}, "ts": {thread}, "oldest": {ts}}, func(got page) bool {
		for _, m := range got.Messages {
			for _, f := range m.Files {
				if me.said(m) && strings.HasSuffix(f.Title, attached(ts)) {
					messages, files = append(messages, m.TS), append(files, f.ID)
				}
			}
		}
		return true
	})
	return messages, files, unlessMissing(err)
}

// detach takes the files of a post away.
func (p *Program) detach(ctx context.Context, post bridge.Post, ts string) error {
	thread, err := p.thread(ctx, bridge.Post{To: post.To, ReplyTo: ts})
	if err != nil {
		return changed(err)
	}
	conversation := post.To.Conversation
	messages, files, err := p.attachments(ctx, conversation, cmp.Or(thread, ts), ts)
	if err != nil {
		return changed(err)
	}
	var left error
	for i, id := range files {
		_, err := p.call(ctx, p.cfg.BotToken, "files.delete", url.Values{"file": {id}}, nil)
		if err = changed(err); err != nil {
			left = err
			continue // its message tells where it is
		}
		if _, err = p.call(ctx, p.cfg.BotToken, "chat.delete", url.Values{"channel": {conversation}, "ts": {messages[i]}}, nil); changed(err) != nil {
			left = err
		}
	}
	return left
}

// upload uploads a file in three steps: Slack gives an address, takes the text there, and
// shows the file.
func (p *Program) upload(ctx context.Context, post bridge.Post, thread, ts string) error {
	me, err := p.self(ctx, false)
	if err != nil {
		return err
	}
	var place struct {
		UploadURL string `json:"upload_url"`
		FileID    string `json:"file_id"`
	}
	args := url.Values{"filename": {post.File.Name}, "length": {strconv.Itoa(len(post.File.Text))}}
	if _, err := p.call(ctx, p.cfg.BotToken, "files.getUploadURLExternal", args, &place); err != nil {
		return err
	}
	if err := p.put(ctx, place.UploadURL, post.File.Text); err != nil {
		return err
	}
	args = url.Values{"channel_id": {post.To.Conversation}, "thread_ts": {thread},
		"files": {asJSON([]map[string]string{{"id": place.FileID, "title": post.File.Name + attached(ts)}})}}
	identify(me, args, post.From)
	_, err = p.call(ctx, p.cfg.BotToken, "files.completeUploadExternal", args, nil)
	return err
}

// put sends a text to an address that Slack gave for it. Whoever has the address can use
// it, so no error has it.
func (p *Program) put(ctx context.Context, address, text string) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timing.Call)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(text))
	if err != nil || req.URL.Scheme != "https" && !strings.HasPrefix(p.cfg.API, "http:") {
		return errors.New("slack gave no usable address for a file")
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	resp, err := p.client.Do(req, "the upload of a file")
	if err == nil && resp.Status != http.StatusOK {
		err = fmt.Errorf("slack did not take a file: status %d", resp.Status)
	}
	return err
}
