package backup_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/internal/backup"
)

// pack writes a backup without a hub.
func pack(ctx context.Context, t *testing.T, to string, m *backup.Manifest, from []backup.Source, force bool) error {
	t.Helper()
	s, err := backup.NewScratch(to, filepath.Join(t.TempDir(), "no hub"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return backup.Write(ctx, to, s, m, from, force, nil)
}

// TestMain is also the program that is killed in the middle of a backup.
func TestMain(m *testing.M) {
	if to := os.Getenv("BACKUP_TO"); to != "" {
		s, err := backup.NewScratch(to, os.Getenv("BACKUP_DATA"))
		if err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(s.Dir, "parley.db"), []byte("half"), 0o600); err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString("begun")
		select {}
	}
	os.Exit(m.Run())
}

func TestWhatAKilledBackupLeavesIsRemoved(t *testing.T) {
	to, data := filepath.Join(t.TempDir(), "team.tar.gz"), t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BACKUP_TO="+to, "BACKUP_DATA="+data)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if removed := backup.Sweep(data); removed != nil || files(t, filepath.Dir(to)) != 1 {
		t.Errorf("taken from a backup that runs: %v", removed)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if removed := backup.Sweep(data); len(removed) != 1 || files(t, filepath.Dir(to)) != 0 || files(t, data) != 0 {
		t.Errorf("removed %v", removed)
	}
}

// A note is not to be trusted with any folder.
func TestANoteRemovesNothingElse(t *testing.T) {
	data, precious := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "backup-1.note"), []byte(precious), 0o600); err != nil {
		t.Fatal(err)
	}
	if removed := backup.Sweep(data); removed != nil {
		t.Errorf("removed %v", removed)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func files(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
