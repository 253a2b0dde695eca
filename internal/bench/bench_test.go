package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/pgtest"
)

// TestMain lets the test program be the second process of a measurement.
func TestMain(m *testing.M) {
	if ran, err := Child(context.Background()); ran {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// tinyPlan measures everything, and nothing that means anything.
func tinyPlan() plan {
	return plan{
		sizes: []int{100, 1_500}, rounds: 2, slice: 2 * time.Millisecond, warm: time.Millisecond, many: 4,
		natives: 20, clients: 4, pairs: 50,
		ruledAgents: 30, rules: 10, ruledMessages: 100, ruledRounds: 2,
		idle: 50, filed: 40, edits: 10, waiting: 20, asks: 200, open: 30, polls: 5, streams: 20, kills: 2, freeze: 50 * time.Millisecond,
	}
}

func TestRunReportsEveryLine(t *testing.T) {
	for _, engine := range []string{engineSQLite, enginePostgres} {
		t.Run(engine, func(t *testing.T) {
			var out, progress bytes.Buffer
			dir := t.TempDir()
			o := Options{JSON: true, Store: engine, Out: &out, Progress: &progress, Dir: dir}
			if engine == enginePostgres {
				o.Postgres = pgtest.DSN(t)
			}
			if err := run(t.Context(), o, tinyPlan()); err != nil {
				t.Fatalf("%v\n%s", err, progress.String())
			}
			lines := parseLines(t, out.String())
			var names []string
			for _, l := range lines {
				names = append(names, l.Name)
				checkLine(t, l)
			}
			if diff := cmp.Diff(tinyPlan().names([]string{engine}), names); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

func parseLines(t *testing.T, text string) (lines []Line) {
	t.Helper()
	for text := range strings.Lines(text) {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		var l Line
		if err := d.Decode(&l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		lines = append(lines, l)
	}
	return lines
}

// checkLine looks for what must be in a line of its kind.
func checkLine(t *testing.T, l Line) {
	t.Helper()
	switch {
	case l.Name == memoryName:
		if l.Agents != tinyPlan().idle || l.RSS == 0 || l.Heap == 0 {
			t.Errorf("%+v", l)
		}
	case strings.HasPrefix(l.Name, "team."):
		if l.Agents != tinyPlan().filed || l.Ops == 0 || l.P50 == 0 || l.Max < l.P50 || l.Peak < l.RSS || l.RSS == 0 {
			t.Errorf("%+v", l)
		}
	case strings.HasPrefix(l.Name, "doors.nested."):
		if l.Ops == 0 || l.Transactions == 0 || l.CPU == 0 || l.Rounds != tinyPlan().rounds {
			t.Errorf("%+v", l)
		}
	case strings.HasPrefix(l.Name, "doors."):
		if l.Ops == 0 || l.Direct == 0 || l.Through == 0 || l.Rounds != tinyPlan().rounds {
			t.Errorf("%+v", l)
		}
		if processTime() > 0 && (l.ClientCPU == 0 || (l.BareCPU > 0) != (l.Name == doorHTTP)) {
			t.Errorf("%+v", l)
		}
	case strings.HasPrefix(l.Name, "poll."):
		if l.Waiting != tinyPlan().polls || l.Ops != tinyPlan().polls*tinyPlan().rounds || l.P50 <= 0 || l.P99 < l.P50 || l.RSS == 0 || l.Peak < l.RSS {
			t.Errorf("%+v", l)
		}
	case strings.HasPrefix(l.Name, "streams."):
		if l.Streams != tinyPlan().streams || l.Ops == 0 || l.P50 == 0 || l.Alone == 0 || l.Ratio == 0 || l.TimeRatio == 0 || l.RSS == 0 {
			t.Errorf("%+v", l)
		}
	case l.Name == asksName:
		if l.Ops != tinyPlan().asks || l.Heap == 0 || l.Peak < l.RSS || l.RSS == 0 {
			t.Errorf("%+v", l)
		}
	case l.Name == waitingName:
		if l.Turns != tinyPlan().waiting || l.Bytes <= 0 || l.Peak < l.RSS || l.Goroutines < l.Turns {
			t.Errorf("%+v", l)
		}
	case l.Name == limitedName: // what is stored holds no goroutine
		if l.Turns != tinyPlan().waiting || l.Peak < l.RSS || l.Goroutines >= l.Turns+20 {
			t.Errorf("%+v", l)
		}
	case strings.HasSuffix(l.Name, ".turn"):
		own := l.P50 * float64(l.Steps) // of the same turns; the bare exchanges are others, and on a busy machine slower now and then
		if l.Steps != turnSteps || l.P50 <= 0 || own >= l.Turn || l.Exchange == 0 || l.Share <= 0 {
			t.Errorf("%+v", l)
		}
	case strings.HasSuffix(l.Name, ".watched"):
		if l.Watchers != 10 || l.P50 <= 0 || l.Alone <= 0 || l.TimeRatio <= 0 {
			t.Errorf("%+v", l)
		}
	case strings.HasSuffix(l.Name, ".frozen"):
		if l.Ops == 0 || l.P50 == 0 || l.Hubs != frozenHubs || l.Frozen != tinyPlan().freeze.Seconds() {
			t.Errorf("%+v", l)
		}
	case strings.HasSuffix(l.Name, ".restart"):
		if l.Tasks != tinyPlan().open || l.P50 == 0 || l.Max < l.P50 {
			t.Errorf("%+v", l)
		}
	case strings.Contains(l.Name, ".search."):
		if l.P50 == 0 || l.P99 < l.P50 || l.Ops == 0 || l.Messages < tinyPlan().largest() || l.Rounds != tinyPlan().rounds {
			t.Errorf("%+v", l)
		}
	case strings.HasSuffix(l.Name, ".retrieve.raw"):
		if l.P50 == 0 || l.P99 < l.P50 || l.Messages < tinyPlan().largest() || l.Kept < tinyPlan().largest()/keptOf || len(l.Targets) != 1 {
			t.Errorf("%+v", l)
		}
	case strings.HasSuffix(l.Name, ".notify.large"):
		if l.PerS == 0 || l.Ratio == 0 || l.TimeRatio == 0 || l.Alone == 0 || l.Large != largeRate || l.Rounds != tinyPlan().rounds {
			t.Errorf("%+v", l)
		}
	case strings.HasSuffix(l.Name, ".indexed"):
		if l.PerS == 0 || l.Ratio == 0 || l.Messages < tinyPlan().largest() {
			t.Errorf("%+v", l)
		}
	case strings.HasPrefix(l.Name, retrievalName):
		if l.Ops == 0 || l.RecallAt5 < 0.5 || l.RecallAt5 > 1 || len(l.Targets) != 1 {
			t.Errorf("%+v", l)
		}
	case strings.HasSuffix(l.Name, ".rules"):
		if l.PerS == 0 || l.Ratio == 0 || l.CPURatio == 0 && l.CPU > 0 || l.Agents != tinyPlan().ruledAgents || l.Rounds != tinyPlan().ruledRounds {
			t.Errorf("%+v", l)
		}
	default:
		contact := !strings.Contains(l.Name, rawInserts)
		if l.PerS == 0 || l.P50 == 0 || l.P99 < l.P50 || l.Share == 0 || l.Ops == 0 || l.Callers == 0 || contact != (l.Messages > 0) {
			t.Errorf("%+v", l)
		}
		if largest := strings.Count(l.Name, ".") == 2; contact && largest != (l.Ratio > 0) {
			t.Errorf("ratio of %+v", l)
		}
	}
}

func TestRunMeasuresOnlyWhatIsWanted(t *testing.T) {
	var out bytes.Buffer
	o := Options{JSON: true, Only: `sqlite.ask.4$, ^memory.agent`, Out: &out, Dir: t.TempDir()}
	if err := run(t.Context(), o, tinyPlan()); err != nil {
		t.Fatal(err)
	}
	lines := parseLines(t, out.String())
	if len(lines) != 2 || lines[0].Name != "sqlite.ask.4" || lines[1].Name != memoryName {
		t.Fatalf("%+v", lines)
	}
	if lines[0].Share == 0 || lines[0].Ratio == 0 {
		t.Errorf("it is compared with nothing: %+v", lines[0])
	}
}

func TestRunRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, o := range []Options{{Store: "oracle"}, {Only: "sqlite.asks"}, {Only: "("}} {
		o.Out = &bytes.Buffer{}
		if err := Run(t.Context(), o); parley.KindOf(err) != parley.Invalid {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestFilter(t *testing.T) {
	engines := []string{engineSQLite, enginePostgres}
	names := append(quickPlan().names(engines), leftOut(engines)...)
	for _, c := range []struct {
		only string
		want []string
	}{
		{"memory", []string{"memory.agent", "memory.waiting", "memory.limited"}},
		{"turn, waiting", []string{"sqlite.turn", "sqlite.turn.watched", "postgres.turn", "postgres.turn.watched", "memory.waiting"}},
		{"postgres.raw, restart", []string{"postgres.raw.64", "postgres.raw.1", "sqlite.restart", "postgres.restart"}},
		{"sqlite.ask.64", []string{"sqlite.ask.64.1000", "sqlite.ask.64"}},
		{`sqlite\.(ask|notify)\.1$`, []string{"sqlite.ask.1", "sqlite.notify.1"}},
		{"nothing", nil},
	} {
		f, err := parseFilter(c.only)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range names {
			if f.has(n) {
				got = append(got, n)
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.only, diff)
		}
	}
	if all, err := parseFilter(" , "); err != nil || !all.has("anything") {
		t.Errorf("an empty filter does not pick all: %v", err)
	}
}
