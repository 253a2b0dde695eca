package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// childArgument as the first argument makes the program a part of a sandbox. It is
// not a command for people.
const childArgument = "__sandbox"

// job is what such a process has to do.
type job struct {
	Command []string `json:"command"`
	Dir     string   `json:"dir,omitempty"`
	// Input passes standard input on: the command is a server.
	Input bool `json:"input,omitempty"`
	// Wrappers is how many processes of the sandbox's own lie between.
	Wrappers int    `json:"wrappers,omitempty"`
	Limits   Limits `json:"limits,omitzero"`
	// Group is the folder of the control group that the command is started in.
	Group string `json:"group,omitempty"`
	// Confine asks for Landlock with these paths before the command starts.
	Confine bool     `json:"confine,omitempty"`
	Read    []string `json:"read,omitempty"`
	Write   []string `json:"write,omitempty"`
	List    []string `json:"list,omitempty"` // may only be listed
	Network bool     `json:"network,omitempty"`
}

// Child does the work of a sandbox process. The program calls it with its arguments
// before anything else; ours says whether it was such a process.
func Child(args []string) (code int, ours bool) {
	if len(args) != 3 || args[0] != childArgument {
		return 0, false
	}
	var e job
	err := json.Unmarshal([]byte(args[2]), &e)
	if err == nil {
		switch args[1] {
		case "supervise":
			code, err = e.supervise()
		case "enter":
			err = e.enter()
		}
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "sandbox:", err)
		return 126, true
	}
	return code, true
}

// args are the arguments of a process that does the job.
func (e job) args(part string) ([]string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // keeps the argument short
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return []string{childArgument, part, b.String()}, nil
}
