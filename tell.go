package parley

import "strings"

// Telling is an event in words, as a sentence without its names: who, the verb, whom,
// and what is added. The page and the live view of the command line say it alike.
type Telling struct {
	Verb  string
	Place string // the channel that it happened in
	Text  string // what is added; empty if the message or nothing says more
	// Alone says that no target is named: it is the place instead, or nobody whom the
	// sentence is about. OfTarget says that it is about the target, which nobody moved.
	Alone, OfTarget bool
}

// TellEvent puts an event into words; ok is false if it means nothing to a reader.
func TellEvent(kind EventKind, detail string) (t Telling, ok bool) {
	detail, _, _ = strings.Cut(detail, " [rule: ")
	switch kind {
	case EventTask:
		return tellTask(detail), true
	case EventMessage:
		if place, posted := strings.CutPrefix(detail, "post in "); posted {
			return Telling{Verb: "posts in", Place: place, Alone: true}, true
		}
		return Telling{Verb: "tells"}, true
	case EventCompleted:
		return Telling{Verb: "answers"}, true
	case EventFailed:
		return Telling{Verb: "has failed", Text: detail, Alone: true}, true
	case EventWaiting:
		// For an approval or an answer, what it waits for is told already.
		return Telling{Verb: "waits for " + waitedFor(detail), Alone: true}, detail != "approval" && detail != "answer"
	case EventTimeout:
		return Telling{Verb: "waits no longer for"}, true
	case EventStatus:
		return Telling{Verb: "is " + detail, Alone: true, OfTarget: true}, true
	case EventReminded, EventNudged:
		return Telling{Verb: "is reminded of a task", Text: "it " + detail, Alone: true, OfTarget: true}, true
	case EventRescued:
		return tellRescued(detail), true
	case EventProviderBusy:
		provider, why, _ := strings.Cut(detail, ": ")
		return Telling{Verb: "waits for " + provider, Text: why, Alone: true}, true
	case EventProviderAnswered:
		provider, after, _ := strings.Cut(detail, ", ")
		return Telling{Verb: "goes on", Text: strings.TrimSpace(provider + " answers again " + after), Alone: true}, true
	}
	if verb, ok := targetVerbs[kind]; ok {
		return Telling{Verb: verb, Text: detail, Alone: true, OfTarget: true}, true
	}
	if verb, ok := aloneVerbs[kind]; ok {
		return Telling{Verb: verb, Text: detail, Alone: true}, true
	}
	verb, ok := eventVerbs[kind]
	return Telling{Verb: verb, Text: detail}, ok
}

// eventVerbs are those of events whose detail is said after them.
var eventVerbs = map[EventKind]string{
	EventCancelled: "cancelled", EventProgress: "is at", EventRefused: "was refused", EventToolRefused: "was refused", EventDenied: "was refused",
	EventApprovalRequested: "wants approval", EventApprovalApproved: "approved", EventApprovalDenied: "denied",
	EventApprovalExpired: "got no decision", EventApprovalWithdrawn: "needs no decision any more",
	EventBudgetSpent: "has spent its budget", EventDaySpent: "has spent the day's budget", EventPaused: "paused the team", EventResumed: "resumed the team",
	EventWindow: "learned the limit of its model", EventUndone: "took back changes of", EventRule: "changed a rule of",
	EventQuestionAsked: "asks", EventQuestionForwarded: "passes the question on to", EventKept: "put away",
	EventSchedulePaused: "paused the schedule of", EventScheduleResumed: "resumed the schedule of", EventReminderSet: "set a reminder for a task of",
	EventChatUnlinked: "unlinked an account of",
}

// targetVerbs are those of what happens to the target, which nobody did.
var targetVerbs = map[EventKind]string{
	EventScheduleMade: "works by its schedule", EventScheduleMissed: "missed what was due",
}

// aloneVerbs are those of events that are about nobody but the one who acts.
var aloneVerbs = map[EventKind]string{
	EventChatLinked: "linked an account", EventChatStranger: "a stranger writes in a chat",
	EventChatEdited: "changed a message", EventChatDeleted: "deleted a message", EventChatGivenUp: "gave something up in a chat",
}

// tellTask says how a task began, up to the name of whom it is for.
func tellTask(detail string) Telling {
	if place, ok := strings.CutPrefix(detail, "mention in "); ok {
		return Telling{Verb: "mentions", Place: place}
	}
	if task, ok := strings.CutPrefix(detail, "resume of "); ok {
		return Telling{Verb: "resumes " + task + " with"}
	}
	if task, ok := strings.CutPrefix(detail, "retry of "); ok {
		return Telling{Verb: "retries " + task + " with"}
	}
	switch detail {
	case "ask", "question":
		detail = "asks"
	case "answer":
		detail = "answers a question of"
	case "send":
		detail = "writes to"
	case "delegate":
		detail = "hands work to"
	case "mention":
		detail = "mentions"
	case string(ApprovalRequestMessage):
		detail = "needs a decision of"
	}
	return Telling{Verb: detail}
}

// tellRescued is about the agent: nobody did it.
func tellRescued(detail string) Telling {
	if strings.HasSuffix(detail, " is not connected") {
		return Telling{Verb: "is not connected, so its task waits again", Alone: true, OfTarget: true}
	}
	return Telling{Verb: "goes on after a lost worker", Text: detail, Alone: true, OfTarget: true}
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
