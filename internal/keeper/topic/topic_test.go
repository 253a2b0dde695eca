package topic

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley"
)

// talk makes a conversation from lines "role text", a minute apart; a line "…" is a
// pause of two hours.
func talk(lines string) (list []parley.KeptMessage) {
	at := parley.Micros(1)
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		role, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if role == "…" {
			at = at.Add(2 * time.Hour)
			continue
		}
		at = at.Add(time.Minute)
		list = append(list, parley.KeptMessage{Role: role, Text: text, At: at})
	}
	return list
}

func TestBorder(t *testing.T) {
	const filler = "\nassistant Done.\nassistant Done.\nassistant Done.\nassistant Done.\nassistant Done.\nassistant Done."
	for _, c := range []struct {
		name, talk string
		want       int
	}{
		{"nothing", "", 0},
		{"one message", "user Hello.", 0},
		{"two messages", "user Hello.\nassistant Hello.", 1},
		{"before a request", "assistant Done.\nassistant Done.\nassistant Done.\nassistant Done.\nuser Go on." + filler, 4},
		{"at a pause", "assistant Done.\nassistant Done.\n…\nassistant Done.\nassistant Done." + filler, 2},
		{"where the words change", `user How does the database migrate its tables?
			assistant The database migrates its tables by scripts.
			user And the tables of the old database?
			user Which flowers grow in the garden?
			assistant Roses grow in the garden.
			user Do roses need water?
			assistant Roses need much water.
			user And in the garden next door?
			assistant There the roses are dry.
			user Then water the roses next door.`, 3},
		{"not between a call and its result", "user Look.\nassistant look {}\ntool a file\ntool a file\ntool a file\nassistant I see.\nuser Thanks.\nassistant Yes.", 1},
		{"only results", "assistant look {}\ntool a\ntool b\ntool c", 0},
	} {
		if got := Border(talk(c.talk), len(talk(c.talk))); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestBorderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []parley.KeptMessage
		for _, role := range rapid.SliceOfN(rapid.SampledFrom([]string{"user", "assistant", "tool"}), 0, 60).Draw(t, "roles") {
			list = append(list, parley.KeptMessage{Role: role, Text: rapid.StringMatching(`[a-f]{0,6} [a-f]{4}`).Draw(t, "text"), At: parley.Micros(rapid.Int64Range(0, 1e11).Draw(t, "at"))})
		}
		n := Border(list, len(list)+rapid.IntRange(0, 5000).Draw(t, "more"))
		if n < 0 || n > len(list) || n == len(list) && n > 0 {
			t.Fatalf("%d of %d", n, len(list))
		}
		if n > 0 && list[n].Role == parley.RoleTool {
			t.Fatalf("a result is parted from its call at %d", n)
		}
	})
}

func TestWordsThatStandOut(t *testing.T) {
	for _, c := range []struct{ talk, want string }{
		{"", "earlier conversation"},
		{"user What?\nassistant Yes, that.", "earlier conversation"},
		{"user Where are the invoices of Contoso?\nassistant The invoices of Contoso are in billing_db.\nuser Move the invoices.", "invoices contoso billing_db move"},
	} {
		if got := Words(talk(c.talk)); got != c.want {
			t.Errorf("%q: %q, want %q", c.talk, got, c.want)
		}
	}
	mixed := []parley.KeptMessage{{Text: "a secret password"}, {Text: "the public meeting"}}
	mixed[0].Private = true
	if got := Words(mixed); strings.Contains(got, "secret") {
		t.Errorf("a topic tells what only the owner may read: %q", got)
	}
	if text := Request(mixed).Messages[0].Text; strings.Contains(text, "secret") {
		t.Errorf("a model is shown for a topic what only the owner may read: %q", text)
	}
}

func TestCleanTopic(t *testing.T) {
	for given, want := range map[string]string{
		"Auth module design":                    "Auth module design",
		`Topic: "Auth module design."`:          "Auth module design",
		"\n**Auth**\nIt is about the module.":   "Auth",
		"":                                      "",
		" \n ":                                  "",
		`""`:                                    "",
		strings.Repeat("long words ", 20):       strings.Repeat("long words ", 8)[:79] + "…",
		"[Keeper:keeper-1] topic=somebody else": "Keeper:keeper-1] topic=somebody else",
	} {
		if got, ok := Clean(given); got != want || ok != (want != "") {
			t.Errorf("%q became %q, %v", given, got, ok)
		}
	}
}
