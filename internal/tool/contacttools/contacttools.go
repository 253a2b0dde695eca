// Package contacttools is the toolset "contact", which every agent has unless
// its file says otherwise.
package contacttools

import (
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/directory"
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
		sleep(contacts, dir),
		messageStatus(read),
		listAgents(read),
		ReadAgentDocs(read),
		queryWorkspace(read),
		sendChannelMessage(contacts, dir),
		readChannel(read),
	}
}

// Caller is the agent whose turn it is, on the task whose turn it is.
func Caller(c tool.Call) access.Caller {
	return access.Caller{Team: c.Lease.Team, Agent: c.Lease.Agent, Task: c.Lease.Task, Token: c.Lease.Token, Budget: c.Lease.Budget, Slot: c.Slot,
		Approved: c.Approved}
}
