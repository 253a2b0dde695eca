package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

func TestRecallIsReportedByClass(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	measure := func() (string, string, error) {
		var out, progress bytes.Buffer
		err := Run(t.Context(), Options{Recall: file, JSON: true, Out: &out, Progress: &progress, Dir: t.TempDir()})
		return out.String(), progress.String(), err
	}
	write(`{"documents": [{"id": "d1", "text": "We rolled the payments release back at noon."}, {"id": "d2", "text": "The parser crashed."}],
		"queries": [{"class": "forms", "query": "crashing parsers", "relevant": ["d2"]},
			{"class": "typos", "query": "paymnets", "relevant": ["d1"]},
			{"class": "typos", "query": "zebra", "relevant": ["d1"]},
			{"class": "none", "query": "?", "relevant": ["d1"]}]}`)
	out, progress, err := measure()
	if err != nil {
		t.Fatalf("%v\n%s", err, progress)
	}
	got := map[string]float64{}
	for _, l := range parseLines(t, out) {
		got[l.Name] = l.RecallAt5
	}
	if len(got) != 4 || got["recall"] != 0.5 || got["recall.forms"] != 1 || got["recall.typos"] != 0.5 || got["recall.none"] != 0 {
		t.Errorf("measured %v", got)
	}
	if !strings.Contains(progress, `typos: "zebra" found 0 of ["d1"]`) {
		t.Errorf("what was missed is not told:\n%s", progress)
	}
	for _, wrong := range []string{"", `{}`, `{"documents": [{"id": "d1"}]}`, `{"documents": [{"id": "d1", "text": "x"}], "queries": [{"class": "c", "query": "x", "relevant": ["d2"]}]}`} {
		write(wrong)
		if _, _, err := measure(); parley.KindOf(err) != parley.Invalid {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
