// Package desktools is the toolset "inbox" of those who work outside of the hub: client
// agents and people. With it they fetch their messages and finish what they were asked
// for. No rule is asked about that, since it is their own.
package desktools

import (
	"encoding/json"

	"parley"
	"parley/internal/access"
	"parley/internal/desk"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

// New makes the toolset.
func New(d *desk.Service) []tool.Tool {
	return []tool.Tool{
		waitForMessages(d),
		readInbox(d),
		reply(d),
		ack(d),
		taskComplete(d),
		taskFail(d),
		taskUpdate(d),
		myTasks(d),
	}
}

// caller is who calls. The key makes a repeated call find what the first one did.
func caller(c tool.Call) access.Caller {
	who := contacttools.Caller(c)
	if who.Token == 0 {
		who.Key = c.Key
	}
	return who
}

// taskData says to a program which task a call was about.
func taskData(id parley.TaskID) map[string]any { return map[string]any{"task": id.String()} }

var taskOutput = json.RawMessage(`{"properties":{"task":{"type":"string","description":"The task."}}}`)
