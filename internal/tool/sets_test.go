package tool_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
	"parley/internal/tool/chorustools"
	"parley/internal/tool/contacttools"
	"parley/internal/tool/loomtools"
	"parley/internal/tool/peertools"
	"parley/internal/tool/workspacetools"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

var update = flag.Bool("update", false, "write the golden files")

// toolset is one of the sets that the hub has, without anything behind its tools.
type toolset struct {
	name  string
	tools []tool.Tool
}

func toolsets() []toolset {
	space := &workspace.Workspace{Config: workspace.Config{Sandbox: &sandbox.Sandbox{}}}
	return []toolset{
		{"contact", contacttools.New(nil, nil, nil)},
		{"managing", contacttools.Managing(nil)},
		{"chorus", chorustools.New(nil, nil, nil)},
		{"peers", peertools.New(nil, nil)},
		{"loom", loomtools.New(nil, nil, nil)},
		{"workspace", workspacetools.New(space, workspace.Access{})},
	}
}

// What a model is told of each tool is pinned: its name, its description and the
// schema of its arguments, in the order in which they are sent.
func TestWhatModelsAreTold(t *testing.T) {
	distinct := map[string]bool{} // two sets share one, and two have one of the same name
	for _, set := range toolsets() {
		var b bytes.Buffer
		for _, tl := range set.tools {
			distinct[tl.Name+tl.Description] = true
			b.WriteString("=== " + tl.Name + "\n" + tl.Description + "\n")
			if err := json.Indent(&b, compact(t, tl.Schema), "", "  "); err != nil {
				t.Fatalf("%s: %v", tl.Name, err)
			}
			b.WriteString("\n")
		}
		golden(t, set.name, b.String())
	}
	if len(distinct) != 36 {
		t.Errorf("there are %d tools", len(distinct))
	}
}

func compact(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return b.Bytes()
}

// golden compares a text with testdata/NAME.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
