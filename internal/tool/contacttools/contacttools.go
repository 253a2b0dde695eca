// Package contacttools is the toolset "contact", which every agent has unless
// its file says otherwise.
package contacttools

import (
	"fmt"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

// New makes the toolset.
func New(contacts *contact.Service, read *reading.Service, dir *directory.Directory) []tool.Tool {
	return []tool.Tool{
		contactAgent(contacts),
		askUser(contacts),
		awaitTask(contacts),
		cancelTask(contacts),
		remind(contacts),
		sleep(contacts, dir),
		messageStatus(read),
		listAgents(read),
		ReadAgentDocs(read),
		queryWorkspace(read),
		sendChannelMessage(contacts, dir),
		readChannel(read),
		searchMessages(read),
		ReadInbox(read),
		readAttachment(read),
	}
}

// Caller is the agent whose turn it is, on the task whose turn it is.
func Caller(c tool.Call) access.Caller {
	caller := access.ForTurn(c.Lease, c.Slot, c.Approved)
	caller.From = c.From
	return caller
}

// TaskAction names for the rules what is done to a task, a message, an approval or a
// question. A text that is no id is refused when the tool runs.
func TaskAction[ID fmt.Stringer](verb, text string, parse func(string) (ID, error)) string {
	id, err := parse(text)
	if err != nil {
		return policy.Action(policy.TaskOp, verb+" ")
	}
	return policy.Action(policy.TaskOp, verb+" "+id.String())
}
