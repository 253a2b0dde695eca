package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// No test runs bench/peers, since it needs packages from PyPI and minutes. That it can be
// read, and that its packages are pinned, is seen here.
func TestThePeersAreWellFormed(t *testing.T) {
	need(t, "python3")
	files, err := filepath.Glob(filepath.Join(root(t), "bench/peers/*.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	read := "import ast, pathlib, sys\nfor file in sys.argv[1:]:\n    ast.parse(pathlib.Path(file).read_text('utf-8'), file)"
	said, err := exec.Command("python3", append([]string{"-W", "error", "-c", read}, files...)...).CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%v\n%s", err, said)
	}
	for _, name := range []string{"requirements.txt", "constraints.txt"} {
		text, err := os.ReadFile(filepath.Join(root(t), "bench/peers", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") && !strings.Contains(line, "==") {
				t.Errorf("%s: not pinned: %s", name, line)
			}
		}
	}
}
