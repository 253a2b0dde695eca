// Package chorustools is the toolset "chorus": agents that send each other
// messages and go on, each message a conversation of its own.
package chorustools

import (
	"parley"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/reading"
	"parley/internal/tool"
	"parley/internal/tool/contacttools"
)

// New makes the toolset.
func New(contacts *contact.Service, read *reading.Service, dir *directory.Directory) []tool.Tool {
	return []tool.Tool{
		sendToAgent(contacts, dir),
		requestFromAgent(contacts, dir),
		listAgents(read),
		contacttools.ReadAgentDocs(read),
		contacttools.ReadInbox(read),
	}
}

// other refuses oneself in this set's words. Whether somebody has the name at all
// is for the contact to say.
func other(dir *directory.Directory, c tool.Call, target string) error {
	if e, err := dir.Find(c.Lease.Team, target); err == nil && e.ID == c.Lease.Agent {
		return parley.ErrOwnAgent()
	}
	return nil
}
