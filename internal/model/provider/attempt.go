package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"parley/internal/model"
)

// maxStreamBytes bounds what is read of a stream, which may use some hundred bytes for
// each token.
const maxStreamBytes = 256 << 20

const userAgent = "parley"

var (
	errTimeout = errors.New("the model did not answer in time")
	// errDone is a reader's word that nothing of use follows.
	errDone = errors.New("the stream is over")
	errCut  = errors.New("the stream ended before the reply did")
)

// attempt asks once. A reply that breaks off is not used at all.
func (m *Model) attempt(ctx context.Context, req model.Request, s *show) (model.Reply, *failure) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.timeout, errTimeout)
	defer cancel()
	post, err := m.post(ctx, req)
	if err != nil {
		return model.Reply{}, stop(model.Broken, "%s cannot be asked in this way.", m.ID()).because(m.key, err.Error())
	}
	resp, err := m.client.Do(post)
	if err != nil {
		return model.Reply{}, m.noAnswer(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= 400 {
		return model.Reply{}, m.refusal(resp)
	}
	d := &draft{show: s.text}
	if err := m.read(resp, d); err != nil {
		return model.Reply{}, m.unreadable(ctx, resp.Header, err)
	}
	s.end()
	return m.judge(d, req)
}

// post makes the request. The key is not in it: the transport adds it.
func (m *Model) post(ctx context.Context, req model.Request) (*http.Request, error) {
	path, content := m.format.request(m.promptOf(req))
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(m.provider.BaseURL, "/")+path, &body)
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("User-Agent", userAgent)
	if m.provider.Kind == Anthropic {
		post.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return post, nil
}

// read reads a reply. Some servers answer in one piece though they were asked for
// a stream, if only to say what went wrong.
func (m *Model) read(resp *http.Response, d *draft) error {
	reader := m.format.reader(d)
	if m.provider.Whole || strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		data, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, maxBodyBytes))
		if err != nil {
			return err
		}
		d.show = func(string) {} // there is nothing to wait for
		return reader.whole(data)
	}
	for stream := newEvents(http.MaxBytesReader(nil, resp.Body, maxStreamBytes)); ; {
		data, err := stream.next()
		if err == nil {
			err = reader.event(data)
		}
		switch {
		case errors.Is(err, errDone), err == io.EOF && d.end != "":
			return nil
		case err == io.EOF:
			return errCut
		case err != nil:
			return err
		}
	}
}

// unmarshal reads JSON. A provider may send an error in place of what was
// expected; it is looked for in a field of what is read.
func unmarshal(data []byte, to any, refused *json.RawMessage) error {
	if err := json.Unmarshal(data, to); err != nil {
		return err
	}
	if len(*refused) > 0 && string(*refused) != "null" {
		return &fault{data}
	}
	return nil
}
