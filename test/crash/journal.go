package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"parley"
)

// note is one line of what a member wrote down before it did it. What is "wait": it waits
// for messages. "item": it was handed something. "work": it took a step outside of the hub
// for a task. "sub": it delegated. "done": it was told that a task has ended.
type note struct {
	What    string `json:"what"`
	Message string `json:"message,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Task    string `json:"task,omitempty"`
	Again   bool   `json:"again,omitempty"`
	Sub     string `json:"sub,omitempty"`
	Text    string `json:"text,omitempty"`
}

type journal []note

// readJournal reads what a member wrote down. The last line may be cut.
func readJournal(file string) (j journal, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(text) {
		var n note
		if json.Unmarshal(line, &n) == nil {
			j = append(j, n)
		}
	}
	return j, err
}

func (m *outsider) journal() journal {
	m.g.Helper()
	j, err := readJournal(m.file)
	if err != nil {
		m.g.Fatal(err)
	}
	return j
}

// waits reports whether the last thing that the member did was to wait. It is asked
// often, so only the last line is decoded.
func (m *outsider) waits() bool {
	m.g.Helper()
	text, err := os.ReadFile(m.file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.g.Fatal(err)
	}
	var last note
	text = bytes.TrimSuffix(text, []byte("\n"))
	return json.Unmarshal(text[bytes.LastIndexByte(text, '\n')+1:], &last) == nil && last.What == inWait
}

// count counts notes of a kind.
func (j journal) count(what string, again bool) (n int) {
	for _, one := range j {
		if one.What == what && one.Again == again {
			n++
		}
	}
	return n
}

// compare holds what a member wrote down against what is stored: whatever came more than
// once was marked, so nothing was done twice in good faith; every task of the member was
// done by it; everything for it counts as seen.
func (j journal) compare(r *record, name string) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	fresh, worked := map[string]int{}, map[string]int{}
	for _, n := range j {
		if n.What == "work" {
			worked[n.Task]++
		}
		if !n.Again && (n.What == "item" || n.What == "work") {
			fresh[n.What+" "+n.Task+" "+n.Message]++
		}
	}
	for what, times := range fresh {
		if times > 1 {
			wrong("%s: %s came %d times as if it were new", name, what, times)
		}
	}
	for _, t := range r.tasks {
		id := parley.TaskID(t.id).String()
		if r.agents[t.agent] == name && worked[id] == 0 {
			wrong("%s never worked on %s, which is %s", name, id, t.state)
		}
		if r.agents[t.agent] == name {
			delete(worked, id)
		}
	}
	for id := range worked {
		wrong("%s worked on %s, which is not its own", name, id)
	}
	for id, list := range r.deliveries {
		for _, d := range list {
			// The closing text of a subtask is handed out as the result that repeats it.
			if r.agents[d.recipient] == name && d.seen == 0 && r.messages[id].kind != string(parley.ReplyMessage) {
				wrong("message %d for %s does not count as seen", id, name)
			}
		}
	}
	return problems
}
