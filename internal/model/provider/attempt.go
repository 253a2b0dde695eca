package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"parley/internal/model"
)

// maxStreamBytes bounds what is read of a stream, which may use some hundred bytes for
// each token.
const maxStreamBytes = 256 << 20

const userAgent = "parley"

var (
	errTimeout = errors.New("the model did not answer in time")
	errSilent  = errors.New("the model fell silent in the middle of a reply")
	// errDone is a reader's word that nothing of use follows.
	errDone = errors.New("the stream is over")
	errCut  = errors.New("the stream ended before the reply did")
)

// attempt asks once. A reply that breaks off is not used at all.
func (m *Model) attempt(ctx context.Context, req model.Request, s *show) (model.Reply, *failure) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begins := time.AfterFunc(m.timeout, func() { cancel(errTimeout) })
	defer begins.Stop()
	post, err := m.post(ctx, req)
	if err != nil {
		return model.Reply{}, stop(model.Broken, "%s cannot be asked in this way.", m.ID()).because(m.key, err.Error())
	}
	resp, err := m.client.Do(post)
	if err != nil {
		return m.unanswered(ctx, req), m.noAnswer(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= 400 {
		return model.Reply{}, m.refusal(resp)
	}
	quiet := &quietBody{ReadCloser: resp.Body, begins: begins, silence: m.silence, silent: func() { cancel(errSilent) }}
	defer quiet.stop()
	resp.Body = quiet
	d := &draft{show: s.text}
	if err := m.read(resp, d); err != nil {
		return m.broken(req, d, err), m.unreadable(ctx, resp.Header, err)
	}
	s.end()
	return m.judge(d, req)
}

// quietBody is the body of a reply. Its first byte ends the wait for the reply to
// begin, and each later one begins a new wait for the next: a reply that moves is not
// cut, however long it is.
type quietBody struct {
	io.ReadCloser
	begins  *time.Timer
	silence time.Duration
	silent  func()
	timer   *time.Timer
}

func (q *quietBody) Read(p []byte) (int, error) {
	n, err := q.ReadCloser.Read(p)
	switch {
	case n == 0:
	case q.timer == nil:
		q.begins.Stop()
		q.timer = time.AfterFunc(q.silence, q.silent)
	default:
		q.timer.Reset(q.silence)
	}
	return n, err
}

func (q *quietBody) stop() {
	if q.timer != nil {
		q.timer.Stop()
	}
}

// bytesPerToken is for guessing what was consumed by calls whose replies say nothing
// of it.
const bytesPerToken = 4

// unanswered is what a request has consumed to which no reply began in time. It was
// sent, and is paid for. One that did not even reach the provider costs nothing.
func (m *Model) unanswered(ctx context.Context, req model.Request) (r model.Reply) {
	if late(ctx) {
		r.Usage = m.guess(req, &draft{})
	}
	return r
}

// broken is what a reply has consumed that began and did not end. A provider that
// says at once that it has a fault does not count it.
func (m *Model) broken(req model.Request, d *draft, err error) (r model.Reply) {
	var f *fault
	if errors.As(err, &f) && len(d.parts) == 0 {
		return r
	}
	r.Usage = m.guess(req, d)
	return r
}

// guess completes what the provider has said so far about the tokens of a reply.
func (m *Model) guess(req model.Request, d *draft) model.Usage {
	if d.usage.Read() == 0 {
		d.usage.Input = model.AtMost(req) * 3 / bytesPerToken
	}
	said := 0
	for _, p := range d.parts {
		said += p.body.Len() + len(p.raw)
	}
	d.usage.Output = max(d.usage.Output, int64(said)/bytesPerToken)
	u := m.usage(d)
	u.Estimated = true
	return u
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
