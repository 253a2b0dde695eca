//go:build clients

package clients

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"testing"
)

// TestTheTypeScriptSDKDoesNotNoticeThatTheHubWasKilled has both lines of the official SDK
// go on in their session, and without one: nothing is made anew by the client.
func TestTheTypeScriptSDKDoesNotNoticeThatTheHubWasKilled(t *testing.T) {
	for _, kind := range []string{"v1", "v2", "2026-07-28"} {
		t.Run(kind, func(t *testing.T) {
			s := newSite(t)
			joined := s.joinAs("http", "mcp")
			address, err := url.Parse(joined.URL)
			if err != nil {
				t.Fatal(err)
			}
			task := s.delegate("Count the files.")
			cmd := exec.CommandContext(t.Context(), "node", "testdata/session.mjs")
			cmd.Env = append(s.env, "KIND="+kind, "PARLEY_URL="+joined.URL, "PARLEY_CLIENTS="+os.Getenv("PARLEY_CLIENTS"))
			cmd.Stderr = t.Output()
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said := json.NewDecoder(out)
			before := looked(t, said)
			s.crash(address.Host)
			if _, err := in.Write([]byte("\n")); err != nil {
				t.Fatal(err)
			}
			after := looked(t, said)
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			if before.Session != after.Session || (before.Session == "") != (kind == "2026-07-28") {
				t.Errorf("session %q, before %q", after.Session, before.Session)
			}
			if before.Items[0].Again || !after.Items[0].Again || after.Items[0].Task != task.ID {
				t.Errorf("handed out %+v, then %+v", before.Items, after.Items)
			}
			if got, err := s.hub.Task(t.Context(), task.ID); err != nil || got.State != "completed" || got.Result != "Twelve." {
				t.Errorf("the task is %s: %q, %v", got.State, got.Result, err)
			}
		})
	}
}

// look is what the member found.
type look struct {
	Session string
	Closed  bool
	Items   []struct {
		Task  string
		Again bool
	}
}

func looked(t *testing.T, said *json.Decoder) (l look) {
	t.Helper()
	if err := said.Decode(&l); err != nil {
		t.Fatal("the member says no more:", err)
	}
	if l.Closed || len(l.Items) != 1 {
		t.Fatalf("the member found %+v", l)
	}
	return l
}
