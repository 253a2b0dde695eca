package provider_test

import (
	"io"
	"net/http"
	"testing"

	"parley/internal/model/provider"
	"parley/internal/model/wiretest"
)

// A proxy may close a stream in good order before its end. That counts like any
// other cut: a step has the whole reply or none.
func TestEndedTooSoon(t *testing.T) {
	whole := wiretest.Reply{Text: "I look.", Calls: []wiretest.Call{{ID: "a", Name: "look", Args: `{"at":"x"}`}, {ID: "b", Name: "look", Args: `{"at":"y"}`}}}
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		length := int64(1)
		b := set(t, kind, name, func(wiretest.Request) wiretest.Reply { return whole }, func(cfg *provider.Config) {
			cfg.Attempts = 1
			cfg.Client = provider.NewClient(cfg.Provider, cfg.Key)
			cfg.Client.Transport = ending{cfg.Client.Transport, &length}
		})
		for used := 0; used < 3; length += 11 {
			r, err := b.ask(t.Context(), request)
			if err == nil {
				used++
			}
			if err == nil && (len(r.Calls) != 2 || r.Text != whole.Text) {
				t.Errorf("ended after %d bytes: %+v", length, r)
			}
			if length > 10_000 {
				t.Fatal("it is not even used whole")
			}
		}
	})
}

// ending ends each body after so many bytes, as if there were no more.
type ending struct {
	http.RoundTripper
	after *int64
}

func (e ending) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := e.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, *e.after), resp.Body}
	}
	return resp, err
}
