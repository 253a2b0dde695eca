package wiretest

import (
	"context"
	"encoding/json"
	"net/http"
)

func contextOf(req Request) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-req.Gone
		cancel()
	}()
	return ctx
}

// answer sends a reply in its format.
func answer(w http.ResponseWriter, r *http.Request, wire wire, req Request, reply Reply) {
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	out := &sender{w: w, left: reply.Cut, gone: r.Context().Done(), held: reply.Held}
	if reply.Pause == 0 {
		out.wait(reply.Hold)
	}
	switch {
	case reply.Status != 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(reply.Status)
		out.send(encode(wire.refusal(reply)))
	case !req.Stream:
		w.Header().Set("Content-Type", "application/json")
		out.send(encode(wire.whole(reply)))
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		for i, event := range wire.events(reply) {
			if reply.Pause > 0 && i == reply.Pause {
				out.wait(reply.Hold)
			}
			out.send(event)
		}
	}
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of what is written here
	}
	return string(b)
}

// sender sends text at once, and ends the connection where it is to be cut.
type sender struct {
	w    http.ResponseWriter
	left int // bytes until the cut; 0 is never
	gone <-chan struct{}
	held func()
}

func (s *sender) wait(released <-chan struct{}) {
	if released == nil {
		return
	}
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
	if s.held != nil {
		s.held()
	}
	select {
	case <-released:
	case <-s.gone:
		panic(http.ErrAbortHandler)
	}
}

func (s *sender) send(text string) {
	cut := s.left > 0 && len(text) >= s.left
	if cut {
		text = text[:s.left]
	}
	_, err := s.w.Write([]byte(text))
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
	if cut || err != nil {
		panic(http.ErrAbortHandler) // closes the connection without an end
	}
	if s.left > 0 {
		s.left -= len(text)
	}
}

// pieces cuts a text into what is sent at once.
func pieces(text string, size int) []string {
	if size <= 0 || len(text) <= size {
		return []string{text}
	}
	var list []string
	for len(text) > size {
		list = append(list, text[:size])
		text = text[size:]
	}
	return append(list, text)
}

// texts joins the texts of a content that may be one or a list of parts.
func texts(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	all := ""
	for _, p := range parts {
		all += p.Text
	}
	return all
}

type object = map[string]any
