package jsonaction

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
)

// maxReply bounds how much of a reply is searched for actions, and maxObjects
// how many objects.
const (
	maxReply   = 1 << 20
	maxObjects = 64
)

// Parse reads the actions in a reply. If there is none, or one that cannot be
// understood, the reply is rejected. Its text is kept, so that the model sees
// what it wrote.
func Parse(text string, tools []model.Tool) model.Reply {
	reply, err := parse(text, tools)
	if err != nil {
		return model.Reply{Text: parley.Clip(text, 4000), Rejected: "FORMAT ERROR: " + err.Error() + "."}
	}
	return reply
}

func parse(text string, tools []model.Tool) (model.Reply, error) {
	if len(text) > maxReply {
		return model.Reply{}, fmt.Errorf("the reply is longer than %d bytes. Answer with one JSON object", maxReply)
	}
	found, broken := objects(text)
	var reply model.Reply
	var messages []string
	actions := 0
	for _, o := range found {
		a, err := actionOf(o, tools)
		switch {
		case err == errNoAction && len(found) > 1: // an example, a quotation
			continue
		case err != nil:
			return reply, err
		case a.call != nil:
			a.call.ID = fmt.Sprintf("call-%d", len(reply.Calls)+1)
			reply.Calls = append(reply.Calls, *a.call)
		default:
			messages = append(messages, a.message)
		}
		actions++
	}
	switch {
	case actions > 0 && !broken:
		reply.Text = strings.Join(messages, "\n\n")
		return reply, nil
	case broken:
		return model.Reply{}, errors.New("the JSON object cannot be read. Look for a missing quote, comma or brace")
	case len(found) > 0:
		return model.Reply{}, errNoAction
	}
	return model.Reply{}, errors.New(`there is no JSON object in the reply. To answer, write {"action": "respond", "message": "…"}`)
}

// action is a message that ends the turn, or a call.
type action struct {
	message string
	call    *model.Call
}

type fields map[string]json.RawMessage

var errNoAction = errors.New(`the object has no "action". It is one of respond, done, tool_call, call_agent, ask_user`)

// actionOf says what an object means.
func actionOf(o fields, tools []model.Tool) (action, error) {
	name := o.text("action")
	switch name {
	case "respond", "done":
		return o.closing(name)
	case "tool_call":
		return o.toolCall(o.text("tool", "name"))
	case "call_agent", "ask_user":
		return o.verb(name)
	case "":
		// Many models write a tool's name and its arguments instead.
		if tool := o.text("tool", "name"); isTool(tool, tools) {
			return o.toolCall(tool)
		}
		return action{}, errNoAction
	}
	if isTool(name, tools) {
		return o.toolCall(name)
	}
	return action{}, fmt.Errorf("there is no action %q. There are respond, done, tool_call, call_agent and ask_user", parley.Clip(name, 60))
}

func isTool(name string, tools []model.Tool) bool {
	return slices.ContainsFunc(tools, func(t model.Tool) bool { return t.Name == name })
}

func (o fields) closing(name string) (action, error) {
	message := o.text("message", "text", "content", "result")
	if strings.TrimSpace(message) == "" {
		return action{}, fmt.Errorf(`%s needs a "message" with text`, name)
	}
	return action{message: message}, nil
}

// toolCall calls a tool. Whether it exists and takes the arguments is for the
// tool to say.
func (o fields) toolCall(tool string) (action, error) {
	if tool == "" {
		return action{}, errors.New(`tool_call needs a "tool", the name of one of your tools`)
	}
	for _, name := range []string{"args", "arguments", "parameters", "input"} {
		if args, ok := o[name]; ok && !bytes.Equal(args, []byte("null")) {
			return action{call: &model.Call{Name: tool, Args: args}}, nil
		}
	}
	return action{call: &model.Call{Name: tool, Args: json.RawMessage("{}")}}, nil
}

// verb is an action that is a tool itself. Its fields are the arguments, unless
// they are where those of tool_call are.
func (o fields) verb(name string) (action, error) {
	if _, ok := o["args"]; ok {
		return o.toolCall(name)
	}
	args := fields{}
	for field, value := range o {
		if field != "action" && field != "id" {
			args[field] = value
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return action{}, fmt.Errorf("the fields of %s cannot be read", name)
	}
	return action{call: &model.Call{Name: name, Args: raw}}, nil
}

// text is the first of the fields that is present and is text.
func (o fields) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(o[name], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}
