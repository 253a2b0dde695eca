package step

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

// rows are those of a turn, each stored a second after the one before.
func rows(contents ...string) (list []parley.Step) {
	for i, c := range contents {
		kind, content, _ := strings.Cut(c, " ")
		list = append(list, parley.Step{Task: 101, Turn: 1, N: i + 1, Kind: parley.StepKind(kind), Content: []byte(content),
			At: parley.Micros((i + 1) * 1e6), Spent: parley.Spending{Active: time.Minute}})
	}
	return list
}

func read(list []parley.Step) (out []string) {
	var r Reader
	for _, row := range list {
		for _, s := range r.Read(row) {
			line := fmt.Sprintf("%s %s %s", s.ID(), s.Kind, s.Line)
			if s.Took > 0 {
				line += " " + s.Took.String()
			}
			if s.Failed {
				line += " failed"
			}
			out = append(out, line)
		}
	}
	now, _ := r.Now()
	return append(out, now)
}

func TestATurnIsRead(t *testing.T) {
	got := read(rows(
		`reply {"prompt": {"open": 2}, "text": "I look.", "calls": [{"id": "a", "name": "read_file", "args": {"path": "x.go"}},
			{"id": "b", "name": "grep", "args": {"pattern": "func"}}, {"id": "c", "name": "shell", "args": {"command": "go test"}}]}`,
		`result {"call": "a", "text": "package x"}`,
		`result {"call": "b", "text": "x.go:1"}`,
		`call {"call": "c"}`,
		`result {"call": "c", "text": "exit code 1", "exit": 1}`,
		`inbox {"upto": 1}`,
		`reply {"calls": [{"id": "d", "name": "contact_agent", "args": {"action": "ask", "agentId": "Eve", "message": "Well?"}}]}`,
		`held {"call": "d", "approval": 7, "text": "held"}`,
		`result {"call": "d", "text": "Error: no", "error": true}`,
		`away {"keepers": [{"id": 3, "topic": "old things", "count": 8}]}`,
		`future {}`,
		`reply {"text": "{", "rejected": "It ends too soon."}`,
		`reply {"calls": [{"id": "e", "name": "outside__find", "args": {"q": 1}}, {"id": "f", "name": "contact_agent", "args": [1]}]}`,
	))
	want := []string{
		"task-101.1.1.begin begin begins, 2 subtasks open",
		"task-101.1.1 reply says: I look. 1m0s",
		"task-101.1.1.a call reads x.go",
		"task-101.1.1.b call searches for func",
		"task-101.1.1.c call runs go test",
		"task-101.1.2 result reads x.go 1s",
		"task-101.1.3 result searches for func → x.go:1 2s",
		"task-101.1.5 result runs go test → exit code 1 1s failed",
		"task-101.1.6 told is told what came back",
		"task-101.1.7 reply calls contact_agent 1s",
		"task-101.1.7.d call asks Eve: Well?",
		"task-101.1.8 wait waits for approval-7 to go on: asks Eve: Well?",
		"task-101.1.9 result asks Eve: Well? → failed: Error: no 1s failed",
		"task-101.1.10 told puts 8 messages away in keeper-3: old things",
		"task-101.1.12 reply replies with what cannot be used: It ends too soon. 1s failed",
		"task-101.1.13 reply calls outside__find, contact_agent 1s",
		`task-101.1.13.e call calls outside__find {"q":1}`,
		"task-101.1.13.f call calls contact_agent",
		`calls outside__find {"q":1}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a turn does after each of its rows.
func TestNow(t *testing.T) {
	list := rows(
		`prompt {}`,
		`reply {"calls": [{"id": "a", "name": "contact_agent", "args": {"action": "ask", "agentId": "Eve", "message": "Well?"}}, {"id": "b", "name": "write_file", "args": {"path": "x.go", "content": ""}}]}`,
		`result {"call": "a", "text": "Yes."}`,
		`held {"call": "b", "approval": 7, "text": "held"}`,
		`result {"call": "b", "text": "Changed x.go"}`,
	)
	var got []string
	var r Reader
	for _, row := range list {
		r.Read(row)
		line, since := r.Now()
		got = append(got, fmt.Sprintf("%s since %d", line, since/1e6))
	}
	want := []string{"thinks since 1", "waits for Eve since 2", "writes x.go since 3", "waits for approval-7 since 4", "thinks since 5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
