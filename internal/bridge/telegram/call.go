package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
)

// answer is what the Bot API answers.
type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// call calls a method of the Bot API. A *bridge.Failure says that it had no effect; after
// any other error that is not known.
func (t *Telegram) call(ctx context.Context, method string, params any, out any) error {
	body, err := json.Marshal(params)
	if err != nil {
		return &bridge.Failure{Refused: true, Reason: err.Error()}
	}
	if params == nil {
		body = []byte("{}")
	}
	return t.request(ctx, method, "application/json", body, out)
}

// upload calls a method with a file.
func (t *Telegram) upload(ctx context.Context, method string, params map[string]any, field string, f *bridge.File, out any) error {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range params {
		text, ok := value.(string)
		if !ok {
			encoded, err := json.Marshal(value)
			if err != nil {
				return &bridge.Failure{Refused: true, Reason: err.Error()}
			}
			text = string(encoded)
		}
		if err := w.WriteField(name, text); err != nil {
			return err
		}
	}
	part, err := w.CreateFormFile(field, f.Name)
	if err == nil {
		_, err = io.WriteString(part, f.Text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return &bridge.Failure{Refused: true, Reason: err.Error()}
	}
	return t.request(ctx, method, w.FormDataContentType(), body.Bytes(), out)
}

func (t *Telegram) request(ctx context.Context, method, kind string, body []byte, out any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.cfg.API+"/bot"+t.cfg.Token+"/"+method, bytes.NewReader(body))
	if err != nil {
		return &bridge.Failure{Reason: "the address of the Bot API, or the token, is malformed", After: time.Minute, Everywhere: true}
	}
	r.Header.Set("Content-Type", kind)
	got, err := t.client.Do(r, method)
	if err != nil {
		return err
	}
	return t.read(got.Status, got.Body, out)
}

// read reads an answer.
func (t *Telegram) read(status int, text []byte, out any) error {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		if status/100 == 4 && status != http.StatusRequestTimeout { // by something in between, which has passed nothing on
			return &bridge.Failure{Reason: fmt.Sprintf("Telegram answered %d", status), Everywhere: true, After: time.Minute}
		}
		return fmt.Errorf("Telegram answered %d, and nothing that can be read", status)
	}
	if a.OK {
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(a.Result, out); err != nil {
			return errors.New("Telegram answered something that is not known here")
		}
		return nil
	}
	reason := fmt.Sprintf("Telegram answered %d: %s", a.Code, markup.Cut(t.hide(a.Description), 200))
	switch {
	case a.Code == http.StatusTooManyRequests:
		return &bridge.Failure{Reason: reason, After: time.Duration(max(1, a.Parameters.RetryAfter)) * time.Second}
	case a.Code == http.StatusUnauthorized, a.Code == http.StatusNotFound:
		return &bridge.Failure{Reason: "Telegram does not know the bot's token. " + reason, After: time.Minute, Everywhere: true}
	case a.Code == http.StatusConflict:
		return &bridge.Failure{Reason: "Another program receives for this bot, or it has a webhook. " + reason, After: 10 * time.Second}
	case a.Parameters.MigrateTo != 0:
		return &bridge.Failure{Refused: true, Reason: fmt.Sprintf("the group has a new id: %d. Change it in parley.yaml", a.Parameters.MigrateTo)}
	case a.Code/100 == 4:
		return &bridge.Failure{Refused: true, Reason: reason}
	}
	return errors.New(reason)
}

// unchanged takes it for success that there is nothing to change, or nothing to change it
// in.
func unchanged(err error) error {
	f := (*bridge.Failure)(nil)
	if !errors.As(err, &f) || !f.Refused {
		return err
	}
	for _, harmless := range []string{"message is not modified", "message to edit not found", "message to delete not found"} {
		if strings.Contains(f.Reason, harmless) {
			return nil
		}
	}
	return err
}

// hide hides the token.
func (t *Telegram) hide(s string) string {
	if t.cfg.Token == "" {
		return s
	}
	return strings.ReplaceAll(s, t.cfg.Token, "…")
}
