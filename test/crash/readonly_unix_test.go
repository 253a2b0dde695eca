//go:build unix

package crash

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/api"
)

// A data folder that the hub may not write to is refused with the reason, and its
// content stays as it is. Root may do anything, so for root the hub runs as another
// user.
func TestAReadOnlyDataFolderIsRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		forbid func(t *testing.T, p *place)
		says   string
	}{
		{"the whole folder", func(t *testing.T, p *place) { chmod(t, p.data, 0o500) }, "that you may write to it"},
		{"the folder above a new one", func(t *testing.T, p *place) {
			p.data = filepath.Join(p.data, "new")
			chmod(t, filepath.Dir(p.data), 0o500)
		}, "cannot be written"},
		{"the database alone", func(t *testing.T, p *place) { chmod(t, p.database(), 0o400) }, "read-only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			p := g.place("hub", team{})
			if err := os.Mkdir(p.data, 0o700); err != nil {
				t.Fatal(err)
			}
			g.asSomebody(p)
			h := g.start(p)
			g.contact(h.waitUp(), api.ContactRequest{Action: "notify", Agent: "Ann", Message: "note #1"})
			h.stop()
			database := p.database()
			before := content(t, database)
			c.forbid(t, p)
			code, said := g.start(p).failure()
			if code == 0 || !strings.Contains(said, c.says) {
				t.Errorf("the hub ended with code %d and said: %s", code, said)
			}
			if !bytes.Equal(before, content(t, database)) {
				t.Error("the hub has changed the database")
			}
		})
	}
}

// chmod also gives the rights back, so that the folder can be removed.
func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
}

// asSomebody makes hubs run as a user without privileges if we are root.
func (g *ground) asSomebody(p *place) {
	g.Helper()
	if os.Geteuid() != 0 {
		return
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		g.Fatalf("root may write everywhere, and there is no account nobody to run the hub as: %v", err)
	}
	uid, errUID := strconv.ParseUint(nobody.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(nobody.Gid, 10, 32)
	if errUID != nil || errGID != nil {
		g.Fatal(errUID, errGID)
	}
	if err := os.Chown(p.data, int(uid), int(gid)); err != nil {
		g.Fatal(err)
	}
	p.change = func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
