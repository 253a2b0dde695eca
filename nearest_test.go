package parley_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestNearest(t *testing.T) {
	keys := []string{"model", "mode", "can_invoke", "mcp_servers"}
	names := []string{"Data Analyst", "DataBot", "DateBot", "Jürgen", "Jörgen", "rutger"}
	for _, c := range []struct {
		word  string
		known []string
		most  int
		want  []string
	}{
		{"modell", keys, 1, []string{"model"}},
		{"MODE", keys, 2, []string{"mode", "model"}},
		{"canInvoke", keys, 1, []string{"can_invoke"}},
		{"mcp-server", keys, 1, []string{"mcp_servers"}},
		{"description", keys, 1, nil},
		{"x", keys, 1, nil},
		{"", keys, 1, nil},
		{"--", keys, 1, nil},
		{"DatBot", names, 3, []string{"DataBot", "DateBot"}},
		{"dat", names, 3, []string{"Data Analyst", "DataBot", "DateBot"}},
		{"dat", names, 1, []string{"Data Analyst"}},
		{"data_analyst", names, 3, []string{"Data Analyst"}},
		{"Jurgen", names, 3, []string{"Jürgen", "Jörgen"}}, // each one letter away
		{"JÖRGN", names, 1, []string{"Jörgen"}},
		{"Xylophone", names, 3, nil},
		{strings.Repeat("x", 10_000), names, 3, nil},
	} {
		if diff := cmp.Diff(c.want, parley.Nearest(c.word, c.known, c.most)); diff != "" {
			t.Errorf("%.20q (-want +got):\n%s", c.word, diff)
		}
	}
}
