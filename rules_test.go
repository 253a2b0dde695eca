package parley_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is the table of allowed imports. It lists each package of the
// program with the packages of ours that it may import. Everyone may import the
// root package, and tests may import anything. A name ending in /* stands for
// every package right below it that has no line of its own.
//
// The direction is: doors and tools → use cases → policy, store, wake. turn
// and work do not know the use cases: they declare the small interfaces they
// need, and app connects them. This breaks the circle contact → turn → tool →
// contact.
var mayImport = map[string][]string{
	"parley": {}, // the vocabulary: the standard library and nothing else

	"cmd/parley": {"internal/cli"},

	// The command line, and what it starts.
	// The demo shows what happens in the words of the command line.
	"internal/cli":      {"api", "internal/app", "internal/backup", "internal/bench", "internal/cli/view", "internal/cli/watch", "client", "internal/config", "internal/demo", "internal/hubfile", "internal/join", "internal/mcpbridge", "internal/workspace/sandbox"},
	"internal/cli/view": {"api"},
	// The live view is drawn apart from the commands, which only start it.
	"internal/cli/watch": {"api", "client", "internal/cli/view"},
	"internal/app":       {anything},
	"internal/bench":     {anything},
	"internal/demo":      {"api", "internal/app", "internal/cli/view", "client", "internal/config"},

	// Doors: decode, one use case, encode.
	"internal/httpapi": {"internal/access", "api", "internal/bridge", "internal/change", "internal/channel", "internal/claim", "internal/contact", "internal/desk", "internal/gate", "internal/hosting", "internal/keeper", "internal/live", "internal/reading", "internal/redaction", "internal/rulebook", "internal/search", "internal/session", "internal/store", "internal/token", "internal/trace", "internal/schedule"},
	// The page, and what it makes of the words of others.
	"internal/page":        {"internal/access", "internal/change", "internal/channel", "internal/contact", "internal/gate", "internal/join", "internal/keeper", "internal/live", "internal/page/markup", "internal/policy", "internal/reading", "internal/rulebook", "internal/search", "internal/session", "internal/signin", "internal/step", "internal/token", "internal/trace"},
	"internal/page/markup": {"internal/markdown"},
	// What is better not read as Markdown, for the page and for chat programs.
	"internal/markdown":   {},
	"internal/markdown/*": {},
	// Chat programs: the core decodes, calls a use case and encodes; each program is below it.
	"internal/bridge":        {"internal/access", "internal/bridge/markup", "internal/contact", "internal/directory", "internal/reading", "internal/store", "internal/timing", "internal/token", "internal/wake"},
	"internal/bridge/markup": {"internal/markdown"},
	"internal/bridge/wire":   {"internal/bridge"},
	"internal/bridge/*":      {"internal/bridge", "internal/bridge/markup", "internal/bridge/wire"},
	// The programs themselves, for tests.
	"internal/bridge/telegram/*": {},
	"internal/bridge/slack/*":    {},
	"internal/bridge/discord/*":  {},
	// The suite that the bridges to all of them pass, with a whole hub.
	"internal/bridge/bridgetest": {anything},
	// What it offers and asks comes from the use cases and the tools.
	"internal/mcpserver": {"internal/access", "internal/contact", "internal/keeper", "internal/reading", "internal/tool", "internal/wake"},
	// What every door does to a request before it is served.
	"internal/gate": {"internal/access", "internal/session", "internal/store", "internal/token", "internal/wake"},
	// The door by which browsers sign in.
	"internal/signin": {"internal/access", "internal/gate", "internal/session"},
	"api":             {},
	"client":          {"api", "internal/hubfile"},

	// Who calls, and what the rules let them do. Every use case asks it.
	"internal/access": {"internal/directory", "internal/policy", "internal/store"},

	// Use cases.
	"internal/contact":   {"internal/access", "internal/budget", "internal/directory", "internal/policy", "internal/question", "internal/store", "internal/timing", "internal/wake"},
	"internal/redaction": {"internal/access", "internal/directory", "internal/store"},
	"internal/question":  {}, // pure, as policy is
	"internal/timing":    {}, // pure too: when something is due again
	"internal/budget":    {"internal/store"},
	"internal/directory": {"internal/policy"},
	"internal/channel":   {"internal/access", "internal/directory", "internal/store"},
	"internal/reading":   {"internal/access", "internal/budget", "internal/contact", "internal/directory", "internal/hardlink", "internal/live", "internal/policy", "internal/question", "internal/search", "internal/step", "internal/store", "internal/trace", "internal/wake"},
	// Those who fetch their messages: they receive, take and end what is theirs.
	"internal/desk":      {"internal/access", "internal/contact", "internal/directory", "internal/store", "internal/wake"},
	"internal/retention": {"internal/store"},
	// Putting conversations away and finding them again. Topics have their own
	// package because turns use it too.
	"internal/keeper":       {"internal/access", "internal/directory", "internal/keeper/topic", "internal/model", "internal/policy", "internal/search", "internal/store"},
	"internal/keeper/topic": {"internal/model"},
	"internal/search":       {"internal/store", "internal/wake"},
	// What agents are asked to do at given times. contact makes the work.
	"internal/schedule": {"internal/access", "internal/contact", "internal/directory", "internal/store", "internal/timing", "internal/wake"},
	// Telling people outside what waits for them.
	"internal/notify": {"internal/store", "internal/wake", "internal/workspace/sandbox"},
	"internal/claim":  {"internal/access", "internal/directory", "internal/store"},
	// What agents write down for themselves.
	"internal/memory": {"internal/store"},
	// What tasks changed in files. Where the files are, app says.
	"internal/change": {"internal/access", "internal/store"},
	// The rules are in the files, and the rulebook changes them there.
	"internal/rulebook": {"internal/access", "internal/config", "internal/directory", "internal/policy", "internal/store"},
	// The teams that a hub serves.
	"internal/hosting": {"internal/access"},
	"internal/token":   {"internal/access", "internal/directory", "internal/store"},
	// People in browsers. What it says about tokens is theirs.
	"internal/session": {"internal/access", "internal/directory", "internal/store", "internal/token"},
	"internal/trace":   {"internal/store"},

	// Running work: claims and leases, then one turn of an agent.
	"internal/work": {"internal/store", "internal/wake"},
	"internal/turn": {"internal/budget", "internal/keeper/topic", "internal/live", "internal/model", "internal/question", "internal/step", "internal/store", "internal/tool"},
	// What is stored of a turn, and what people read of it.
	"internal/step":   {"internal/model"},
	"internal/tool":   {"internal/model", "internal/policy"},
	"internal/tool/*": {"internal/access", "internal/contact", "internal/directory", "internal/policy", "internal/reading", "internal/tool"},
	// Some sets share the wording of contacttools.
	"internal/tool/peertools":   {"internal/access", "internal/contact", "internal/directory", "internal/tool", "internal/tool/contacttools"},
	"internal/tool/chorustools": {"internal/access", "internal/contact", "internal/directory", "internal/policy", "internal/reading", "internal/tool", "internal/tool/contacttools"},
	"internal/tool/loomtools":   {"internal/access", "internal/claim", "internal/contact", "internal/keeper", "internal/policy", "internal/tool", "internal/tool/contacttools"},
	"internal/tool/desktools":   {"internal/access", "internal/desk", "internal/reading", "internal/tool", "internal/tool/contacttools"},
	// The tools of the workspace know nothing of contacts.
	"internal/tool/workspacetools": {"internal/policy", "internal/tool", "internal/workspace", "internal/workspace/sandbox", "internal/workspace/symbol"},
	"internal/tool/memorytools":    {"internal/memory", "internal/policy", "internal/tool"},
	// The tools of outside servers.
	"internal/mcpclient":      {"internal/policy", "internal/tool", "internal/workspace/sandbox"},
	"internal/model":          {},
	"internal/model/*":        {"internal/model"},
	"internal/model/provider": {"internal/model", "internal/model/catalogue"},
	"internal/model/scripted": {"internal/model", "internal/yamlfile"},

	// The ground: rules without effects, storage, signals, files.
	// A store sends the signals of a transaction after its commit.
	"internal/policy":  {},
	"internal/store":   {"internal/wake"},
	"internal/store/*": {"internal/store", "internal/wake"},
	// What is below SQLite.
	"internal/store/sqlite":        {"internal/store", "internal/wake", "internal/store/sqlite/logvfs"},
	"internal/store/sqlite/logvfs": {},
	// A store in memory, for the tests of others.
	"internal/store/memtest": {"internal/store", "internal/store/sqlite"},
	"internal/wake":          {},
	"internal/live":          {},
	// The folder that agents work in. Below it: the symbols of its files, and the
	// sandbox for its commands.
	"internal/workspace":   {"internal/workspace/sandbox", "internal/workspace/symbol"},
	"internal/workspace/*": {},
	// config checks an agent's rules itself, because it knows their lines.
	"internal/backup":    {},
	"internal/config":    {"internal/hardlink", "internal/policy", "internal/timing", "internal/yamlfile"},
	"internal/filewatch": {},
	"internal/hardlink":  {},
	"internal/hubfile":   {},
	// What outside clients need in their own files.
	"internal/join": {"internal/yamlfile"},
	// Between an MCP client's pipes and the hub's address.
	"internal/mcpbridge":  {},
	"internal/pgtest":     {},
	"internal/bubbletest": {},
	"internal/yamlfile":   {}, // the one reader of YAML, for config and scripts

	// Around the program: suites, comparisons, examples.
	"test/*":     {anything},
	"bench/*":    {anything},
	"examples/*": {anything},
	"scripts/*":  {"internal/pgtest"},
}

const anything = "*"

const module = "parley"

func TestImports(t *testing.T) {
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file.path, "_test.go") {
			continue
		}
		pkg := path.Dir(file.path)
		if pkg == "." {
			pkg = module
		}
		allowed, ok := allowedImports(pkg)
		if !ok {
			t.Errorf("%s: the package %s is not in the table of allowed imports. Add it to mayImport in rules_test.go; docs/architecture.md says which way imports go.", file.path, pkg)
			continue
		}
		for _, spec := range file.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if why := refuseImport(pkg, allowed, imported); why != "" {
				t.Errorf("%s: %s", file.at(spec), why)
			}
		}
	}
}

// allowedImports looks up a package by its own name, then by its parent folder.
func allowedImports(pkg string) ([]string, bool) {
	if allowed, ok := mayImport[pkg]; ok {
		return allowed, true
	}
	allowed, ok := mayImport[path.Dir(pkg)+"/*"]
	return allowed, ok
}

// refuseImport says why pkg may not import the path; empty if it may.
func refuseImport(pkg string, allowed []string, imported string) string {
	if pkg == module {
		first, _, _ := strings.Cut(imported, "/")
		if first == module || strings.Contains(first, ".") {
			return "the root package imports " + imported + "; it may import the standard library only, so that everyone can import it."
		}
		return ""
	}
	ours, isOurs := strings.CutPrefix(imported, module+"/")
	if !isOurs || slices.Contains(allowed, ours) || slices.Contains(allowed, anything) {
		return ""
	}
	for _, a := range allowed {
		if folder, ok := strings.CutSuffix(a, "/*"); ok && path.Dir(ours) == folder {
			return ""
		}
	}
	return fmt.Sprintf("%s may not import %s. Declare a small interface where it is used and let internal/app join the two, or change mayImport in rules_test.go with a reason; docs/architecture.md says which way imports go.", pkg, ours)
}

func TestRefuseImport(t *testing.T) {
	for _, c := range []struct {
		pkg, imported string
		refused       bool
	}{
		{"parley", "strings", false},
		{"parley", "encoding/json", false},
		{"parley", "parley/internal/store", true},
		{"parley", "github.com/google/uuid", true},
		{"internal/contact", "parley", false},
		{"internal/contact", "parley/internal/store", false},
		{"internal/contact", "parley/internal/store/sqlite", true},
		{"internal/contact", "parley/internal/turn", true},
		{"internal/store/sqlite", "parley/internal/store", false},
		{"internal/store/sqlite", "parley/internal/store/postgres", true},
		{"internal/app", "parley/internal/turn", false},
	} {
		allowed, ok := allowedImports(c.pkg)
		if !ok {
			t.Errorf("%s is not in the table", c.pkg)
		}
		if why := refuseImport(c.pkg, allowed, c.imported); (why != "") != c.refused {
			t.Errorf("%s importing %s: %q, want refused = %v", c.pkg, c.imported, why, c.refused)
		}
	}
	if _, ok := allowedImports("internal/unheardof"); ok {
		t.Error("a package that nobody entered is in the table")
	}
}

// A test that sleeps is slow when it passes and fails on a busy machine; a
// test that skips itself shows nothing and looks green.
func TestTestsNeitherSleepNorSkip(t *testing.T) {
	for _, file := range goFiles(t) {
		if !isTest(file.path) {
			continue
		}
		for _, call := range sleepsAndSkips(file.ast) {
			t.Errorf("%s: %s. CONTRIBUTING.md says what to do instead.", file.at(call), describe(call))
		}
	}
	for _, script := range scripts(t) {
		if line := forbiddenCommand.FindString(script.commands); line != "" {
			t.Errorf("%s: %q: scripts neither sleep nor skip. CONTRIBUTING.md says what to do instead.", script.path, line)
		}
	}
}

// sleepsAndSkips finds the calls of time.Sleep and of a test's Skip. A sleep
// in a bubble is allowed: time is not real there, so it costs nothing.
func sleepsAndSkips(file *ast.File) []*ast.CallExpr {
	var found []*ast.CallExpr
	var inBubble []*ast.CallExpr
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		receiver, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		switch {
		case receiver.Name == "bubbletest":
			inBubble = append(inBubble, call)
		case receiver.Name == "time" && sel.Sel.Name == "Sleep":
			if !slices.ContainsFunc(inBubble, func(b *ast.CallExpr) bool { return b.Pos() <= call.Pos() && call.End() <= b.End() }) {
				found = append(found, call)
			}
		case slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name):
			found = append(found, call)
		}
		return true
	})
	return found
}

func describe(call *ast.CallExpr) string {
	if call.Fun.(*ast.SelectorExpr).Sel.Name == "Sleep" {
		return "a test does not sleep: wait for what should happen, or use bubbletest"
	}
	return "a test does not skip itself: what it needs is installed by make test, and what a system lacks goes behind a build constraint"
}

func TestSleepsAndSkips(t *testing.T) {
	for _, c := range []struct {
		body string
		want int
	}{
		{"time.Sleep(time.Second)", 1},
		{"t.Skip()", 1},
		{"t.Skipf(\"no %s\", name); tb.SkipNow()", 2},
		{"<-time.After(time.Second) // not time.Sleep", 0},
		{"bubbletest.Test(t, func(t *testing.T) { time.Sleep(time.Hour) })", 0},
		{"bubbletest.Test(t, func(t *testing.T) { t.Skip() })", 1},
		{"bubbletest.Test(t, f); time.Sleep(time.Hour)", 1},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+c.body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(sleepsAndSkips(file)); got != c.want {
			t.Errorf("%s: %d found, want %d", c.body, got, c.want)
		}
	}
}

// The race detector of Go does not bear bubbles that use several processors; bubbletest
// sees to it.
func TestBubblesAreMadeInOnePlace(t *testing.T) {
	for _, file := range goFiles(t) {
		if strings.HasPrefix(file.path, "internal/bubbletest/") {
			continue
		}
		ast.Inspect(file.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Test" {
				if receiver, ok := sel.X.(*ast.Ident); ok && receiver.Name == "synctest" {
					t.Errorf("%s: synctest.Test: use bubbletest.Test", file.at(n))
				}
			}
			return true
		})
	}
}

// isTest reports whether a file belongs to a test: by its own name, by the name
// of its package (storetest), or because it is part of a suite.
func isTest(file string) bool {
	return strings.HasSuffix(file, "_test.go") ||
		strings.HasSuffix(path.Dir(file), "test") ||
		strings.HasPrefix(file, "test/")
}

type goFile struct {
	path string // from the root of the module, with slashes
	ast  *ast.File
	set  *token.FileSet
}

func (f goFile) at(n ast.Node) string { return f.set.Position(n.Pos()).String() }

// goFiles parses every Go file of the module, whatever system it is for.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "/testdata/") {
			return
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, goFile{path: name, ast: parsed, set: set})
	})
	return files
}

// forbiddenCommand matches, in a testscript, a line that sleeps or skips.
var forbiddenCommand = regexp.MustCompile(`(?m)^(\[[^\]]*\]\s*)*((exec\s+)?sleep|skip)\b.*$`)

type script struct {
	path     string
	commands string // the text before the first file of the archive
}

func scripts(t *testing.T) []script {
	t.Helper()
	var list []script
	walk(t, func(name string) {
		if ext := path.Ext(name); !strings.Contains(name, "/testdata/") || (ext != ".txtar" && ext != ".txt") {
			return
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		commands, _, _ := strings.Cut("\n"+string(text), "\n-- ")
		list = append(list, script{path: name, commands: commands})
	})
	return list
}

// walk calls visit with the path of every file of the module.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			visit(name)
			return nil
		}
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		if hidden || name == "bin" || name == "tools" {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
