package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/wire"
)

// refusal is what Slack says if it does not do something.
type refusal struct {
	bridge.Failure
	code string
}

func (r *refusal) Unwrap() error { return &r.Failure }

// code is that of a refusal; empty if it is none.
func code(err error) string {
	if r := (*refusal)(nil); errors.As(err, &r) {
		return r.code
	}
	return ""
}

// missing reports whether there is no such message or thread any more.
func missing(err error) bool {
	return code(err) == "thread_not_found" || code(err) == "message_not_found"
}

func unlessMissing(err error) error {
	if missing(err) {
		return nil
	}
	return err
}

// unsure are codes after which something may have been done all the same.
var unsure = []string{"fatal_error", "internal_error", "request_timeout", "service_unavailable", "rollup_error"}

// passing are codes that have nothing to do with what is to be done: it can be done when
// somebody has set something right.
var passing = []string{
	"ratelimited", "rate_limited", "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "no_permission", "access_denied",
	"org_login_required", "ekm_access_denied", "accesslimited", "team_access_not_granted", "enterprise_is_restricted", "not_allowed_token_type", "two_factor_setup_required",
	"team_added_to_org",
}

// lasting reports whether Slack will not do this one thing later either. Of codes that are
// not known that is assumed, where going on without it is better than never going on.
func lasting(err error) bool {
	return code(err) != "" && !slices.Contains(passing, code(err))
}

// hopeless are codes of a post that stay the same however often it is tried. Others are
// tried until the bridge gives the post up.
var hopeless = []string{
	"channel_not_found", "not_in_channel", "is_archived", "msg_too_long", "no_text", "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long",
	"restricted_action", "restricted_action_read_only_channel", "restricted_action_thread_only_channel", "restricted_action_non_threadable_channel",
	"cannot_reply_to_message", "messages_tab_disabled", "user_disabled", "cant_dm_bot", "user_not_found", "users_not_found", "invalid_arguments", "invalid_arg_name",
	"file_uploads_disabled", "file_uploads_except_images_disabled", "slack_connect_file_upload_sharing_blocked", "storage_limit_reached",
	"duplicate_channel_not_found", "metadata_too_large", "invalid_metadata_format", "invalid_metadata_schema", "team_not_found", "cant_broadcast_message",
	"slack_connect_blocked_file_type", "restricted_too_many_attachments", "too_many_attachments", "markdown_text_conflict", "attachment_payload_limit_exceeded",
}

// hints say what to do about a code.
var hints = map[string]string{
	"not_in_channel":    "invite the bot to the channel",
	"channel_not_found": "the bot does not see this conversation; invite it, or correct the id in parley.yaml",
	"invalid_auth":      "check the tokens of the bridge",
	"not_authed":        "check the tokens of the bridge",
	"token_revoked":     "install the app again and set its new token",
	"account_inactive":  "install the app again and set its new token",
	"is_archived":       "the channel is archived",
}

// call calls a method of the Web API. A *bridge.Failure says that nothing was done; after
// any other error that is not known. No error has a token or an address in it.
func (p *Program) call(ctx context.Context, token, method string, args url.Values, into any) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timing.Call)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.cfg.API+method, strings.NewReader(args.Encode()))
	if err != nil {
		return nil, &bridge.Failure{Reason: "the address of Slack's Web API is not valid"}
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	resp, err := p.client.Do(req, method)
	if err != nil {
		return nil, err
	}
	if resp.Status == http.StatusTooManyRequests {
		return nil, &refusal{code: "ratelimited", Failure: bridge.Failure{Reason: "Slack asks to wait before " + method, After: retryAfter(resp.Header), Everywhere: true}}
	}
	var head struct {
		OK            bool
		Error, Needed string
	}
	if resp.Status != http.StatusOK || json.Unmarshal(resp.Body, &head) != nil {
		return nil, fmt.Errorf("slack answered %s with status %d and nothing usable", method, resp.Status)
	}
	if !head.OK {
		return nil, refused(method, head.Error, head.Needed, resp.Header)
	}
	if into != nil {
		if err := json.Unmarshal(resp.Body, into); err != nil {
			return nil, fmt.Errorf("slack answered %s in a form that is not known", method)
		}
	}
	return resp.Header, nil
}

func refused(method, code, needed string, header http.Header) error {
	code = strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '.'
	}, code[:min(len(code), 80)])
	if slices.Contains(unsure, code) {
		return fmt.Errorf("it is not known whether %s was done: Slack says %s", method, code)
	}
	r := &refusal{code: code, Failure: bridge.Failure{Reason: fmt.Sprintf("Slack refused %s: %s", method, code), Refused: slices.Contains(hopeless, code)}}
	switch {
	case code == "ratelimited" || code == "rate_limited":
		r.After, r.Everywhere = retryAfter(header), true
	case code == "missing_scope":
		r.Reason += ", the app needs the scope " + strings.Map(printable, needed[:min(len(needed), 80)]) + ". Add it and install the app again."
	case hints[code] != "":
		r.Reason += ", " + hints[code]
	}
	return r
}

func printable(r rune) rune {
	if r <= ' ' || r > '~' {
		return '.'
	}
	return r
}

// retryAfter is how long Slack asks to wait, in seconds.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		seconds = 1
	}
	return min(time.Duration(min(seconds, 1e6))*time.Second, mostWait)
}

// mostWait bounds how long Slack may ask to wait.
const mostWait = time.Hour

// read calls a method that can be repeated, and waits if Slack asks for it.
func (p *Program) read(ctx context.Context, method string, args url.Values, into any) error {
	return wire.Patiently(ctx, mostWait, func() error {
		_, err := p.call(ctx, p.cfg.BotToken, method, args, into)
		return err
	})
}

// message is a message in the history of a conversation, or in an event.
type message struct {
	Type, Subtype string
	Channel       string
	User          string
	BotID         string `json:"bot_id"`
	AppID         string `json:"app_id"`
	Team          string
	UserTeam      string `json:"user_team"`
	SourceTeam    string `json:"source_team"`
	Text          string
	TS            string
	ThreadTS      string `json:"thread_ts"`
	LatestReply   string `json:"latest_reply"`
	Edited        *struct{ TS string }
	Files         []file
	Attachments   []struct {
		IsShare     bool `json:"is_share"`
		IsMsgUnfurl bool `json:"is_msg_unfurl"`
		Text        string
	}
	Metadata struct {
		EventType    string `json:"event_type"`
		EventPayload struct {
			Key string
		} `json:"event_payload"`
	}

	// Of events about other messages.
	Message         *message
	PreviousMessage *message `json:"previous_message"`
}

type file struct{ ID, Title, Mimetype string }

// page is a part of the history.
type page struct {
	Messages         []message
	ResponseMetadata struct {
		NextCursor string `json:"next_cursor"`
	} `json:"response_metadata"`
}

// mostPages bounds how far back a history is read, and pageSize how much of it at once.
const mostPages, pageSize = 50, 200

// history reads the pages of a history until more says that it is enough.
func (p *Program) history(ctx context.Context, method string, args url.Values, more func(page) bool) error {
	args.Set("limit", strconv.Itoa(pageSize))
	for range mostPages {
		var got page
		if err := p.read(ctx, method, args, &got); err != nil {
			return err
		}
		if !more(got) || got.ResponseMetadata.NextCursor == "" {
			return nil
		}
		args.Set("cursor", got.ResponseMetadata.NextCursor)
	}
	return nil
}

// stamp is a time as Slack numbers messages.
func stamp(t time.Time) string {
	micros := max(t.UnixMicro(), 0)
	return fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6)
}

// isStamp reports whether an id is that of a message in Slack.
func isStamp(s string) bool {
	whole, part, ok := strings.Cut(s, ".")
	return ok && whole != "" && strings.Trim(whole+part, "0123456789") == ""
}

// later compares the numbers of messages.
func later(a, b string) bool {
	wholeA, partA, _ := strings.Cut(a, ".")
	wholeB, partB, _ := strings.Cut(b, ".")
	if len(wholeA) != len(wholeB) {
		return len(wholeA) > len(wholeB)
	}
	if wholeA != wholeB {
		return wholeA > wholeB
	}
	return partA > partB
}
