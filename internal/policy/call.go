package policy

import (
	"strings"

	"parley"
)

// Categories of actions. An action is tool:<category>:<detail>.
const (
	AgentComm = "agent_comm" // send NAME, read_docs NAME, list, read_inbox
	ChannelOp = "channel"    // send #NAME, read #NAME, read @NAME, read thread-ID, read *
	TaskOp    = "task"       // await ID, cancel ID, remind ID, status ID
	SelfOp    = "self"       // sleep
	KeeperOp  = "keeper"     // offload, retrieve, list, share
	FileRead  = "file_read"
	FileWrite = "file_write"
	Shell     = "shell"
	Memory    = "memory"   // add, rewrite: the agent's own MEMORY.md
	MCP       = "mcp"      // SERVER.TOOL of an outside server
	MCPRead   = "mcp_read" // the same for a tool that is trusted to only read
	Other     = "other"    // tools that do not say what they do
)

// Action names a call for the profiles.
func Action(category, detail string) string { return "tool:" + category + ":" + detail }

// Call is what a participant is about to do: call a tool, or contact somebody through
// any door.
type Call struct {
	// Action is tool:<category>:<detail>. It alone decides whether a call counts as
	// reading or writing, so that no tool can declare one thing and do another.
	Action string
	// To is who is contacted; nil if nobody.
	To *Party
}

// Send is the call that contacts somebody by ask, delegate or notify.
func Send(to *Party) Call { return Call{Action: Action(AgentComm, "send "+to.Name), To: to} }

// Contacting is the call of an action that names its target, with the name as the
// team spells it.
func Contacting(action string, to *Party) Call {
	_, detail := parts(action)
	verb, _, _ := strings.Cut(detail, " ")
	return Call{Action: Action(AgentComm, verb+" "+to.Name), To: to}
}

// CheckAction checks that text has the form of an action.
func CheckAction(text string) error {
	if tool, rest, _ := strings.Cut(text, ":"); tool == "tool" {
		if category, _, found := strings.Cut(rest, ":"); found && category != "" {
			return nil
		}
	}
	return parley.Errorf(parley.Invalid, "%q is not an action.", parley.Clip(text, 80)).
		WithHint("Use 'ask', 'delegate', 'notify', or an action like tool:agent_comm:list.")
}

// Contacted is the name of the target of an action; empty if there is none.
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

// writes reports whether the call changes something. Anything not known to only read
// counts as writing.
func (c Call) writes() bool {
	category, detail := parts(c.Action)
	verb, _, _ := strings.Cut(detail, " ")
	switch category {
	case FileRead, MCPRead:
		return false
	case AgentComm:
		return verb != "list" && verb != "read_docs" && verb != "read_inbox"
	case ChannelOp:
		return verb != "read"
	case TaskOp:
		return verb != "await" && verb != "status" && verb != "remind"
	case KeeperOp:
		return verb != "retrieve" && verb != "list"
	}
	return true
}

// Reads reports whether an action only looks at something: it changes nothing and
// waits for nobody.
func Reads(action string) bool {
	category, _ := parts(action)
	return category != TaskOp && !Call{Action: action}.writes()
}

// touchesWorkspace reports whether the call writes files or runs a shell, which an
// agent in read mode never does. Nobody knows what an outside server does, so its
// tools count too.
func (c Call) touchesWorkspace() bool {
	category, _ := parts(c.Action)
	return category == FileWrite || category == Shell || category == MCP || category == Memory
}

// Party is a participant as the rules see it.
type Party struct {
	Name string
	// Key is the folded name, which rules use; empty for somebody unknown to the hub.
	Key  string
	Kind parley.AgentKind
	// Rules are the participant's own. A person needs none; anyone else without rules
	// may do nothing.
	Rules *Rules
}

// reportsTo reports whether other is p's manager.
func (p *Party) reportsTo(other *Party) bool {
	return p.Rules != nil && p.Rules.Manager != "" && p.Rules.Manager == other.Key
}

// MayApprove reports whether who may decide about what wants asks for: a person may,
// and so may the manager, of whatever kind, unless it is left to people; never
// wants itself.
func MayApprove(who, wants *Party, peopleOnly bool) bool {
	if who.Key == "" || who.Key == wants.Key {
		return false
	}
	return who.Kind == parley.Person || !peopleOnly && wants.reportsTo(who)
}
