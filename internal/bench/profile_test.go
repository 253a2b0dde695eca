package bench

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley/internal/pgtest"
)

// With a folder for profiles each line has its own, and each contact its statements.
func TestRunWritesProfiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profiles")
	o := Options{JSON: true, Store: engineSQLite, Only: `sqlite.(notify|ask).4$`, Out: &bytes.Buffer{}, Dir: t.TempDir(), Profile: dir}
	if err := run(t.Context(), o, tinyPlan()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sqlite.notify.4.cpu.pprof", "sqlite.ask.4.block.pprof", "sqlite.ask.4.allocs.before.pprof", "sqlite.raw.4.cpu.pprof"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "sqlite.statements.md"))
	if err != nil {
		t.Fatal(err)
	}
	tables := strings.Split(string(text), "### ")
	if len(tables) != 3 || !strings.HasPrefix(tables[1], "notify, 4 callers, ") || !strings.HasPrefix(tables[2], "ask, 4 callers, ") {
		t.Fatalf("tables of notify and ask:\n%s", text)
	}
	for _, want := range []string{"INSERT INTO message", "INSERT INTO event", "COMMIT"} {
		if !strings.Contains(tables[1], "| `"+want+"` | writer | ") {
			t.Errorf("a notification has no %s:\n%s", want, tables[1])
		}
	}
	sum := regexp.MustCompile(`\*\*all\*\* \| writer \| ([\d.]+) \| ([\d.]+) \| (\d+) \| ([\d.]+) \| [\d.]+ \| ([\d.]+) pages`).FindStringSubmatch(tables[1])
	if sum == nil {
		t.Fatalf("no sum of the writer:\n%s", tables[1])
	}
	for i, what := range []string{"runs", "rows", "steps", "pages", "pages into the log"} {
		if n, err := strconv.ParseFloat(sum[i+1], 64); err != nil || n < 0.1 {
			t.Errorf("%s of a notification: %s", what, sum[i+1])
		}
	}
}

// The pages that commits write are told by table. They are as many as the engine counts.
func TestRunTellsWhoseRowsTheLogHas(t *testing.T) {
	dir := t.TempDir()
	o := Options{JSON: true, Store: engineSQLite, Only: `sqlite.notify.4$`, Out: &bytes.Buffer{}, Dir: t.TempDir(), Profile: dir}
	if err := run(t.Context(), o, tinyPlan()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "sqlite.statements.md"))
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]float64{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([\w*]+) \| [\d.]+ \| ([\d.]+) \| [\d,]+ \|$`).FindAllStringSubmatch(string(text), -1) {
		of[row[1]], _ = strconv.ParseFloat(row[2], 64)
	}
	for _, table := range []string{"message", "delivery", "thread", "event"} {
		if of[table] == 0 {
			t.Errorf("no pages of %s:\n%s", table, text)
		}
	}
	sum := regexp.MustCompile(`\*\*all\*\* \| writer .* ([\d.]+) pages`).FindSubmatch(text)
	if sum == nil {
		t.Fatalf("no sum of the writer:\n%s", text)
	}
	if counted, err := strconv.ParseFloat(string(sum[1]), 64); err != nil || math.Abs(counted-of["**all**"]) > 0.051 {
		t.Errorf("%v pages a contact in the log, and the engine counts %v", of["**all**"], counted)
	}
}

// On PostgreSQL the table also has round trips.
func TestRunCountsRoundTrips(t *testing.T) {
	dir := t.TempDir()
	o := Options{JSON: true, Store: enginePostgres, Only: `postgres.(notify|ask).4$`, Out: &bytes.Buffer{}, Postgres: pgtest.DSN(t), Profile: dir}
	if err := run(t.Context(), o, tinyPlan()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "postgres.statements.md"))
	if err != nil {
		t.Fatal(err)
	}
	tables := strings.Split(string(text), "### ")
	if len(tables) != 3 || !strings.HasPrefix(tables[1], "notify, 4 callers, ") || !strings.HasPrefix(tables[2], "ask, 4 callers, ") {
		t.Fatalf("tables of notify and ask:\n%s", text)
	}
	head := regexp.MustCompile(`Of one contact: ([\d.]+) updates with ([\d.]+) round trips, .*, ([\d,]+) bytes`)
	for i, updates := range []float64{1, 2} {
		found := head.FindStringSubmatch(tables[i+1])
		if found == nil {
			t.Fatalf("no sum:\n%s", tables[i+1])
		}
		if n, err := strconv.ParseFloat(found[1], 64); err != nil || n < updates || n > updates+0.5 {
			t.Errorf("%s updates, want %v", found[1], updates)
		}
		if n, err := strconv.ParseFloat(found[2], 64); err != nil || n < 2*updates || n > 2*updates+1 {
			t.Errorf("%s round trips, want %v", found[2], 2*updates)
		}
		if found[3] == "0" {
			t.Error("nothing went into the log")
		}
		if !strings.Contains(tables[i+1], "| `INSERT INTO event` | update | ") {
			t.Errorf("no event:\n%s", tables[i+1])
		}
	}
}

func TestBriefly(t *testing.T) {
	for sql, want := range map[string]string{
		"INSERT INTO event (id, team_id)\n\tVALUES ($1, $2)":      "INSERT INTO event",
		"SELECT a, b,\n\tc FROM task WHERE id = $1":               "SELECT … FROM task WHERE id = $1",
		"UPDATE thread SET last_message = $1, n = $2 WHERE id=$3": "UPDATE thread SET … WHERE id=$3",
		"BEGIN IMMEDIATE": "BEGIN IMMEDIATE",
	} {
		if got := briefly(sql); got != want {
			t.Errorf("%q: %q, want %q", sql, got, want)
		}
	}
}
