package join

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is in a JSON file, setting an entry and adding to a list change nothing
// else, and every comment stays.
func TestJSONKeepsEverythingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &jsonWriter{t: t}
		text := w.object(0)
		before, err := readJSON([]byte(text))
		if err != nil {
			t.Fatalf("the generator made %v:\n%s", err, text)
		}
		want := plainJSON([]byte(text), before).(map[string]any)
		path := []string{rapid.SampledFrom([]string{"a", "b", "new"}).Draw(t, "key"), "parley"}
		e := editJSON([]byte(text))
		e.set(object{{"x", 1.0}}, path...)
		e.add("word", func(v any) bool { return v == "word" }, "our list")
		if e.err != nil {
			old, there := want[path[0]]
			if _, isObject := old.(map[string]any); isObject || !there {
				t.Fatalf("refused: %v\n%s", e.err, text)
			}
			return
		}
		got := plainJSON(e.text, e.root).(map[string]any)
		if inner, ok := want[path[0]].(map[string]any); ok {
			inner["parley"] = map[string]any{"x": 1.0}
		} else {
			want[path[0]] = map[string]any{"parley": map[string]any{"x": 1.0}}
		}
		want["our list"] = []any{"word"}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v\nwant %v\nof\n%s\n%s", got, want, text, e.text)
		}
		for i := range w.comments {
			if !strings.Contains(string(e.text), fmt.Sprintf("c%d.", i)) {
				t.Fatalf("comment %d is gone:\n%s\n%s", i, text, e.text)
			}
		}
	})
}

// jsonWriter makes JSON as people write it.
type jsonWriter struct {
	t        *rapid.T
	comments int
}

func (w *jsonWriter) space() string {
	switch rapid.IntRange(0, 6).Draw(w.t, "space") {
	case 0:
		w.comments++
		return fmt.Sprintf(" // c%d. {\"\n", w.comments-1)
	case 1:
		w.comments++
		return fmt.Sprintf("/* c%d. ] */", w.comments-1)
	case 2:
		return "\n\t"
	case 3:
		return " "
	}
	return ""
}

func (w *jsonWriter) value(depth int) string {
	if depth < 3 {
		switch rapid.IntRange(0, 3).Draw(w.t, "kind") {
		case 0:
			return w.object(depth)
		case 1:
			text := "["
			for i := range rapid.IntRange(0, 3).Draw(w.t, "items") {
				if i > 0 {
					text += ","
				}
				text += w.space() + w.value(depth+1) + w.space()
			}
			return text + w.space() + "]"
		}
	}
	return rapid.SampledFrom([]string{`"a // b"`, `"\"{,"`, "1.5e3", "true", "null", `"/*"`}).Draw(w.t, "scalar")
}

func (w *jsonWriter) object(depth int) string {
	text := "{"
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c, d", "e}"}), 0, 4, rapid.ID).Draw(w.t, "keys")
	for i, key := range keys {
		text += w.space() + encodeJSON(key) + w.space() + ":" + w.space() + w.value(depth+1) + w.space()
		if i < len(keys)-1 || rapid.Bool().Draw(w.t, "trailing comma") {
			text += ","
		}
	}
	return text + w.space() + "}"
}

// Whatever is in a TOML file, the rest of its bytes stay, and our table is the one
// that is read.
func TestTOMLKeepsEverythingElse(t *testing.T) {
	pieces := []string{"\n", "# [mcp_servers.parley]\n", "key = 1 # one\n", "s = \"\"\"\n[mcp_servers.parley]\n\\\"\"\"\"\"\n", "'q.k' = 'a\"#'\n",
		"list = [ # many\n  \"]\",\n  [1, {a = \"}\"}],\n]\n", "[other]\n", "[ mcp_servers . \"git hub\" ]\n", "[[list.of]]\n", "command = \"x\"\r\n",
		"[mcp_servers.parley]\ncommand = \"old\" # ours\n[mcp_servers.parley.env]\nA = '''\n[z]\n'''\n"}
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		ours, spread := 0, false
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(pieces)-1), 0, 8).Draw(t, "pieces") {
			if i == len(pieces)-1 {
				ours++
				spread = ours > 1
			}
			text += pieces[i]
		}
		if spread {
			return // a table that is there twice is no TOML
		}
		edited, err := setTable(text, []string{"mcp_servers", "parley"}, []string{`command = "new"`})
		if err != nil {
			t.Fatalf("refused: %v\n%s", err, text)
		}
		values, err := tableValues(edited, []string{"mcp_servers", "parley"})
		if err != nil || values["command"] != "new" {
			t.Fatalf("the table is %v, %v\n%s", values, err, edited)
		}
		rest := strings.Replace(edited, "[mcp_servers.parley]\ncommand = \"new\"", "\x00", 1)
		rest = strings.Replace(rest, "[mcp_servers.parley]\r\ncommand = \"new\"", "\x00", 1)
		head, tail, _ := strings.Cut(rest, "\x00")
		if !strings.HasPrefix(text, strings.TrimRight(head, "\r\n")) || !strings.HasSuffix(text, strings.TrimLeft(tail, "\r\n")) {
			t.Fatalf("something else changed:\n%q\n%q", text, edited)
		}
	})
}

func TestRefusedFiles(t *testing.T) {
	for _, c := range []struct{ client, text, why string }{
		{"claude", `{"mcpServers": {}`, "line 1"},
		{"claude", `[]`, "object"},
		{"claude", `{"mcpServers": []}`, "mcpServers is not an object"},
		{"claude", `{"a": 1, "a": 2}`, "twice"},
		{"claude", `{"a": 01}`, "a value is expected"},
		{"claude", "{\"a\": \"x\ny\"}", "not closed"},
		{"claude", `{} {}`, "follows"},
		{"claude", "{\"a\": \"\xff\"}", "UTF-8"},
		{"claude", `{"mcpServers": {"parley": {"command": "npx", "args": ["other"]}}}`, `another entry "parley" already: npx other`},
		{"claude", `{"mcpServers": {"parley": {"url": "https://example.com/mcp"}}}`, "https://example.com/mcp"},
		{"claude", `{"mcpServers": {"parley": null, "parley": 1}}`, "twice"},
		{"codex", "mcp_servers = {}\n", "written as a value"},
		{"codex", "[mcp_servers]\nparley = {command = \"x\"}\n", "written as a value"},
		{"codex", "mcp_servers.parley.command = \"x\"\n", "written as a value"},
		{"codex", "a = \"open\n", "not closed"},
		{"codex", "a = [1,\n", "missing"},
		{"codex", "[a\n", "not closed"},
		{"codex", "a = 1 b = 2\n[x] y\n", "end of the line"},
		{"codex", "[[mcp_servers.parley]]\n", "list of tables"},
		{"codex", "[mcp_servers.parley]\ncommand = \"npx\"\n", "another entry"},
		{"goose", "extensions: {a: {type: stdio}}\n", "one key a line"},
		{"goose", "extensions: 3\n", "not a mapping"},
		{"goose", "a: [\n", "line"},
		{"goose", "extensions:\n  parley:\n    cmd: npx\n", "another entry"},
	} {
		client, err := Find(c.client)
		if err != nil {
			t.Fatal(err)
		}
		s := sampleSetup(t.TempDir())
		_, err = client.Files(s)[0].planFrom([]byte(c.text), s)
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s with %q: %v, want %s", c.client, c.text, err, c.why)
		}
	}
}

// With --force the entry of somebody else is replaced, and nothing besides.
func TestForce(t *testing.T) {
	s := sampleSetup(t.TempDir())
	f := claude().Files(s)[0]
	if _, err := f.planFrom([]byte(`{"mcpServers": {"parley": {"command": "npx"}, "other": {"command": "x"}}}`), s); err == nil {
		t.Fatal("it was replaced without force")
	}
	change, err := f.Plan(s, true)
	if err != nil || strings.Contains(string(change.After), "npx") || !strings.Contains(string(change.After), `"other": {"command": "x"}`) {
		t.Errorf("%v: %s", err, change.After)
	}
}

func TestWritingAFile(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(real, []byte("{}"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := (Change{Path: link, Before: []byte("{}"), After: []byte("{ }")}).Write(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info.Mode(), err)
	}
	if info, err = os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if err := (Change{Path: link, Before: []byte("{}"), After: []byte("3")}).Write(); err == nil {
		t.Error("a file that somebody else had changed was replaced")
	}
	if text, err := os.ReadFile(real); err != nil || string(text) != "{ }" {
		t.Errorf("%q %v", text, err)
	}
}

// No client's file holds the token, whatever the form.
func TestNoSecretInClientFiles(t *testing.T) {
	s := sampleSetup(t.TempDir())
	s.Getenv = func(name string) string {
		if name == TokenVariable {
			return "prl_secret"
		}
		return ""
	}
	for _, c := range Clients() {
		for _, s.HTTP = range []bool{true, false} {
			if text := told(c, s, ""); strings.Contains(text, "secret") {
				t.Errorf("%s: %s", c.Name, text)
			}
		}
	}
}

func TestHookOutput(t *testing.T) {
	for _, c := range Clients() {
		for _, event := range Events() {
			out, err := c.HookOutput(event, "a \"b\"\n")
			if c.Events == nil {
				if err == nil {
					t.Errorf("%s has no hooks, but %s", c.Name, out)
				}
				continue
			}
			want := `{"hookSpecificOutput":{"additionalContext":"a \"b\"\n","hookEventName":"` + c.Events[event] + `"}}` + "\n"
			if event == Stop {
				want = `{"decision":"block","reason":"a \"b\"\n"}` + "\n"
			}
			if err != nil || string(out) != want {
				t.Errorf("%s %s: %s %v", c.Name, event, out, err)
			}
		}
	}
}

// Two agents never share a token file, and neither do two teams.
func TestEveryNameHasAFileOfItsOwn(t *testing.T) {
	none := func(string) string { return "" }
	files := map[string]string{}
	for _, team := range []string{"my team", "my-team", "my_team"} {
		for _, agent := range []string{"Data Bot", "Data-Bot", "Data_Bot", "Data.Bot", "DataBot"} {
			file := TokenFile(StateFolder(none, team, "/hub"), agent)
			if other := files[file]; other != "" {
				t.Errorf("%s/%s and %s have the file %s", team, agent, other, file)
			}
			files[file] = team + "/" + agent
		}
	}
	if TokenFile("x", "DATA bot") != TokenFile("x", "data BOT") {
		t.Error("names are the same in any case")
	}
}

// What a hub calls its team leads nowhere else.
func TestANameLeadsOutOfNoFolder(t *testing.T) {
	root := t.TempDir()
	state := func(name string) string { return map[string]string{"XDG_STATE_HOME": root}[name] }
	for _, name := range []string{"..", "../../x", "/etc", "a/../../../b", ""} {
		file := TokenFile(StateFolder(state, name, "/hub"), name)
		if inside, err := filepath.Rel(filepath.Join(root, "parley"), file); err != nil || strings.Count(inside, "/") != 1 || strings.HasPrefix(inside, "../") {
			t.Errorf("%q: %s", name, file)
		}
	}
}

// What a hook hands over can be answered: an ask names its task nowhere else.
func TestHandoverNamesMessagesAndTasks(t *testing.T) {
	text := Handover([]Letter{{ID: "msg-7", Text: "[Agent Request from A | Pattern: ask]\n\nWhy?", Task: "task-101"}, {ID: "msg-8", Text: "Hello.", Again: true}}, 0)
	for _, want := range []string{"msg-7", "task-101", "msg-8", "handed out before"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}

// A message that was cut is not acknowledged, since the agent has not read it.
func TestWhatWasCutIsNotAcknowledged(t *testing.T) {
	after := Memory{}.After(Stop, HookInput{}, []Letter{{ID: "msg-1", Text: "short"}, {ID: "msg-2", Text: strings.Repeat("x", longestLetter+1)}})
	if !slices.Equal(after.Messages, []string{"msg-1"}) {
		t.Errorf("%v", after.Messages)
	}
}

func TestHandoverStaysBelowTheLimit(t *testing.T) {
	var letters []Letter
	for i := range MostLetters {
		letters = append(letters, Letter{ID: fmt.Sprint("message-", i), Text: strings.Repeat("é", 100_000), Task: "task-1", Again: true})
	}
	if text := Handover(letters, 12345); len(text) > 10_000 {
		t.Errorf("it has %d characters", len(text))
	}
}

// An entry that calls the hub is ours although the hub has another port now.
func TestTheHubHasAnotherPort(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "cursor", "vscode", "goose"} {
		c, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		s := sampleSetup(t.TempDir())
		s.HTTP = true
		f := c.Files(s)[0]
		old, err := f.planFrom(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		s.URL = "http://127.0.0.1:7421/mcp"
		change, err := f.planFrom(old.After, s)
		if err != nil || strings.Contains(string(change.After), ":7420") || !strings.Contains(string(change.After), ":7421/mcp") {
			t.Errorf("%s: %v\n%s", name, err, change.After)
		}
	}
}

func TestWhereAClientFindsItsToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("t1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string { return map[string]string{TokenVariable: "t2"}[name] }
	for text, want := range map[string]string{
		"Bearer ${PARLEY_TOKEN}":     "Bearer t2",
		"Bearer ${env:PARLEY_TOKEN}": "Bearer t2",
		"Bearer $PARLEY_TOKEN":       "Bearer t2",
		"Bearer ${input:x}":          "Bearer t2",
		"Bearer {file:" + file + "}": "Bearer t1",
		"a $ b ${ c":                 "a $ b ${ c",
	} {
		if got, err := expand(text, getenv); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"${OTHER}", "$OTHER", "{file:/no/such/file}"} {
		if got, err := expand(text, getenv); err == nil {
			t.Errorf("%s is %q", text, got)
		}
	}
}
