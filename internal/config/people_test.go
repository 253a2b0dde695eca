package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

func TestAddPersonChangesNothingElse(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"no people", "# The team.\nmodel: scripted:x # fake\n", "# The team.\nmodel: scripted:x # fake\npeople: [Grace]\n"},
		{"no line end", "model: scripted:x", "model: scripted:x\npeople: [Grace]\n"},
		{"an empty file", "", "people: [Grace]\n"},
		{"only a comment", "# Nothing yet.\n", "# Nothing yet.\npeople: [Grace]\n"},
		{"on one line", "people: [Ada, Bob] # [us]\nteam: main\n", "people: [Ada, Bob, Grace] # [us]\nteam: main\n"},
		{"an empty list", "people: [] # nobody yet\n", "people: [Grace] # nobody yet\n"},
		{"on several lines", "people: [\n  Ada, # first\n  Bob\n]\n", "people: [\n  Ada, # first\n  Bob\n, Grace]\n"},
		{"a list", "people:\n  # The founders.\n  - Ada # first\n  - Bob\n\n# The store.\nstore: a.db\n", "people:\n  # The founders.\n  - Ada # first\n  - Bob\n  - Grace\n\n# The store.\nstore: a.db\n"},
		{"a list without indent", "people:\n- Ada\nteam: main\n", "people:\n- Ada\n- Grace\nteam: main\n"},
		{"a list at the end, without a line end", "people:\n  - Ada", "people:\n  - Ada\n  - Grace\n"},
		{"no value", "people:\nteam: main\n", "people:\n  - Grace\nteam: main\n"},
		{"line ends of another system", "team: main\r\npeople: [Ada]\r\n", "team: main\r\npeople: [Ada, Grace]\r\n"},
		{"a byte order mark", "\uFEFFpeople: [Ada]\n", "\uFEFFpeople: [Ada, Grace]\n"},
	} {
		got, err := AddPerson([]byte(c.before), "Grace")
		if string(got) != c.after || err != nil {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	for _, name := range []string{"123", "true", "null", "-x", "Grace Hopper", "0x7", "1e3", "~", "Jürgen"} {
		if parley.CheckName(name) != nil {
			continue
		}
		got, err := AddPerson([]byte("people: [Ada]\n"), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		team, err := parseTeam(string(got), nil, "/")
		if err != nil || len(team.People) != 2 || team.People[1] != name {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestAFileThatOnlyItsAuthorShouldChange(t *testing.T) {
	for _, before := range []string{
		"{people: [Ada]}\n",
		"people: &us [Ada]\n",
		"people: Ada\n",
		"team: main\n...\n",
		"people: [Ada]\npeople: [Bob]\n",
		"people: [Ada\n",
	} {
		if got, err := AddPerson([]byte(before), "Grace"); err == nil {
			t.Errorf("%q became %q", before, got)
		}
	}
}

func TestATeamFileIsCheckedBeforeItIsWritten(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"parley.yaml": "people: [Ada]\n", "agents/joiner.md": "---\nkind: client\n---\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	team, problems, err := Load(dir)
	if err != nil || problems != nil {
		t.Fatal(problems, err)
	}
	for _, name := range []string{"Joiner", "ada"} {
		if _, err := ChangeTeamFile(team, func(f []byte) ([]byte, error) { return AddPerson(f, name) }); parley.KindOf(err) != parley.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	written, err := ChangeTeamFile(team, func(f []byte) ([]byte, error) { return AddPerson(f, "Grace") })
	if !written || err != nil {
		t.Fatal(written, err)
	}
	path := filepath.Join(dir, "parley.yaml")
	text, err := os.ReadFile(path)
	info, failed := os.Stat(path)
	if string(text) != "people: [Ada, Grace]\n" || err != nil || failed != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v", text, err, failed)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) != 0 || err != nil {
		t.Errorf("left over: %v, %v", left, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere.yaml"), path); err != nil {
		t.Fatal(err)
	}
	if _, err := ChangeTeamFile(team, func(f []byte) ([]byte, error) { return AddPerson(f, "Eve") }); err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("a link: %v", err)
	}
}

func TestDoorKeys(t *testing.T) {
	team, err := parseTeam("tls: {certificate: hub.crt, key: /etc/hub.key}\npublic_url: https://parley.example.com/\nproxies: [10.0.0.5, 'fd00::/8']\n"+
		"door: {body: 1MiB, header: 32KiB, streams: 5, requests: 6, failures: 7}\n", nil, "/team")
	if err != nil {
		t.Fatal(err)
	}
	if team.TLS != (TLS{"/team/hub.crt", "/etc/hub.key"}) || team.PublicURL != "https://parley.example.com" || len(team.Proxies) != 2 ||
		team.Proxies[0].String() != "10.0.0.5/32" || team.Door != (Door{1 << 20, 32 << 10, 5, 6, 7}) {
		t.Errorf("%+v %q %v %+v", team.TLS, team.PublicURL, team.Proxies, team.Door)
	}
	for _, wrong := range []string{
		"tls: {certificate: hub.crt}", "tls: hub.crt", "tls: {certificate: a, key: b, password: c}",
		"public_url: http://parley.example.com", "public_url: https://", "public_url: https://a/b", "public_url: https://u:p@a", "public_url: a",
		"proxies: [example.com]", "proxies: [10.0.0.0/99]", "door: {streams: 0}", "door: {body: 1}", "door: {requests: many}",
	} {
		if _, err := parseTeam(wrong+"\n", nil, "/team"); err == nil || !strings.Contains(err.Error(), "parley.yaml:1") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
