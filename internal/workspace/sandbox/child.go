package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// childWord as the first argument makes the program a part of a sandbox instead
// of what it is otherwise. It is no command for people.
const childWord = "__sandbox"

// errand is what such a process is to do.
type errand struct {
	Command []string `json:"command"`
	Dir     string   `json:"dir"`
	// Confine says to go under Landlock with these paths before the command.
	Confine bool     `json:"confine,omitempty"`
	Read    []string `json:"read,omitempty"`
	Write   []string `json:"write,omitempty"`
	List    []string `json:"list,omitempty"` // to be listed, and no more
	Network bool     `json:"network,omitempty"`
}

// Child does what a process of a sandbox has to do. The program calls it with
// its arguments before anything else; ours says whether it was one.
func Child(args []string) (code int, ours bool) {
	if len(args) != 3 || args[0] != childWord {
		return 0, false
	}
	var e errand
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

// args are those of a process that does the errand.
func (e errand) args(part string) ([]string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it has to fit into an argument
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return []string{childWord, part, b.String()}, nil
}
