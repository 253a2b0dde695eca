package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
	"parley/internal/bridge/wire"
)

// refusal is what Discord says if it does not do something.
type refusal struct {
	bridge.Failure
	code, status int
}

func (r *refusal) Unwrap() error { return &r.Failure }

// What Discord's codes mean that something here depends on.
const (
	unknownChannel, unknownMessage, unknownInteraction = 10003, 10008, 10062
	alreadyAnswered                                    = 40060
	missingAccess, missingPermissions                  = 50001, 50013
	cannotEdit, cannotWrite, invalidForm, archived     = 50005, 50007, 50035, 50083
	cannotReply                                        = 160002
)

// hints say what to do about a code.
var hints = map[int]string{
	unknownChannel:     "there is no such channel; correct the id in parley.yaml",
	missingAccess:      "the bot does not see this channel; let its role view it",
	missingPermissions: "give the bot's role the permissions that docs/bridges.md lists",
	cannotWrite:        "the person takes no direct messages from this server",
	archived:           "the thread is closed",
}

// code is that of a refusal; 0 if it is none.
func code(err error) int {
	if r := (*refusal)(nil); errors.As(err, &r) {
		return r.code
	}
	return 0
}

// content is the body of a call: JSON, and perhaps a file.
type content struct {
	json any
	file *bridge.File
}

func (c content) encode() (body io.Reader, kind string, err error) {
	if c.json == nil {
		return nil, "", nil
	}
	text, err := json.Marshal(c.json)
	if err != nil || c.file == nil {
		return bytes.NewReader(text), "application/json", err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err = w.WriteField("payload_json", string(text)); err != nil {
		return nil, "", err
	}
	part, err := w.CreateFormFile("files[0]", c.file.Name)
	if err != nil {
		return nil, "", err
	}
	if _, err = io.WriteString(part, c.file.Text); err != nil {
		return nil, "", err
	}
	return &b, w.FormDataContentType(), w.Close()
}

// call calls the API. A *bridge.Failure says that nothing was done; after any other error
// that is not known. No error has a token or an address in it.
func (p *Program) call(ctx context.Context, method, route string, c content, into any) error {
	what := described(method, route)
	if wait, global := p.limits.wait(method, route); wait > 0 {
		return &refusal{Failure: bridge.Failure{Reason: "Discord asks to wait before " + what, After: wait, Everywhere: global}}
	}
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timing.Call)
	defer cancel()
	body, kind, err := c.encode()
	if err != nil {
		return &bridge.Failure{Reason: "the call " + what + " cannot be written", Refused: true}
	}
	req, err := http.NewRequestWithContext(ctx, method, p.cfg.API+route, body)
	if err != nil {
		return &bridge.Failure{Reason: "the address of Discord's API is not valid"}
	}
	if !tokened(route) {
		req.Header.Set("Authorization", "Bot "+p.cfg.Token)
	}
	req.Header.Set("User-Agent", "DiscordBot (parley, 1)")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := p.client.Do(req, what)
	if err != nil {
		return err
	}
	p.limits.note(method, route, resp.Header)
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		p.ahead.Store(int64(time.Until(at)))
	}
	if resp.Status/100 != 2 {
		return p.refused(method, route, resp)
	}
	if into != nil && json.Unmarshal(resp.Body, into) != nil {
		return fmt.Errorf("discord answered %s in a form that is not known", what)
	}
	return nil
}

// tokened reports whether a route has a token of its own, that of an interaction.
func tokened(route string) bool {
	return strings.HasPrefix(route, "interactions/") || strings.HasPrefix(route, "webhooks/")
}

// described is a call for people, without ids and tokens.
func described(method, route string) string {
	route, _, _ = strings.Cut(route, "?")
	words := strings.FieldsFunc(route, func(r rune) bool { return r == '/' })
	words = slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789") || len(w) > 20 })
	return method + " " + strings.Join(words, "/")
}

// refused is an answer that says no.
func (p *Program) refused(method, route string, resp wire.Answer) error {
	what := described(method, route)
	var said struct {
		Code       int
		Message    string
		RetryAfter float64 `json:"retry_after"`
		Global     bool
	}
	usable := json.Unmarshal(resp.Body, &said) == nil
	r := &refusal{code: said.Code, status: resp.Status, Failure: bridge.Failure{Reason: fmt.Sprintf("Discord refused %s with status %d", what, resp.Status)}}
	switch {
	case resp.Status == http.StatusTooManyRequests:
		if said.RetryAfter <= 0 {
			said.RetryAfter, _ = strconv.ParseFloat(resp.Header.Get("Retry-After"), 64)
		}
		r.Reason, r.After = "Discord asks to wait before "+what, seconds(said.RetryAfter)
		r.Everywhere = said.Global || resp.Header.Get("X-RateLimit-Global") == "true" || !usable
		p.limits.hold(method, route, r.After, r.Everywhere)
	case resp.Status >= 500:
		return fmt.Errorf("it is not known whether %s was done: Discord answered with status %d", what, resp.Status)
	case resp.Status == http.StatusUnauthorized:
		r.Reason, r.After, r.Everywhere = "Discord does not know the bot's token. Check the variable that holds it.", time.Minute, true
	default:
		r.Refused = true
		if said.Message != "" {
			r.Reason += ": " + line(said.Message)
		}
		if hints[said.Code] != "" {
			r.Reason += " (" + hints[said.Code] + ")"
		}
	}
	return r
}

// line makes one line of what Discord says.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, s)
	return markup.Cut(strings.Join(strings.Fields(s), " "), 120)
}

// seconds is how long Discord asks to wait, within reason.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s, 0.001), 3600) * float64(time.Second))
}

// read reads something, and waits if Discord asks for it.
func (p *Program) read(ctx context.Context, route string, into any) error {
	return wire.Patiently(ctx, p.cfg.Timing.Call, func() error { return p.call(ctx, http.MethodGet, route, content{}, into) })
}

// limits are until when calls are not to be made. Discord says it before a limit is
// broken, for each route with the channel in it, and for all of them.
type limits struct {
	mu    sync.Mutex
	until map[string]time.Time // everything under the empty name
}

// bucket is what Discord counts together.
func bucket(method, route string) string {
	route, _, _ = strings.Cut(route, "?")
	words := strings.Split(route, "/")
	for i, w := range words {
		if i > 1 && isID(w) {
			words[i] = ":id"
		}
	}
	return method + " " + strings.Join(words, "/")
}

func (l *limits) wait(method, route string) (d time.Duration, global bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := time.Until(l.until[""]); d > 0 && !strings.HasPrefix(route, "interactions/") {
		return d, true
	}
	return time.Until(l.until[bucket(method, route)]), false
}

func (l *limits) hold(method, route string, d time.Duration, global bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.until == nil {
		l.until = map[string]time.Time{}
	}
	for name, at := range l.until {
		if at.Before(now) {
			delete(l.until, name)
		}
	}
	name := bucket(method, route)
	if global {
		name = ""
	}
	l.until[name] = now.Add(d)
}

// note reads what an answer says of the limit of its route.
func (l *limits) note(method, route string, header http.Header) {
	if header.Get("X-RateLimit-Remaining") != "0" {
		return
	}
	if after, err := strconv.ParseFloat(header.Get("X-RateLimit-Reset-After"), 64); err == nil {
		l.hold(method, route, seconds(after), false)
	}
}

// isID reports whether a text is a number as Discord gives them to everything.
func isID(s string) bool {
	return len(s) > 0 && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}

// later compares numbers.
func later(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

// epoch is when Discord's numbers begin, in milliseconds.
const epoch = 1420070400000

// numberAt is the first number of a time.
func numberAt(t time.Time) string {
	return strconv.FormatInt(max(t.UnixMilli()-epoch, 0)<<22, 10)
}

// timeOf is when something was made.
func timeOf(number string) time.Time {
	n, _ := strconv.ParseInt(number, 10, 64) // it was looked at
	return time.UnixMilli(n>>22 + epoch)
}
