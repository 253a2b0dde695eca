package programs

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"parley/api"
)

func TestEverythingInPython(t *testing.T) {
	need(t, "python3")
	h := newHub(t)
	first, second := h.delegate("Counter", "take me"), h.delegate("Counter", "fail me")
	_, err := h.person.Contact(t.Context(), api.ContactRequest{Action: "notify", Agent: "Counter", Message: "Lunch."})
	h.must(err)
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0) // that its certificate was refused
	stranger.StartTLS()
	defer stranger.Close()
	p := h.run(h.token("Counter").Secret, []string{"PARLEY_TEST_PYTHON=" + filepath.Join(root(t), "clients/python"), "PARLEY_TEST_TLS=" + stranger.URL},
		"python3", "-W", "error", filepath.Join(root(t), "test/programs/testdata/every.py"))
	if code := p.end(); code != 0 || !strings.Contains(p.said.String(), "all of it works") {
		t.Fatalf("code %d, said:\n%s", code, p.said)
	}
	h.completed(first, "Taken.")
	if state, text := h.result(second); state != "failed" || text != "No paper." {
		t.Errorf("%s %q", state, text)
	}
	inbox, err := h.person.Inbox(t.Context(), 100)
	h.must(err)
	said := ""
	for _, m := range inbox.Items {
		said += m.Body + "\n"
	}
	if !strings.Contains(said, "Hello.\n") || !strings.Contains(said, "Hello, Ada.\n") {
		t.Errorf("Ada was told:\n%s", said)
	}
}
