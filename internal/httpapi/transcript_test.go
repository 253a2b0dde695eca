package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the answers into the transcripts")

// A transcript is a txtar archive. A file named by a person, a method and a path
// is a request with its body. The next file, named by the status, is the
// response. Time stands still at noon, and what differs between runs is masked.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			before, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := txtar.Format(converse(newWorld(t), before))
			if *update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(before)), string(got)); diff != "" {
				t.Errorf("the answers changed; see them with -update:\n%s", diff)
			}
		})
	}
}

// converse makes the requests of a transcript and returns it with the actual
// responses.
func converse(w *world, script *txtar.Archive) *txtar.Archive {
	out := &txtar.Archive{Comment: script.Comment}
	for _, f := range script.Files {
		who, rest, isRequest := strings.Cut(f.Name, " ")
		if !isRequest {
			continue
		}
		method, path, _ := strings.Cut(rest, " ")
		if who == "nobody" {
			who = ""
		}
		status, body := w.do(who, method, path, strings.TrimSpace(string(f.Data)))
		out.Files = append(out.Files, f, txtar.File{Name: fmt.Sprint(status), Data: []byte(w.mask(pretty(body)))})
	}
	return out
}

func pretty(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") != nil {
		return body
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

var machine = regexp.MustCompile(`"process": [0-9]+`)

func (w *world) mask(s string) string {
	s = machine.ReplaceAllString(s, `"process": 1234`)
	return strings.ReplaceAll(s, w.store.Describe(), "sqlite parley.db")
}
