package provider

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// tap listens to the lines of a body that somebody else reads.
type tap struct {
	io.ReadCloser
	line []byte
	take func(line []byte)
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.line = append(t.line, p[:n]...)
	for {
		line, rest, found := bytes.Cut(t.line, []byte("\n"))
		if !found {
			break
		}
		t.take(line)
		t.line = rest
	}
	if err == io.EOF {
		t.take(t.line)
		t.line = nil
	}
	return n, err
}

// listen taps a body for what the client libraries drop.
func (x *exchange) listen(kind Kind, req *http.Request, resp *http.Response) {
	switch {
	case kind == Gemini:
		x.gemini = &geminiTap{}
		resp.Body = &tap{ReadCloser: resp.Body, take: x.gemini.take}
	case strings.HasSuffix(req.URL.Path, "/chat/completions"):
		x.completion = &completionTap{}
		resp.Body = &tap{ReadCloser: resp.Body, take: x.completion.take}
	}
}

// completionTap looks whether a stream of chat completions came to its end. One
// that a proxy closes in good order between two tool calls looks complete to the
// library, and the first call would be made without the second.
type completionTap struct{ ended bool }

// why is the reason for the end in a chunk; in a text its quotes are escaped.
var why = regexp.MustCompile(`"finish_reason":\s*"`)

func (t *completionTap) take(line []byte) {
	done := string(bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:")))) == "[DONE]"
	t.ended = t.ended || done || why.Match(line)
}

func (t *completionTap) cut() bool { return t != nil && !t.ended }
