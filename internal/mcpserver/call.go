package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/access"
	"parley/internal/tool"
)

// keyMeta is the key of a call in its _meta. A client that repeats a call whose outcome it
// does not know sends the same one, and the call is made once.
const keyMeta = "parley/key"

// handler makes the calls of a tool that was offered.
func (d *Door) handler(offered tool.Tool) mcp.ToolHandler {
	name, takes := offered.Name, takesTask(offered)
	return func(ctx context.Context, req *mcp.CallToolRequest) (_ *mcp.CallToolResult, err error) {
		defer d.recover(name, &err)
		v := visitOf(req)
		t, ok := tool.Find(d.cfg.Tools(v.caller.Agent), name)
		if !ok { // taken away since the client was offered it
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", name)}
		}
		takes := takes // a schema is read once, not with each call
		if !bytes.Equal(t.Schema, offered.Schema) || t.Contacts != offered.Contacts {
			takes = takesTask(t)
		}
		ctx, cancel := d.whileWanted(ctx, v, t)
		defer cancel()
		var decided string
		if req.Params.InputResponses != nil && t.Name == asking {
			decided, err = d.settle(ctx, req, v)
		} else if ask := d.elicit(ctx, req, v, t); ask != nil {
			return ask, nil
		}
		defer d.reportProgress(ctx, req, v)()
		var res tool.Result
		if err == nil {
			res, err = d.call(ctx, req, v, t, takes)
		}
		if err == nil {
			d.noteSeen(ctx, v, res)
		}
		if decided != "" && err == nil {
			res.Text = decided + "\n\n" + res.Text
		}
		return d.answer(ctx, v, res, err), nil
	}
}

// recover keeps a fault in one call from ending the hub.
func (d *Door) recover(name string, err *error) {
	if p := recover(); p != nil {
		d.cfg.Log.Error("a tool panicked", "tool", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The hub failed; its log has the details."}
	}
}

// noteSeen records what a result shows, unless the client has gone: then it comes again as
// a message. What the inbox hands out is not among it, since the client confirms that.
func (d *Door) noteSeen(ctx context.Context, v *visit, res tool.Result) {
	if v.gone.Err() != nil || len(res.Seen) == 0 && res.Read.Channel == 0 {
		return
	}
	d.cfg.Desk.Shown(v.caller, res.Seen)
	if res.Read.Channel == 0 {
		return
	}
	if err := d.noteRead(ctx, v, res.Read); err != nil {
		d.cfg.Log.Warn("what a client was shown could not be noted", "error", err)
	}
}

func (d *Door) noteRead(ctx context.Context, v *visit, read tool.Reading) error {
	groups, err := d.cfg.Reading.Groups(ctx, v.caller)
	for _, g := range groups {
		if g.ID == read.Channel {
			return d.cfg.Reading.ReadGroup(ctx, v.caller, g.Name, read.Upto)
		}
	}
	return err
}

// errStopping answers the calls that still wait when the hub stops.
var errStopping = parley.Errorf(parley.Unavailable, "The hub is stopping.").WithHint("Try again in a moment.")

// whileWanted ends a call when the hub stops, and one that only reads when its client has
// gone: nobody would get the result. Other calls go on, since they have begun to do
// something.
func (d *Door) whileWanted(ctx context.Context, v *visit, t tool.Tool) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	forget := []func() bool{context.AfterFunc(d.stopping, func() { cancel(errStopping) })}
	if t.Hints.ReadOnly {
		forget = append(forget, context.AfterFunc(v.gone, func() { cancel(context.Cause(v.gone)) }))
	}
	return ctx, func() {
		for _, f := range forget {
			f()
		}
		cancel(nil)
	}
}

// call makes one call by the rules. takesTask is about the tool t.
func (d *Door) call(ctx context.Context, req *mcp.CallToolRequest, v *visit, t tool.Tool, takesTask bool) (_ tool.Result, err error) {
	caller, args := v.caller, req.Params.Arguments
	if takesTask {
		if caller, args, err = d.forTask(ctx, caller, args); err != nil {
			return tool.Result{}, err
		}
	}
	ready := t.Prepare(args)
	if ready.Err != nil {
		return tool.Result{}, ready.Err
	}
	caller.Key = keyOf(req)
	if ready.Action != "" {
		// Where the rules want approval, the very call waits for it.
		ctx = access.WithCall(ctx, t.Name, func() string { return parley.CanonicalArgs(args) })
		if err := d.cfg.Rules.Permit(ctx, caller, ready.Action); err != nil {
			return tool.Result{}, err
		}
	}
	return ready.Run(ctx, tool.Call{Key: caller.Key, Lease: parley.Lease{Team: caller.Team, Agent: caller.Agent, Task: caller.Task}})
}

// keyOf is the call's own key, or one that no other call has.
func keyOf(req *mcp.CallToolRequest) string {
	if key, ok := req.Params.Meta[keyMeta].(string); ok && key != "" {
		return "mcp/" + key
	}
	return "mcp/" + rand.Text()
}

// forTask finds out for which of its tasks the caller makes a call, and takes that out of
// the arguments. A client that holds one task works on it; one that holds several says
// which.
func (d *Door) forTask(ctx context.Context, c access.Caller, args json.RawMessage) (access.Caller, json.RawMessage, error) {
	given, rest, err := takeTask(args)
	if err != nil || given == "none" {
		return c, rest, err
	}
	if given != "" {
		c.Task, err = parley.ParseTaskID(given)
		return c, rest, err
	}
	held, err := d.held(ctx, c)
	switch {
	case err != nil:
		return c, rest, err
	case len(held) == 1:
		c.Task = held[0]
	case len(held) > 1:
		return c, rest, parley.Errorf(parley.Invalid, "You hold several tasks: %s.", join(held)).
			WithHint("Say with %s which of them this is for, or 'none'.", ownTask)
	}
	return c, rest, nil
}

// held are the tasks that the caller works on.
func (d *Door) held(ctx context.Context, c access.Caller) (ids []parley.TaskID, err error) {
	open, err := d.cfg.Desk.Tasks(ctx, c)
	for _, t := range open {
		if t.State == parley.Running {
			ids = append(ids, t.ID)
		}
	}
	return ids, err
}

func join(ids []parley.TaskID) string {
	text := ""
	for i, id := range ids {
		if i > 0 {
			text += ", "
		}
		text += id.String()
	}
	return text
}

// takeTask takes the argument for the door out of those of the tool.
func takeTask(args json.RawMessage) (task string, rest json.RawMessage, err error) {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return "", args, nil // the tool says what is wrong
	}
	raw, given := all[ownTask]
	if !given || string(raw) == "null" {
		if !given {
			return "", args, nil
		}
		raw = json.RawMessage(`""`)
	}
	if json.Unmarshal(raw, &task) != nil {
		return "", args, parley.Errorf(parley.Invalid, "%s is not the id of a task.", ownTask).WithHint("Send one as task-101.")
	}
	delete(all, ownTask)
	rest, err = json.Marshal(all)
	return task, rest, err
}

// answer puts the outcome of a call into the words of the protocol, with how much is
// unread.
func (d *Door) answer(ctx context.Context, v *visit, res tool.Result, err error) *mcp.CallToolResult {
	text, failed := res.Text, false
	if err != nil {
		text, failed = d.failure(ctx, err)
	}
	structured := map[string]any{"text": text, "unread": 0}
	maps.Copy(structured, res.Data)
	shown := text
	if unread, err := d.cfg.Desk.Unread(context.WithoutCancel(ctx), v.caller); err == nil {
		structured["unread"] = unread
		if res.Data["unread"] == nil && unread > 0 {
			shown += "\n\n" + unreadText(unread)
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: shown}}, StructuredContent: structured, IsError: failed}
}

// failure is what a client reads of an error. A contact that waits for approval has not
// failed.
func (d *Door) failure(ctx context.Context, err error) (text string, failed bool) {
	if ctx.Err() != nil && parley.KindOf(err) == parley.Internal {
		err = context.Cause(ctx)
	}
	if need, ok := parley.AsNeedsApproval(err); ok && need.Approval != 0 {
		return parley.Public(err), false
	}
	if parley.KindOf(err) == parley.Internal {
		d.cfg.Log.Error("a tool failed", "error", err)
	}
	return parley.ToolError(err), true
}

func unreadText(n int) string {
	if n == 1 {
		return "[1 message waits for you; wait_for_messages shows it.]"
	}
	return fmt.Sprintf("[%d messages wait for you; wait_for_messages shows them.]", n)
}

// reportProgress tells the client that its call goes on, until it is stopped. It also
// keeps the caller's leases.
func (d *Door) reportProgress(ctx context.Context, req *mcp.CallToolRequest, v *visit) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	token := req.Params.GetProgressToken()
	begun := time.Now()
	timer := time.NewTicker(d.cfg.Progress)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-v.gone.Done():
				return
			case <-timer.C:
			}
			_ = d.cfg.Desk.Touch(ctx, v.caller) // the next one may succeed
			if token != nil {
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token,
					Progress: time.Since(begun).Seconds(), Message: "Still waiting."}) // the client may be gone
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
