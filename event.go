package parley

import (
	"slices"
	"strings"
)

// EventKind names what happened.
type EventKind string

const (
	EventMessage     EventKind = "message.accepted"
	EventTask        EventKind = "task.opened"
	EventWaiting     EventKind = "task.waiting"
	EventRescued     EventKind = "task.rescued"
	EventProgress    EventKind = "task.progress" // a client says how far it is
	EventCompleted   EventKind = "task.completed"
	EventFailed      EventKind = "task.failed"
	EventCancelled   EventKind = "task.cancelled"
	EventDropped     EventKind = "result.dropped"
	EventTimeout     EventKind = "ask.timed_out"
	EventRefused     EventKind = "contact.refused"
	EventToolRefused EventKind = "tool.refused"
	// EventDenied is a refusal for lack of rights: to touch another's task, to
	// approve one's own call, to do what only people may do.
	EventDenied EventKind = "access.refused"
	// EventSummed stands for refusals that were too many to record one by one.
	EventSummed    EventKind = "refusals.summed"
	EventRetention EventKind = "retention.removed"
	EventRedacted  EventKind = "message.redacted"
	EventStatus    EventKind = "agent.status"
	EventAgent     EventKind = "agent.changed"
	EventReload    EventKind = "team.reloaded" // recorded only if a file has a mistake or a setting needs a restart
	EventRule      EventKind = "rule.changed"
	EventChannel   EventKind = "channel.changed"

	EventTokenCreated EventKind = "token.created"
	EventTokenRevoked EventKind = "token.revoked"

	EventSessionOpened EventKind = "session.opened" // somebody has signed in with a browser
	EventSessionEnded  EventKind = "session.ended"

	EventChatLinked   EventKind = "chat.linked" // an account of a chat program is a person's now
	EventChatUnlinked EventKind = "chat.unlinked"
	EventChatStranger EventKind = "chat.stranger" // an account that belongs to nobody; recorded once a day
	EventChatEdited   EventKind = "chat.edited"   // a person has changed a chat message, whose message stays as it was
	EventChatDeleted  EventKind = "chat.deleted"
	EventChatGivenUp  EventKind = "chat.given_up" // something is not shown in a chat; recorded once a day for each conversation

	EventApprovalRequested EventKind = "approval.requested"
	EventApprovalApproved  EventKind = "approval.approved"
	EventApprovalDenied    EventKind = "approval.denied"
	EventApprovalExpired   EventKind = "approval.expired"
	EventApprovalWithdrawn EventKind = "approval.withdrawn"

	EventBudgetSpent  EventKind = "budget.spent"
	EventBudgetRaised EventKind = "budget.raised"
	EventDaySpent     EventKind = "budget.day_spent"
	EventDayRaised    EventKind = "budget.day_raised"

	EventQuestionAsked     EventKind = "question.asked"
	EventQuestionForwarded EventKind = "question.forwarded"
	EventQuestionAnswered  EventKind = "question.answered"
	EventQuestionPassed    EventKind = "question.passed"
	EventQuestionExpired   EventKind = "question.expired"
	EventQuestionFailed    EventKind = "question.failed" // everyone who was asked has failed or passed

	EventKept         EventKind = "keeper.stored"
	EventKeeperShared EventKind = "keeper.shared"
	EventKeeperPruned EventKind = "keeper.pruned"

	// A task waits for a provider that asks for patience, and has been answered again.
	// What was tried in between is not recorded.
	EventProviderBusy     EventKind = "provider.busy"
	EventProviderAnswered EventKind = "provider.answered"
	// EventWindow says that a model reads less than was known.
	EventWindow EventKind = "model.window"

	EventClaimed  EventKind = "claim.taken"
	EventReleased EventKind = "claim.released"

	EventUndone EventKind = "task.undone" // somebody took back what it changed in files

	EventScheduleMade    EventKind = "schedule.made"   // work was made for a due time
	EventScheduleMissed  EventKind = "schedule.missed" // none was, or is
	EventSchedulePaused  EventKind = "schedule.paused"
	EventScheduleResumed EventKind = "schedule.resumed"

	EventReminderSet EventKind = "reminder.set"
	EventReminded    EventKind = "task.reminded" // somebody was told that it is still open
	EventNudged      EventKind = "task.nudged"   // the requester was told that nothing happens in it

	EventPaused  EventKind = "team.paused"
	EventResumed EventKind = "team.resumed"
)

// EventKinds lists every kind.
func EventKinds() []EventKind {
	return []EventKind{
		EventMessage, EventTask, EventWaiting, EventRescued, EventProgress, EventCompleted, EventFailed, EventCancelled, EventDropped,
		EventTimeout, EventRefused, EventToolRefused, EventDenied, EventSummed, EventRetention, EventRedacted,
		EventStatus, EventAgent, EventReload, EventRule, EventChannel,
		EventApprovalRequested, EventApprovalApproved, EventApprovalDenied, EventApprovalExpired, EventApprovalWithdrawn,
		EventBudgetSpent, EventBudgetRaised, EventDaySpent, EventDayRaised, EventPaused, EventResumed,
		EventKept, EventKeeperShared, EventKeeperPruned, EventProviderBusy, EventProviderAnswered, EventWindow,
		EventQuestionAsked, EventQuestionForwarded, EventQuestionAnswered, EventQuestionPassed, EventQuestionExpired, EventQuestionFailed,
		EventClaimed, EventReleased, EventTokenCreated, EventTokenRevoked, EventSessionOpened, EventSessionEnded, EventUndone,
		EventChatLinked, EventChatUnlinked, EventChatStranger, EventChatEdited, EventChatDeleted, EventChatGivenUp,
		EventScheduleMade, EventScheduleMissed, EventSchedulePaused, EventScheduleResumed, EventReminderSet, EventReminded, EventNudged,
	}
}

// CheckKindPattern accepts a kind of event, or a pattern that matches several:
// contact.* or *.refused. It refuses anything else and names the nearest kinds.
func CheckKindPattern(pattern string) error {
	before, after, several := strings.Cut(pattern, "*")
	var known []string
	for _, k := range EventKinds() {
		kind := string(k)
		if kind == pattern || several && strings.HasPrefix(kind, before) && strings.HasSuffix(kind, after) {
			return nil
		}
		known = append(known, kind)
	}
	err := Errorf(NotFound, "There are no events of the kind %q.", Clip(pattern, 64))
	if near := Nearest(strings.Trim(before+after, "."), known, 3); len(near) > 0 {
		return err.WithHint("Did you mean %s?", strings.Join(near, ", "))
	}
	slices.Sort(known)
	return err.WithHint("Kinds are %s; contact.* matches every kind with that beginning, *.refused every kind with that end.", strings.Join(known, ", "))
}

// WithRule appends the rule that decided a refusal to its text, for the record.
func WithRule(text, rule string) string {
	if rule == "" {
		return text
	}
	return text + ruleMark + rule + "]"
}

const ruleMark = " [rule: "

// Rule is the rule that a recorded refusal names; empty for other events.
func (e Event) Rule() string {
	switch e.Kind {
	case EventRefused, EventToolRefused, EventDenied:
	default:
		return ""
	}
	at := strings.LastIndex(e.Detail, ruleMark)
	if at < 0 || !strings.HasSuffix(e.Detail, "]") {
		return ""
	}
	return e.Detail[at+len(ruleMark) : len(e.Detail)-1]
}

// QuotedRunes is how much of a text an event quotes. Redaction finds quoted texts
// by their beginning of this length.
const QuotedRunes = 200

// Event is one entry in the append-only record of everything that happened.
type Event struct {
	ID      EventID
	Team    TeamID
	At      Micros
	Kind    EventKind
	Actor   AgentID
	Target  AgentID
	Task    TaskID
	Message MessageID
	Detail  string
	// Cursor is the position after the event, where a reader goes on. It is set
	// when the event is read.
	Cursor string
}
