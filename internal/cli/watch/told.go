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
	detail, _, _ := strings.Cut(oneLine(e.Detail), " [rule: ")
	word := func(verb string, look style, text string) (entry, bool) {
		out.verb, out.look = verb, look
		if text != "" {
			out.text = text
		}
		return out, true
	}
	switch kind := parley.EventKind(e.Kind); kind {
	case parley.EventTask:
		if place, ok := strings.CutPrefix(detail, "mention in "); ok {
			out.place = "in " + place
			return word("mentions", cyan, "")
		}
		return word(opening(detail), cyan, "")
	case parley.EventMessage:
		if place, posted := strings.CutPrefix(detail, "post in "); posted {
			out.to = place
			return word("posts in", blue, "")
		}
		return word("tells", blue, "")
	case parley.EventCompleted:
		out.words = out.text
		return word("answers", green, "")
	case parley.EventFailed:
		out.to = "" // its requester
		return word("has failed", red, detail)
	case parley.EventCancelled:
		return word("cancelled", red, detail)
	case parley.EventProgress:
		return word("is at", blue, detail)
	case parley.EventWaiting:
		if detail == "approval" || detail == "answer" {
			return entry{}, false // what it waits for is told already
		}
		out.to = "" // its requester, who waits too
		out.words = out.text
		return word("waits for "+waitedFor(detail), yellow, "")
	case parley.EventProviderBusy:
		provider, why, _ := strings.Cut(detail, ": ")
		out.to = ""
		return word("waits for "+provider, yellow, why)
	case parley.EventProviderAnswered:
		provider, after, _ := strings.Cut(detail, ", ")
		out.to = ""
		return word("goes on", green, strings.TrimSpace(provider+" answers again "+after))
	case parley.EventTimeout:
		return word("waits no longer for", yellow, "")
	case parley.EventRefused, parley.EventToolRefused, parley.EventDenied:
		return word("refused", red, detail)
	case parley.EventStatus:
		out.who, out.to = out.to, ""
		return word("is "+detail, yellow, "")
	}
	if parley.EventKind(e.Kind) == parley.EventRescued { // nobody did it
		out.who, out.to = out.to, ""
	}
	return more(e.Kind, detail, word)
}

// more is said for what happens less often.
func more(kind, detail string, word func(verb string, look style, text string) (entry, bool)) (entry, bool) {
	switch parley.EventKind(kind) {
	case parley.EventApprovalRequested:
		return word("wants approval", yellow, detail)
	case parley.EventApprovalApproved:
		return word("approved", green, detail)
	case parley.EventApprovalDenied, parley.EventApprovalExpired, parley.EventApprovalWithdrawn:
		return word(strings.TrimPrefix(kind, "approval."), red, detail)
	case parley.EventBudgetSpent, parley.EventDaySpent:
		return word("budget spent", yellow, detail)
	case parley.EventPaused, parley.EventResumed:
		return word(strings.TrimPrefix(kind, "team."), yellow, detail)
	case parley.EventRescued:
		if strings.HasSuffix(detail, " is not connected") {
			return word("is not connected, so its task waits again", yellow, "")
		}
		return word("goes on after a lost worker", yellow, detail)
	case parley.EventWindow:
		return word("learned the limit of its model", yellow, detail)
	case parley.EventUndone:
		return word("took back changes of", yellow, detail)
	case parley.EventRule:
		return word("changed a rule of", yellow, detail)
	}
	return entry{}, false
}

// waitedFor says what a task waits for, in words.
func waitedFor(detail string) string {
	switch n, open := strings.CutSuffix(detail, " open"); {
	case open && n == "1":
		return "1 task"
	case open:
		return n + " tasks"
	}
	return detail
}

// opening says how a task began, up to the name of whom it is for.
func opening(detail string) string {
	switch detail {
	case "ask", "question":
		return "asks"
	case "answer":
		return "answers a question of"
	case "delegate":
		return "hands work to"
	case string(parley.ApprovalRequestMessage):
		return "needs a decision of"
	}
	if task, ok := strings.CutPrefix(detail, "resume of "); ok {
		return "resumes " + task + " with"
	}
	if task, ok := strings.CutPrefix(detail, "retry of "); ok {
		return "retries " + task + " with"
	}
	return detail
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
