package client

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/api"
	"parley/internal/bubbletest"
)

// Steps are followed like events: over a lost connection, behind the last one that was
// taken or behind where the hub said that the stream is.
func TestStepsAreTakenUpAgain(t *testing.T) {
	const first = "id: now.5\n\nid: 6\nevent: step\ndata: {\"id\":\"six\"}\n\nid: 7\nevent: step\ndata: {\"id\":\"cut"
	const again = "id: 6\nevent: step\ndata: {\"id\":\"six\"}\n\nid: 7\nevent: step\ndata: {\"id\":\"seven\"}\n\n: still there\n\nid: 9\n\n"
	var asked []string
	at := func(body string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.Query().Get("cursor"))
			return streaming(text(body))(r)
		}
	}
	bubbletest.Test(t, func(t *testing.T) {
		a := answers{at("id: now.5\n\n"), at(first), nobody, at(again), at(""), nobody}
		c := &Client{base: "http://localhost", transport: &a}
		var got []string
		err := c.FollowSteps(t.Context(), StepQuery{Cursor: "now"}, func(s api.Step) error {
			got = append(got, s.ID)
			return nil
		})
		if s := strings.Join(got, " "); s != "six seven" || parley.KindOf(err) != parley.Unavailable {
			t.Errorf("got %s, %v", s, err)
		}
		if s := strings.Join(asked, " "); s != "now now.5 6 9" {
			t.Errorf("asked for %s", s)
		}
	})
}

// What the taker says ends the stream, whatever it is.
func TestATakerEndsTheStream(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		a := answers{streaming(text("id: 1\nevent: step\ndata: {\"id\":\"one\"}\n\nid: 2\nevent: step\ndata: {}\n\n"))}
		c := &Client{base: "http://localhost", transport: &a}
		for _, want := range []error{errors.New("full"), parley.Errorf(parley.Unavailable, "The screen is gone.")} {
			n := 0
			err := c.FollowSteps(t.Context(), StepQuery{}, func(api.Step) error { n++; return want })
			if !errors.Is(err, want) || n != 1 {
				t.Errorf("%v after %d", err, n)
			}
			a = answers{streaming(text("id: 1\nevent: step\ndata: {\"id\":\"one\"}\n\n"))}
		}
	})
}
