package crash

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley/api"
)

// A database that a hub cannot use is refused with a reason and with what to
// do, and is left as it is.
func TestAnUnusableDatabaseIsRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		says  []string
	}{
		{"damaged at its beginning", func(t *testing.T, path string) { overwrite(t, path, 0, 4096) }, []string{"damaged", "backup"}},
		{"damaged in its tables", func(t *testing.T, path string) { overwrite(t, path, 4096, -1) }, []string{"damaged", "backup"}},
		{"cut off", func(t *testing.T, path string) { cut(t, path) }, []string{"damaged", "backup"}},
		{"not a database", func(t *testing.T, path string) { write(t, path, strings.Repeat("Dear diary, ", 1000)) }, []string{"not a parley database", "another data folder"}},
		{"of a newer program", func(t *testing.T, path string) { execute(t, path, "PRAGMA user_version = 999") }, []string{"newer parley", "Install"}},
		{"of another program", func(t *testing.T, path string) {
			remove(t, path)
			execute(t, path, "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')")
		}, []string{"another program", "another data folder"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			p := g.place("hub", team{})
			h := g.start(p)
			g.contact(h.waitUp(), api.ContactRequest{Action: "notify", Agent: "Ann", Message: "note #1"})
			h.stop()
			c.spoil(t, p.database())
			before := content(t, p.database())
			code, said := g.start(p).failure()
			if code == 0 {
				t.Error("the hub ended with code 0")
			}
			for _, word := range c.says {
				if !strings.Contains(said, word) {
					t.Errorf("%q is not in what the hub said: %s", word, said)
				}
			}
			if !bytes.Equal(before, content(t, p.database())) {
				t.Error("the hub has changed the file")
			}
		})
	}
}

// The same for a schema in PostgreSQL that a newer program made.
func TestANewerSchemaInPostgresIsRefused(t *testing.T) {
	g := newGround(t)
	dsn := newDatabase(g)
	p := g.place("hub", team{store: dsn})
	h := g.start(p)
	h.waitUp()
	h.stop()
	g.query(dsn, "INSERT INTO parley.migration VALUES (999, 'from tomorrow')")
	if code, said := g.start(p).failure(); code == 0 || !strings.Contains(said, "newer parley") {
		t.Errorf("the hub ended with code %d and said: %s", code, said)
	}
}

// A second hub on the same data is sent to the first.
func TestASecondHubIsRefused(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	h := g.start(p)
	first := h.waitUp()
	code, said := g.start(p).failure()
	if code == 0 || !strings.Contains(said, first.Address()) {
		t.Errorf("the second hub ended with code %d and said: %s; the first is at %s", code, said, first.Address())
	}

	// Another data folder, but the first one's database.
	other := g.place("other", team{store: p.database()})
	if code, said := g.start(other).failure(); code == 0 || !strings.Contains(said, "in use by another hub") {
		t.Errorf("a hub on another's database ended with code %d and said: %s", code, said)
	}
	if _, err := first.Hub(t.Context()); err != nil {
		t.Errorf("the first hub does not serve any more: %v", err)
	}
	h.stop()
}

// overwrite puts nonsense into a file, up to its end if n is negative.
func overwrite(t *testing.T, path string, at int64, n int) {
	t.Helper()
	text := content(t, path)
	end := len(text)
	if n >= 0 {
		end = int(at) + n
	}
	for i := int(at); i < end; i++ {
		text[i] = byte(i*7 + 13)
	}
	write(t, path, string(text))
}

// cut leaves a file its first half.
func cut(t *testing.T, path string) {
	t.Helper()
	text := content(t, path)
	write(t, path, string(text[:len(text)/2/4096*4096]))
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

func execute(t *testing.T, path, statements string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, statements, nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
}
