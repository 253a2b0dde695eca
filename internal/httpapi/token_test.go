package httpapi_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/token"
)

func TestATokenFromItsMakingToItsEnd(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	made, err := ada.CreateToken(t.Context(), api.TokenRequest{For: "joiner", Label: "CI", ExpiresIn: 3600})
	if err != nil || made.ID != "token-5" || made.For != "Joiner" || made.Label != "CI" || made.State != "valid" || made.CreatedBy != "Ada" ||
		made.Expires == nil || !made.Expires.Equal(noon.Add(3600e9)) || !strings.HasPrefix(made.Secret, token.Prefix) {
		t.Fatalf("%+v, %v", made, err)
	}
	program := client.New(w.url, made.Secret)
	defer program.Close()
	if hub, err := program.Hub(t.Context()); err != nil || hub.You != "Joiner" || hub.Team != "main" {
		t.Errorf("%+v, %v", hub, err)
	}
	list, err := ada.Tokens(t.Context(), false)
	made.Used = &noon // the first use is stored with its request
	if err != nil || len(list) != 4 || !cmp.Equal(list[3], made.Token) {
		t.Errorf("%+v, %v", list, err)
	}
	gone, err := w.as("Bob").RevokeToken(t.Context(), "token-5")
	if err != nil || gone.State != "revoked" || gone.RevokedBy != "Bob" || gone.CreatedBy != "Ada" || gone.Revoked == nil {
		t.Errorf("%+v, %v", gone, err)
	}
	if _, err := program.Hub(t.Context()); parley.KindOf(err) != parley.Unauthentic || !strings.Contains(err.Error(), "was revoked") {
		t.Errorf("%v", err)
	}
	if again, err := ada.RevokeToken(t.Context(), "token-5"); err != nil || again.RevokedBy != "Bob" {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	if list, err := ada.Tokens(t.Context(), false); err != nil || len(list) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := ada.Tokens(t.Context(), true); err != nil || len(list) != 4 || list[3].State != "revoked" || list[3].RevokedBy != "Bob" {
		t.Errorf("%+v, %v", list, err)
	}
	_, events := w.do("Ada", http.MethodGet, "/v1/events?follow=false&kind=token.*", "")
	if strings.Count(events, "data: ") != 2 || !strings.Contains(events, `"actor":"Ada","target":"Joiner","detail":"token-5 (CI)"`) || !strings.Contains(events, `"actor":"Bob"`) {
		t.Errorf("the record has\n%s", events)
	}
	if all := events + w.log.String(); strings.Contains(all, made.Secret) || strings.Contains(all, token.Hash(made.Secret)) {
		t.Error("the record or the log has the token")
	}
}

func TestTokensThatAreNotMade(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, body string
		want       int
		says       string
	}{
		{"for an agent that the hub runs", `{"for": "DataBot"}`, 409, "kind: client"},
		{"for nobody", `{"for": "DatBot"}`, 404, "Did you mean DataBot"},
		{"for somebody of another team", `{"for": "Eve"}`, 404, "'Eve' not found"},
		{"in the past", `{"for": "Bob", "expires_in": -1}`, 422, "expires_in"},
		{"in a thousand years", `{"for": "Bob", "expires_in": 31536000000}`, 422, "expires_in"},
		{"with two lines", `{"for": "Bob", "label": "a\nb"}`, 422, "line"},
		{"with a token for a label", `{"for": "Bob", "label": "` + w.tokens["Ada"] + `"}`, 422, "looks like a token"},
		{"with a secret of one's own", `{"for": "Bob", "token": "parley_x"}`, 422, "token"},
	} {
		if status, body := w.do("Ada", http.MethodPost, "/v1/tokens", c.body); status != c.want || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
	}
	if list, err := w.as("Ada").Tokens(t.Context(), true); err != nil || len(list) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
}

// A token is somebody's name, so nobody makes one of a person who has had one, but that
// person and the one who runs the hub.
func TestNobodyMakesATokenToActAsAnother(t *testing.T) {
	w := newWorld(t)
	ada, err := w.hub.Directory.Find(w.teams["main"].ID, "Ada")
	if err != nil {
		t.Fatal(err)
	}
	w.hub.Directory.SetPerson(ada.Team, ada.ID)
	grace, err := w.as("Bob").AddPerson(t.Context(), "Grace")
	if err != nil {
		t.Fatal(err)
	}
	w.tokens["Grace"] = grace.Secret
	for _, c := range []struct {
		by, of string
		want   int
	}{
		{"Bob", "Ada", 403}, {"Grace", "Bob", 403}, {"Bob", "Grace", 403},
		{"Bob", "Bob", 200}, {"Grace", "Joiner", 200}, {"Ada", "Bob", 200},
	} {
		if status, body := w.do(c.by, http.MethodPost, "/v1/tokens", `{"for": "`+c.of+`"}`); status != c.want {
			t.Errorf("%s for %s: %d %s", c.by, c.of, status, body)
		}
	}
}

// Whoever did not get the answer asks again, and has a token that works.
func TestATokenWhoseAnswerWasLost(t *testing.T) {
	w := newWorld(t)
	ask := func(body string) (int, api.NewToken, string) {
		req := w.request("Ada", http.MethodPost, "/v1/tokens", body)
		req.Header.Set(api.KeyHeader, "k")
		resp, text := w.send(req)
		var made api.NewToken
		_ = json.Unmarshal([]byte(text), &made) // a refusal is none
		return resp.StatusCode, made, text
	}
	_, first, _ := ask(`{"for": "Joiner"}`)
	status, second, text := ask(`{"for": "Joiner"}`)
	if status != 200 || second.ID != first.ID || second.Secret == first.Secret {
		t.Fatalf("%+v, then %d %s", first, status, text)
	}
	w.tokens["lost"], w.tokens["Joiner"] = first.Secret, second.Secret
	if status, _ := w.do("lost", http.MethodGet, "/v1/hub", ""); status != 401 {
		t.Errorf("the token that nobody got: %d", status)
	}
	if status, _ := w.do("Joiner", http.MethodGet, "/v1/hub", ""); status != 200 {
		t.Errorf("the other one: %d", status)
	}
	if status, _, text := ask(`{"for": "Joiner"}`); status != 409 {
		t.Errorf("when it was just used: %d %s", status, text)
	}
	if status, _ := w.do("Joiner", http.MethodGet, "/v1/hub", ""); status != 200 {
		t.Errorf("the one in use: %d", status)
	}
	if status, _, text := ask(`{"for": "Bob"}`); status != 409 {
		t.Errorf("the key for somebody else: %d %s", status, text)
	}
	if _, err := w.as("Ada").RevokeToken(t.Context(), second.ID); err != nil {
		t.Fatal(err)
	}
	if status, _, text := ask(`{"for": "Joiner"}`); status != 409 {
		t.Errorf("when it is revoked: %d %s", status, text)
	}
}

// Event streams and long polls end with their token, and say why.
func TestWhatWaitsEndsWhenItsTokenIsRevoked(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	if _, err := ada.Contact(t.Context(), api.ContactRequest{Action: "delegate", Agent: "Joiner", Message: "Wait."}); err != nil {
		t.Fatal(err) // task-101
	}
	made, err := ada.CreateToken(t.Context(), api.TokenRequest{For: "Joiner"})
	if err != nil {
		t.Fatal(err)
	}
	w.tokens["doomed"] = made.Secret
	follow := func(as, path string) *bufio.Reader {
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		resp, err := transport.RoundTrip(w.request(as, http.MethodGet, path, ""))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		r := bufio.NewReader(resp.Body)
		if line, err := r.ReadString('\n'); line != ": parley\n" || err != nil {
			t.Fatalf("%s: %q, %v", path, line, err)
		}
		return r
	}
	streams := map[string]*bufio.Reader{"events": follow("doomed", "/v1/events?after=now"), "live": follow("doomed", "/v1/tasks/task-101/live")}
	other := follow("Joiner", "/v1/events?after=now")
	waited := make(chan string, 1)
	asked := make(chan struct{})
	req := w.request("doomed", http.MethodGet, "/v1/tasks/task-101/wait?seconds=60", "")
	go func() {
		close(asked)
		resp, body := w.send(req)
		waited <- resp.Status + " " + resp.Header.Get("WWW-Authenticate") + body
	}()
	<-asked
	if _, err := ada.RevokeToken(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	for name, r := range streams {
		rest := ""
		for {
			line, err := r.ReadString('\n')
			rest += line
			if err != nil {
				break
			}
		}
		if !strings.Contains(rest, "event: problem\n") || !strings.Contains(rest, "This token was revoked.") {
			t.Errorf("%s ended with %q", name, rest)
		}
	}
	if got := <-waited; !strings.HasPrefix(got, `401 Unauthorized Bearer realm="parley", error="invalid_token"`) {
		t.Errorf("the long poll: %s", got)
	}
	if _, err := ada.Contact(t.Context(), api.ContactRequest{Action: "notify", Agent: "Joiner", Message: "Still there?"}); err != nil {
		t.Fatal(err)
	}
	for {
		line, err := other.ReadString('\n')
		if err != nil {
			t.Fatalf("the other token's stream has ended: %v", err)
		}
		if strings.Contains(line, "message.accepted") {
			break
		}
	}
}

func TestAPersonIsAddedToTheFile(t *testing.T) {
	w := newWorld(t)
	made, err := w.as("Bob").AddPerson(t.Context(), "Grace Hopper")
	if err != nil || made.For != "Grace Hopper" || made.CreatedBy != "Bob" {
		t.Fatalf("%+v, %v", made, err)
	}
	text, err := os.ReadFile(filepath.Join(w.files.held.Dir, "parley.yaml"))
	if err != nil || !strings.Contains(string(text), "people: [Bob, Grace Hopper]\n") {
		t.Errorf("%s, %v", text, err)
	}
	grace := client.New(w.url, made.Secret)
	defer grace.Close()
	if hub, err := grace.Hub(t.Context()); err != nil || hub.You != "Grace Hopper" {
		t.Errorf("%+v, %v", hub, err)
	}
	for _, name := range []string{"grace hopper", "Ada", "DataBot"} {
		if _, err := grace.AddPerson(t.Context(), name); parley.KindOf(err) != parley.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "a/b", strings.Repeat("x", 65), "two\nlines", "_shared: x"} {
		if _, err := grace.AddPerson(t.Context(), name); parley.KindOf(err) != parley.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The answer was lost: the same request again has a token that works.
func TestAPersonWhoseTokenWasLost(t *testing.T) {
	w := newWorld(t)
	var made [2]api.NewToken
	for i := range made {
		req := w.request("Ada", http.MethodPost, "/v1/people", `{"name": "Grace"}`)
		req.Header.Set(api.KeyHeader, "k")
		resp, text := w.send(req)
		if err := json.Unmarshal([]byte(text), &made[i]); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%d %s", resp.StatusCode, text)
		}
	}
	if made[0].ID != made[1].ID || made[0].Secret == made[1].Secret {
		t.Errorf("%+v", made)
	}
	if status, text := w.do("Ada", http.MethodPost, "/v1/people", `{"name": "Grace"}`); status != 409 {
		t.Errorf("without the key: %d %s", status, text)
	}
}
