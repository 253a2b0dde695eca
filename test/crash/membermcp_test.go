package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// worker is a member that speaks MCP. testdata/member.mjs does the same in TypeScript.
//
// One that remembers gives cursors back, delegates, and takes the results as messages; its
// file tells it after a restart where it was. One that forgets does one thing at a time and
// gives no cursor back, so that what it has not ended comes again; it asks.
type worker struct {
	remembers bool
	session   *mcp.ClientSession
	cursor    string

	notes journal
}

// runMember works until it is killed.
func runMember(remembers bool) {
	for {
		w := &worker{remembers: remembers}
		if err := w.run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		breathe(context.Background())
	}
}

type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+os.Getenv("PARLEY_TOKEN"))
	return http.DefaultTransport.RoundTrip(r)
}

// run connects and works until something fails.
func (w *worker) run(ctx context.Context) (err error) {
	if w.notes, err = readJournal(os.Getenv("MEMBER_FILE")); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "member", Version: "1"}, nil)
	w.session, err = client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Getenv("PARLEY_URL") + "/mcp",
		HTTPClient: &http.Client{Transport: bearer{}}, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return err
	}
	defer w.session.Close()
	for {
		if w.remembers {
			if err := w.goOn(ctx); err != nil {
				return err
			}
		}
		if err := w.wait(ctx); err != nil {
			return err
		}
	}
}

// write adds a line to the member's file.
func (w *worker) write(n note) error {
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	w.notes = append(w.notes, n)
	return enter(os.Getenv("MEMBER_FILE"), string(line)+"\n")
}

// call calls a tool and decodes what it returns for programs.
func (w *worker) call(ctx context.Context, name, key string, args map[string]any, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	res, err := w.session.CallTool(ctx, &mcp.CallToolParams{Meta: mcp.Meta{"parley/key": key}, Name: name, Arguments: args})
	if err != nil {
		return err
	}
	text, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return err
	}
	if res.IsError {
		return fmt.Errorf("%s: %s", name, text)
	}
	return json.Unmarshal(text, out)
}

// wait waits for messages and works on them.
func (w *worker) wait(ctx context.Context) error {
	if err := w.write(note{What: "wait"}); err != nil {
		return err
	}
	args := map[string]any{"wait_seconds": 1}
	if !w.remembers {
		args["limit"] = 1
	}
	if w.cursor != "" {
		args["cursor"] = w.cursor
	}
	var batch struct {
		Items  []note
		Cursor string
	}
	if err := w.call(ctx, "wait_for_messages", "", args, &batch); err != nil {
		return err
	}
	for _, i := range batch.Items {
		i.What = "item"
		if err := w.write(i); err != nil {
			return err
		}
	}
	if w.remembers {
		w.cursor = batch.Cursor // they are on file
		return nil
	}
	for _, i := range batch.Items {
		if err := w.doNow(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// jobNumber finds what a request is for.
func jobNumber(text string) string { return regexp.MustCompile(`#[a-z0-9-]+`).FindString(text) }

var ignore struct{}

// doNow does all that an item asks for.
func (w *worker) doNow(ctx context.Context, i note) error {
	if i.Task == "" {
		return w.call(ctx, "ack", "", map[string]any{"messages": []string{i.Message}}, &ignore)
	}
	if err := w.write(note{What: "work", Task: i.Task, Again: i.Again}); err != nil {
		return err
	}
	n := jobNumber(i.Text)
	var answer struct{ Text string }
	err := w.call(ctx, "contact_agent", i.Task+" Ned", map[string]any{"action": "ask", "agentId": "Ned", "message": "part " + n, "task_id": i.Task}, &answer)
	if err != nil {
		return err
	}
	return w.end(ctx, i.Task, "checked "+n+": "+strings.TrimPrefix(answer.Text, "Response from Ned: "))
}

func (w *worker) end(ctx context.Context, task, result string) error {
	if err := w.call(ctx, "task_complete", task+" end", map[string]any{"task_id": task, "result": result}, &ignore); err != nil {
		return err
	}
	return w.write(note{What: "done", Task: task})
}

// goOn does what is to be done by what is on file.
func (w *worker) goOn(ctx context.Context) error {
	for _, i := range slices.Clone(w.notes) {
		if i.What != "item" || i.Task == "" || w.has("done", i.Task) {
			continue
		}
		if err := w.goOnWith(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) has(what, task string) bool {
	return slices.ContainsFunc(w.notes, func(n note) bool { return n.What == what && n.Task == task })
}

// goOnWith delegates what is not delegated yet, and ends the task when both results are
// there.
func (w *worker) goOnWith(ctx context.Context, i note) error {
	if !w.has("work", i.Task) {
		if err := w.write(note{What: "work", Task: i.Task, Again: i.Again}); err != nil {
			return err
		}
	}
	n := jobNumber(i.Text)
	var parts []string
	for _, to := range []struct{ name, message string }{{"Cal", "part " + n}, {"Max", "check " + n}} {
		sub, err := w.delegated(ctx, i.Task, to.name, to.message)
		if err != nil {
			return err
		}
		if text, ok := w.resultOf(sub); ok {
			parts = append(parts, text)
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return w.end(ctx, i.Task, "gathered "+n+": "+strings.Join(parts, ", "))
}

// delegated delegates once and returns the subtask.
func (w *worker) delegated(ctx context.Context, task, to, message string) (string, error) {
	for _, n := range w.notes {
		if n.What == "sub" && n.Task == task && n.Text == to {
			return n.Sub, nil
		}
	}
	var made struct{ Text string }
	err := w.call(ctx, "contact_agent", task+" "+to, map[string]any{"action": "delegate", "agentId": to, "message": message, "task_id": task}, &made)
	if err != nil {
		return "", err
	}
	sub := regexp.MustCompile(`task-[0-9]+`).FindString(made.Text)
	return sub, w.write(note{What: "sub", Task: task, Sub: sub, Text: to})
}

// resultOf finds the result of a subtask among what came.
func (w *worker) resultOf(sub string) (string, bool) {
	for _, n := range w.notes {
		if head, text, ok := strings.Cut(n.Text, "\n"); ok && n.Kind == "delegation_result" && strings.HasSuffix(head, "| "+sub+"]") {
			return text, true
		}
	}
	return "", false
}
