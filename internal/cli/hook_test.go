package cli

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A hook ends by itself when its hub takes the call and never answers, and when its
// client never ends what it says.
func TestAHookHoldsNobodyUp(t *testing.T) {
	silence, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silence.Close() }) // nobody accepts; the system does
	token := filepath.Join(t.TempDir(), "a.token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open, _ := io.Pipe()
	for name, in := range map[string]io.Reader{"hub": strings.NewReader("{}"), "client": open} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, complaints bytes.Buffer
			code := Main([]string{"hook", "--client", "claude", "--url", "http://" + silence.Addr().String(), "--token-file", token, "stop"}, in, &out, &complaints)
			if code != exitOK || out.Len()+complaints.Len() > 0 {
				t.Errorf("exit code %d, %q, %q", code, &out, &complaints)
			}
		})
	}
}
