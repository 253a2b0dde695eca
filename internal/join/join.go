// Package join knows what each outside client needs in its own files to be a member
// of a team, and hands messages over in the form that its hooks expect.
//
// No secret goes into a client's file. The token is in a file of its own that only
// its owner can read, and a client either starts parley, which reads that file, or
// is told the name of an environment variable.
//
// A file is edited in place: what parley does not set keeps its bytes, comments
// included. A file that cannot be read as what it should be is refused.
package join

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley"
)

// EntryName is how the team's server is called in the files of all clients.
const EntryName = "parley"

// TokenVariable is the environment variable from which clients that call the hub
// by its address read their token.
const TokenVariable = "PARLEY_TOKEN"

// longestCall is for how many seconds a client should wait for one call: a bit more
// than the longest wait for messages.
const longestCall = 660

// Setup is who joins, and how it reaches the hub.
type Setup struct {
	Agent   string
	Program string // of parley, as an absolute path
	// Locate are the flags by which parley finds the hub and the token.
	Locate    []string
	URL       string // of the hub's MCP endpoint
	TokenFile string
	// HTTP makes the client call the URL itself instead of starting parley.
	HTTP bool
	// Allow lets the client call the tools without asking its user each time.
	Allow   bool
	NoHooks bool
	// Folder is the one that the client works in.
	Folder string
	// Getenv tells where clients keep the files of a user.
	Getenv func(string) string
}

// bridge is the command that speaks MCP with the client.
func (s Setup) bridge() []string { return append([]string{"mcp"}, s.Locate...) }

func (s Setup) home(path ...string) string {
	return filepath.Join(append([]string{s.Getenv("HOME")}, path...)...)
}

// folder is a folder that a variable names, or one below the user's home.
func (s Setup) folder(variable string, below ...string) string {
	if dir := s.Getenv(variable); dir != "" {
		return dir
	}
	return s.home(below...)
}

// File is a file that a client reads.
type File struct {
	Path string
	// Server and Hooks say what parley has in it.
	Server, Hooks bool

	edit func(old []byte, s Setup, force bool) ([]byte, error)
	read func(text []byte) (*Server, error)
}

// Client is a program that can join.
type Client struct {
	Name  string // as it is given on the command line
	Title string
	// Files are where its settings are.
	Files func(Setup) []File
	// Command does the same as writing the file, if the client has one.
	Command func(Setup) []string
	// Notes are what its user has to do or know.
	Notes func(Setup) []string
	// Events are its hooks; nil if it has none.
	Events map[string]string
	// ProjectVariable tells its hooks in which project it works. It is empty if its hooks
	// are not a project's.
	ProjectVariable string
}

// Clients are all of them.
func Clients() []Client {
	return []Client{claude(), codex(), gemini(), opencode(), cursor(), vscode(), goose(), anyClient()}
}

// Find finds a client by its name.
func Find(name string) (Client, error) {
	all := Clients()
	if i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Client{}, parley.Errorf(parley.Invalid, "%q is not a client.", name).
		WithHint("Choose one of %s; mcp stands for any other program that speaks MCP.", strings.Join(Names(), ", "))
}

// Names are the names of all clients.
func Names() []string {
	var names []string
	for _, c := range Clients() {
		names = append(names, c.Name)
	}
	return names
}

// Change is what writing a file would do.
type Change struct {
	Path          string
	Before, After []byte
}

// Plan makes the change of a file without writing it.
func (f File) Plan(s Setup, force bool) (Change, error) {
	before, err := readFile(f.Path)
	if err != nil {
		return Change{}, err
	}
	after, err := f.edit(before, s, force)
	if err != nil {
		return Change{}, unclear(f.Path, err)
	}
	return Change{Path: f.Path, Before: before, After: after}, nil
}

// Sample is the file as it would be if there were nothing in it yet.
func (f File) Sample(s Setup) string {
	text, err := f.edit(nil, s, false)
	if err != nil {
		return ""
	}
	return string(text)
}

// unclear refuses a file, unless the error says more already.
func unclear(path string, err error) error {
	if e, ok := err.(*parley.Error); ok {
		return e
	}
	return parley.Errorf(parley.Conflict, "%s cannot be changed: %v.", path, err).
		WithHint("Nothing was written. Correct the file, or add the entry by hand; without --write it is printed.").WithCause(err)
}

// largest is the size beyond which a file is no client's settings.
const largest = 4 << 20

// readFile reads a file that may be missing.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return nil, nil
	case err != nil:
	case !info.Mode().IsRegular():
		return nil, parley.Errorf(parley.Conflict, "%s is not a file.", path).WithHint("Nothing was written.")
	case info.Size() > largest:
		return nil, parley.Errorf(parley.Conflict, "%s is too large for the settings of a client.", path).WithHint("Nothing was written.")
	default:
		var text []byte
		if text, err = os.ReadFile(path); err == nil {
			return text, nil
		}
	}
	return nil, parley.Errorf(parley.Conflict, "%s cannot be read: %v.", path, err).WithHint("Nothing was written.").WithCause(err)
}

// Server is an entry of a client's settings.
type Server struct {
	Command string
	Args    []string
	URL     string
	Headers map[string]string
	// TokenVariable names the environment variable with the token.
	TokenVariable string
}

// of reports whether the entry joins as the agent of a setup. One with an address does
// not say as whom; it is ours if it takes the token from where we say.
func (v *Server) of(s Setup) bool {
	if v.URL == "" {
		return slices.Contains(v.Args, s.TokenFile)
	}
	from := v.Headers["Authorization"] + v.TokenVariable
	return v.URL == s.URL || strings.Contains(from, TokenVariable) || strings.Contains(from, s.TokenFile) || strings.Contains(from, tokenInput)
}

// mayReplace refuses to replace an entry that is not this agent's.
func (s Setup) mayReplace(old *Server, force bool) error {
	if old == nil || force || old.of(s) {
		return nil
	}
	what := old.URL
	if what == "" {
		what = strings.Join(append([]string{old.Command}, old.Args...), " ")
	}
	return parley.Errorf(parley.Conflict, "There is another entry %q already: %s.", EntryName, what).
		WithHint("Nothing was written. Use --force to replace it.")
}

// ReadServer finds the team's entry in a client's file; nil if there is none.
func (f File) ReadServer() (*Server, error) {
	text, err := readFile(f.Path)
	if err != nil || text == nil {
		return nil, err
	}
	v, err := f.read(text)
	if err != nil {
		return nil, parley.Errorf(parley.Invalid, "%s cannot be read: %v.", f.Path, err).WithCause(err)
	}
	return v, nil
}

// HookCommands are the commands that a client runs for its events, by the names
// that parley gives to these.
func (c Client) HookCommands(s Setup) map[string]string {
	commands := map[string]string{}
	for event := range c.Events {
		words := []string{s.Program, "hook", "--client", c.Name}
		if c.ProjectVariable != "" {
			words = append(words, "--project", s.Folder)
		}
		commands[event] = Quote(append(append(words, s.Locate...), event))
	}
	return commands
}

// Quote joins words to a line for a shell.
func Quote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

func quoteWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+=:@%,", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// export is how a user gives the token to a client that reads it from a variable.
func (s Setup) export(title string) string {
	return fmt.Sprintf("Start %s with the token in its environment: export %s=\"$(cat %s)\"", title, TokenVariable, quoteWord(s.TokenFile))
}
