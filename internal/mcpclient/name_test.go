package mcpclient

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/tool"
)

// Tools whose names differ only in characters that a name cannot have still get
// different names, with the characters and the length that providers accept.
func TestNamesThatDoNotFitStayApart(t *testing.T) {
	seen := map[string]string{}
	long := strings.Repeat("x", 100)
	for _, name := range []string{"read file", "read/file", "read.file", "read_file", long + "a", long + "b"} {
		got := toolName("server", name)
		if other, taken := seen[got]; taken {
			t.Errorf("%q and %q are both %s", name, other, got)
		}
		seen[got] = name
		if len(got) > maxName || invalidChars.MatchString(got) {
			t.Errorf("%q is %s", name, got)
		}
	}
	if got := toolName("server", "read_file"); got != "server"+separator+"read_file" {
		t.Errorf("one that fits is %s", got)
	}
}

// Values from the environment are hidden wherever they are used.
func TestWhatComesFromTheEnvironmentIsHidden(t *testing.T) {
	t.Setenv("SOME_KEY", "swordfish")
	for name, s := range map[string]Server{
		"the command":  {Command: "run-${SOME_KEY}"},
		"an argument":  {Command: "run", Args: []string{"--key=${SOME_KEY}"}},
		"the address":  {URL: "http://localhost/${SOME_KEY}"},
		"the folder":   {Command: "run", Dir: "/tmp/${SOME_KEY}"},
		"a variable":   {Command: "run", Env: map[string]string{"KEY": "${SOME_KEY}"}},
		"a header":     {URL: "http://localhost", Headers: map[string]string{"Authorization": "Bearer ${SOME_KEY}"}},
		"a plain word": {Command: "run", Env: map[string]string{"KEY": "swordfish"}},
	} {
		_, hide, err := s.expand()
		if err != nil {
			t.Fatal(err)
		}
		if got := hide.hide("It said: swordfish!"); strings.Contains(got, "swordfish") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What a server does not say of a tool is taken for the worse.
func TestHintsOfOutsideTools(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		said *mcp.ToolAnnotations
		want tool.Hints
	}{
		{nil, tool.Hints{Destructive: true, OpenWorld: true}},
		{&mcp.ToolAnnotations{}, tool.Hints{Destructive: true, OpenWorld: true}},
		{&mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &yes}, tool.Hints{Destructive: true, OpenWorld: true}},
		{&mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}, tool.Hints{}},
		{&mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &yes, OpenWorldHint: &no}, tool.Hints{ReadOnly: true}},
	} {
		if got := hints(c.said); got != c.want {
			t.Errorf("%+v is %+v", c.said, got)
		}
	}
}
