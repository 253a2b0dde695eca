package slack_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/bridge/slack/slacktest"
)

// The manifest that people paste asks for the scopes that the tests have, and the table
// says why for each.
func TestTheManifestHasTheScopes(t *testing.T) {
	page, err := os.ReadFile("../../../docs/bridges.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^    bot: \[(.*)\]$`).FindSubmatch(page)
	if found == nil {
		t.Fatal("there is no manifest")
	}
	manifest, used := strings.Split(string(found[1]), ", "), strings.Split(slacktest.Scopes, ",")
	slices.Sort(manifest)
	slices.Sort(used)
	if !slices.Equal(manifest, used) {
		t.Errorf("the manifest has %v, not %v", manifest, used)
	}
	for _, scope := range used {
		if strings.Count(string(page), "`"+scope+"`") == 0 {
			t.Errorf("nobody says why %s is needed", scope)
		}
	}
}
