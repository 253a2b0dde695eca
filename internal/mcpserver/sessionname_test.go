package mcpserver

import (
	"strings"
	"testing"

	"parley"
)

// The id of a session comes from the client each time. The hub's own ids say what went
// into them, whatever a client said about itself; any other is of nobody else, or is none.
func FuzzSessionName(f *testing.F) {
	for _, seed := range []string{
		"", "...", "7.2025-06-18.n.X", "7.2025-06-18.e.X", "-1..e.X", "9223372036854775808..n.X", "0x7.2025-06-18.n.X", "+7..n.X", "7.2025-06-18.n.", "7.a.b.c.d", "1_0..n.X",
		`{"params": {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}}}`, `{"params": {"protocolVersion": "1.e.x", "capabilities": {"elicitation": {"url": {}}}}}`,
		`{"params": {"protocolVersion": "` + strings.Repeat("9", 300) + `"}}`, `{"params": []}`,
	} {
		f.Add(seed, int64(7))
	}
	f.Fuzz(func(t *testing.T, text string, agent int64) {
		made := sessionName{agent: parley.AgentID(agent)}
		made.read([]byte(text))
		if got, ok := parseSessionName(made.id()); !ok || got != made {
			t.Fatalf("%+v came back as %+v", made, got)
		}
		n, ok := parseSessionName(text)
		if ok && (len(text) > 200 || strings.Contains(n.version, ".")) {
			t.Fatalf("%q is %+v", text, n)
		}
	})
}
