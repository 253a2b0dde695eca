package watch

import (
	"strings"
	"time"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// said makes an entry of an event of the record, if it means anything to a reader.
func said(e Said) (entry, bool) {
	out := entry{id: "event " + e.Cursor, at: e.At, who: oneLine(e.Actor), to: oneLine(e.Target), task: e.Task, message: e.Message, text: oneLine(e.Text)}
	if e.Cursor == "" {
		out.id = ""
	}
	kind := parley.EventKind(e.Kind)
	t, ok := parley.TellEvent(kind, oneLine(e.Detail))
	look, known := looks[kind]
	if !ok || !known {
		return entry{}, false
	}
	out.verb, out.look = t.Verb, look
	if t.OfTarget {
		out.who = out.to
	}
	switch {
	case t.Alone:
		out.to = t.Place
	case t.Place != "":
		out.place = "in " + t.Place
	}
	if t.Text != "" {
		out.text = t.Text
	}
	if kind == parley.EventCompleted || kind == parley.EventWaiting {
		out.words = out.text
	}
	return out, true
}

// looks are the colours of events. Those without one are not shown: what is asked with a
// question is told with the tasks that it opens.
var looks = map[parley.EventKind]style{
	parley.EventTask: cyan, parley.EventMessage: blue, parley.EventProgress: blue, parley.EventCompleted: green, parley.EventFailed: red,
	parley.EventCancelled: red, parley.EventWaiting: yellow, parley.EventProviderBusy: yellow, parley.EventProviderAnswered: green,
	parley.EventTimeout: yellow, parley.EventRefused: red, parley.EventToolRefused: red, parley.EventDenied: red, parley.EventStatus: yellow,
	parley.EventApprovalRequested: yellow, parley.EventApprovalApproved: green, parley.EventApprovalDenied: red, parley.EventApprovalExpired: red,
	parley.EventApprovalWithdrawn: red, parley.EventBudgetSpent: yellow, parley.EventDaySpent: yellow, parley.EventPaused: yellow,
	parley.EventResumed: yellow, parley.EventRescued: yellow, parley.EventWindow: yellow, parley.EventUndone: yellow, parley.EventRule: yellow,
	parley.EventScheduleMade: cyan, parley.EventScheduleMissed: red, parley.EventSchedulePaused: yellow, parley.EventScheduleResumed: yellow,
	parley.EventReminderSet: yellow, parley.EventReminded: yellow, parley.EventNudged: yellow,
	parley.EventChatLinked: green, parley.EventChatUnlinked: yellow, parley.EventChatStranger: yellow, parley.EventChatEdited: yellow, parley.EventChatDeleted: yellow, parley.EventChatGivenUp: red,
}

// stepped makes an entry of a step, if it says more than the record does.
func stepped(s api.Step) (entry, bool) {
	e := entry{id: "step " + s.ID, at: s.At, who: oneLine(s.Agent), text: oneLine(s.Line), task: s.Task, whole: clip(s.Text, keepText)}
	if s.ID == "" {
		e.id = ""
	}
	switch s.Kind {
	case api.StepReply:
		e.words = oneLine(s.Text)
		if e.words == "" { // only calls, which come next
			return e, s.Failed
		}
	case api.StepCall:
		e.open, e.look = true, cyan
		if inRecord(s.Tool) {
			return e, false
		}
	case api.StepResult:
		e.result = true
		if inRecord(s.Tool) && !s.Failed {
			return e, false
		}
	default:
		return e, false
	}
	if s.Failed {
		e.look = red
	}
	e.aside = asideOf(s)
	return e, e.text != ""
}

// inRecord reports whether what a tool does is an entry of the record too, which says
// more: to whom, and with which task.
func inRecord(tool string) bool {
	switch tool {
	case "contact_agent", "ask_user", "call_agent", "send_to_agent", "request_from_agent", "send_channel_message":
		return true
	}
	return strings.HasPrefix(tool, "peer_") && tool != "peer_claim_region"
}

// asideOf is how long a step took and what it cost.
func asideOf(s api.Step) string {
	var parts []string
	if s.Took >= 100*time.Millisecond {
		parts = append(parts, view.Duration(s.Took))
	}
	if s.Cost > 0 {
		parts = append(parts, view.Dollars(s.Cost))
	}
	return strings.Join(parts, " ")
}

// clip keeps the beginning of a text, and says that there is more.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "\n\n(The rest is left out here; parley task show TASK --full shows it.)"
}
