package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/api"
	"parley/client"
)

// What the first step may cost is said before the tree begins: when the hub gets the
// contact, the person can have read it.
func TestTheEstimateComesFirst(t *testing.T) {
	var stderr bytes.Buffer
	c := &console{out: &bytes.Buffer{}, err: &stderr, getenv: func(string) string { return "" }, now: time.Now}
	contacts := 0
	hub := http.NewServeMux()
	hub.HandleFunc("GET /v1/agents/Spender/estimate", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("size") != "6" {
			t.Errorf("the message has a size of %s", r.FormValue("size"))
		}
		_, _ = io.WriteString(w, `{"agent":"Spender","estimate":{"model":"lab/m","input_tokens":60,"output_tokens":20,"money":0.75}}`)
	})
	hub.HandleFunc("POST /v1/contacts", func(w http.ResponseWriter, _ *http.Request) {
		contacts++
		if said := stderr.String(); !strings.Contains(said, "The first step costs up to $0.75 (lab/m: 60 tokens in, up to 20 out).") {
			t.Errorf("before the tree begins %q is said", said)
		}
		stderr.Reset()
		_, _ = io.WriteString(w, `{"agent":"Spender","task":{"id":"task-101"}}`)
	})
	server := httptest.NewServer(hub)
	defer server.Close()
	to := client.New(server.URL, "parley_x")
	request := api.ContactRequest{Action: "delegate", Agent: "Spender", Message: "Go.", Context: "Now"}
	if _, err := c.openTask(t.Context(), to, request); err != nil {
		t.Error(err)
	}
	if err := c.delegate(t.Context(), to, request, false); err != nil || contacts != 2 {
		t.Errorf("%d contacts, %v", contacts, err)
	}
}
