package reading

import (
	"encoding/json"
	"testing"

	"parley"
)

// What a person approves can be read as it will run, and what cannot is counted.
func TestWhatAnAgentWantsIsReadable(t *testing.T) {
	for _, c := range []struct {
		tool, args, want string
		left             bool
	}{
		{tool: "shell", args: `{"command":"make build && echo \"<b>\" > out2.txt"}`, want: `run make build && echo "<b>" > out2.txt`},
		{tool: "shell", args: `{"command":"make","folder":"sub","timeout_seconds":300}`, want: `run in sub for up to 300 s: make`},
		{tool: "shell", args: `{"command":"printf 'a  b'"}`, want: `run printf 'a b'`, left: true},
		{tool: "shell", args: `{"command":"echo a > x\nrm -r b"}`, want: `use shell {"command":"echo a > x\nrm -r b"}`},
		{tool: "shell", args: `{"command":"ls ` + "\u202e" + `"}`, want: `use shell {"command":"ls \u202e"}`},
		{tool: "shell", args: `{"command":"ls","command":"rm -r b"}`, want: `use shell {"command":"ls","command":"rm -r b"}`},
		{tool: "shell", args: `{"command":"ls","Command":"rm -r b"}`, want: `use shell {"command":"ls","Command":"rm -r b"}`},
		{tool: "shell", args: `{"command":["ls"]}`, want: `use shell {"command":["ls"]}`},
		{tool: "shell", args: `null`, want: `use shell null`},
		{tool: "write_file", args: `{"path":"a.html","content":"<p>&\\u003c"}`, want: `use write_file {"path":"a.html","content":"<p>&\\u003c"}`},
	} {
		canonical := parley.CanonicalArgs(json.RawMessage(c.args))
		a := parley.Approval{}.Of(c.tool, canonical)
		line, left := wants(a, "")
		if line != c.want || left > 0 != c.left {
			t.Errorf("%s %s\nis shown as %s, %d left out\nwant        %s", c.tool, c.args, line, left, c.want)
		}
		if a.Args != canonical || a.Digest != parley.CallDigest(c.tool, canonical) {
			t.Errorf("%s %s: what is stored has changed", c.tool, c.args)
		}
	}
}

func TestAContactWithoutAPatternIsASentenceToo(t *testing.T) {
	a := parley.Approval{}.Of("call_agent", `{"agentId":"Echo","message":"Well?"}`)
	if line, left := wants(a, "Echo"); line != "use call_agent for Echo: Well?" || left != 0 {
		t.Errorf("%s, %d left out", line, left)
	}
}
