package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/backup"
)

func TestWhatWasPackedComesOut(t *testing.T) {
	file := write(t, map[string]string{"parley.yaml": "team: x\n", "agents/a/agent.md": "A.", "parley.db": strings.Repeat("b", 1<<20)})
	dir := filepath.Join(t.TempDir(), "new", "team")
	m, err := backup.Read(t.Context(), file, dir, func(m backup.Manifest, at string) error {
		if at == dir {
			t.Error("the folder has its name before it is checked")
		}
		return nil
	})
	if err != nil || m.Team != "x" || len(m.Files) != 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "agents/a/agent.md")); string(text) != "A." || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup's mode: %v, %v", info.Mode(), err)
	}
}

func TestAFileThatIsThereIsNotReplaced(t *testing.T) {
	file := write(t, map[string]string{"parley.yaml": "1"})
	source := []backup.Source{{Name: "parley.yaml", Path: file}}
	err := pack(t.Context(), t, file, &backup.Manifest{}, source, false)
	if parley.KindOf(err) != parley.Conflict {
		t.Errorf("without force: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before, _ := os.ReadFile(file)
	if err := pack(ctx, t, file, &backup.Manifest{}, source, true); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("half a backup took the place of a whole one")
	}
	if list, _ := os.ReadDir(filepath.Dir(file)); len(list) != 2 { // the file and what was packed
		t.Errorf("left behind: %v", list)
	}
}

func TestADamagedBackupRestoresNothing(t *testing.T) {
	good, err := os.ReadFile(write(t, map[string]string{"parley.yaml": "team: x\n", "parley.db": strings.Repeat("data", 1000)}))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"cut off":          good[:len(good)/2],
		"no archive":       []byte("hello"),
		"another checksum": repack(t, good, func(h *tar.Header, text []byte) []byte { return bytes.ReplaceAll(text, []byte("data"), []byte("dato")) }),
		"one more file": repack(t, good, func(h *tar.Header, text []byte) []byte {
			return bytes.Replace(text, []byte(`"parley.yaml"`), []byte(`"parley.yam"`), 1)
		}),
		"a path that leads out": repack(t, good, func(h *tar.Header, text []byte) []byte {
			if h.Name == "parley.yaml" {
				h.Name = "../out.yaml"
			}
			return bytes.Replace(text, []byte(`"parley.yaml"`), []byte(`"../out.yaml"`), 1)
		}),
		"a link": repack(t, good, func(h *tar.Header, text []byte) []byte {
			if h.Name == "parley.yaml" {
				h.Typeflag, h.Linkname = tar.TypeSymlink, "/etc/passwd"
				return nil
			}
			return text
		}),
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			file := filepath.Join(folder, "b.tar.gz")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := backup.Read(t.Context(), file, filepath.Join(folder, "team"), func(backup.Manifest, string) error { return nil })
			if parley.KindOf(err) != parley.Invalid {
				t.Errorf("%v", err)
			}
			if list, _ := os.ReadDir(folder); len(list) != 1 {
				t.Errorf("left behind: %v", list)
			}
		})
	}
}

func TestAFolderWithSomethingInItIsRefused(t *testing.T) {
	file := write(t, map[string]string{"parley.yaml": "1"})
	_, err := backup.Read(t.Context(), file, filepath.Dir(file), nil)
	if parley.KindOf(err) != parley.Conflict {
		t.Errorf("%v", err)
	}
	if _, err := backup.Read(t.Context(), file, t.TempDir(), func(backup.Manifest, string) error { return nil }); err != nil {
		t.Errorf("an empty one: %v", err)
	}
}

// write makes a backup of files with these texts.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	from, list := t.TempDir(), []backup.Source{}
	for _, name := range []string{"parley.yaml", "agents/a/agent.md", "parley.db"} {
		text, ok := files[name]
		if !ok {
			continue
		}
		path := filepath.Join(from, filepath.Base(name))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list = append(list, backup.Source{Name: name, Path: path})
	}
	to := filepath.Join(from, "backup.tar.gz")
	if err := pack(t.Context(), t, to, &backup.Manifest{Team: "x"}, list, false); err != nil {
		t.Fatal(err)
	}
	return to
}

// repack changes the files of a backup.
func repack(t *testing.T, packed []byte, change func(*tar.Header, []byte) []byte) []byte {
	t.Helper()
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	to := tar.NewWriter(zip)
	for from := tar.NewReader(in); ; {
		h, err := from.Next()
		if err != nil {
			break
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(from); err != nil {
			t.Fatal(err)
		}
		changed := change(h, text.Bytes())
		h.Size = int64(len(changed))
		if err := errors.Join(to.WriteHeader(h), writeAll(to, changed)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(to.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeAll(w *tar.Writer, text []byte) error {
	_, err := w.Write(text)
	return err
}
