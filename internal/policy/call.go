package policy

import (
	"strings"

	"parley"
)

// Categories of actions. An action is tool:<category>:<detail>.
const (
	AgentComm = "agent_comm" // send NAME, read_docs NAME, list
	ChannelOp = "channel"    // send #NAME, read #NAME
	TaskOp    = "task"       // await ID, cancel ID, status ID
	SelfOp    = "self"       // sleep
	KeeperOp  = "keeper"     // offload, retrieve, list, share
	FileRead  = "file_read"
	FileWrite = "file_write"
	Shell     = "shell"
	MCP       = "mcp"      // SERVER.TOOL of an outside server
	MCPRead   = "mcp_read" // the same, by a tool that is trusted to read only
	Other     = "other"    // tools that do not say what they do
)

// Action names a call for the profiles.
func Action(category, detail string) string { return "tool:" + category + ":" + detail }

// Call is what a participant is about to do: to call a tool, or to contact
// somebody through any door.
type Call struct {
	// Action is tool:<category>:<detail>. What it does to the world follows from
	// it, so that no tool can say one thing and do another.
	Action string
	// To is whom it contacts; nil if nobody.
	To *Party
}

// Send is a contact by ask, delegate or notify.
func Send(to *Party) Call { return Call{Action: Action(AgentComm, "send "+to.Name), To: to} }

// Contacting is an action that names whom it contacts, with the name as it is
// spelled in the team.
func Contacting(action string, to *Party) Call {
	_, detail := parts(action)
	verb, _, _ := strings.Cut(detail, " ")
	return Call{Action: Action(AgentComm, verb+" "+to.Name), To: to}
}

// CheckAction says whether text has the form of an action.
func CheckAction(text string) error {
	if tool, rest, _ := strings.Cut(text, ":"); tool == "tool" {
		if category, _, found := strings.Cut(rest, ":"); found && category != "" {
			return nil
		}
	}
	return parley.Errorf(parley.Invalid, "%q is not an action.", parley.Clip(text, 80)).
		WithHint("Use 'ask', 'delegate', 'notify', or an action like tool:agent_comm:list.")
}

// Contacted is the name of whom an action contacts; empty if nobody.
func Contacted(action string) string {
	category, detail := parts(action)
	verb, name, _ := strings.Cut(detail, " ")
	if category == AgentComm && (verb == "send" || verb == "read_docs") {
		return strings.TrimSpace(name)
	}
	return ""
}

func parts(action string) (category, detail string) {
	category, detail, _ = strings.Cut(strings.TrimPrefix(action, "tool:"), ":")
	return category, detail
}

// writes reports whether the call changes something. What is not known to read
// only does.
func (c Call) writes() bool {
	category, detail := parts(c.Action)
	verb, _, _ := strings.Cut(detail, " ")
	switch category {
	case FileRead, MCPRead:
		return false
	case AgentComm:
		return verb != "list" && verb != "read_docs"
	case ChannelOp:
		return verb != "read"
	case TaskOp:
		return verb != "await" && verb != "status"
	case KeeperOp:
		return verb != "retrieve" && verb != "list"
	}
	return true
}

// Reads reports whether an action only looks at something that is there: it
// changes nothing and waits for nobody.
func Reads(action string) bool {
	category, _ := parts(action)
	return category != TaskOp && !Call{Action: action}.writes()
}

// workspace reports whether the call writes files or runs a shell, which an
// agent in read mode never does. Nobody knows what an outside server does, so it
// counts as one that may.
func (c Call) workspace() bool {
	category, _ := parts(c.Action)
	return category == FileWrite || category == Shell || category == MCP
}

// Party is a participant as the rules see it.
type Party struct {
	Name string
	// Key is the folded name, by which rules name it; empty for somebody whom the
	// hub does not know.
	Key  string
	Kind parley.AgentKind
	// Rules are its own. A person needs none; anyone else whose rules the hub
	// does not have may do nothing.
	Rules *Rules
}

// reportsTo reports whether the other is its manager.
func (p *Party) reportsTo(other *Party) bool {
	return p.Rules != nil && p.Rules.Manager != "" && p.Rules.Manager == other.Key
}

// MayApprove reports whether a participant decides about what another wants: a
// person does, and the other's manager of whatever kind; never the other itself.
func MayApprove(who, wants *Party) bool {
	if who.Key == "" || who.Key == wants.Key {
		return false
	}
	return who.Kind == parley.Person || wants.reportsTo(who)
}
