package parley

// EventKind names what happened.
type EventKind string

const (
	EventMessage     EventKind = "message.accepted"
	EventTask        EventKind = "task.opened"
	EventWaiting     EventKind = "task.waiting"
	EventRescued     EventKind = "task.rescued"
	EventCompleted   EventKind = "task.completed"
	EventFailed      EventKind = "task.failed"
	EventCancelled   EventKind = "task.cancelled"
	EventDropped     EventKind = "result.dropped"
	EventTimeout     EventKind = "ask.timed_out"
	EventRefused     EventKind = "contact.refused"
	EventToolRefused EventKind = "tool.refused"
	EventStatus      EventKind = "agent.status"
	EventAgent       EventKind = "agent.changed"
	EventChannel     EventKind = "channel.changed"

	EventApprovalRequested EventKind = "approval.requested"
	EventApprovalApproved  EventKind = "approval.approved"
	EventApprovalDenied    EventKind = "approval.denied"
	EventApprovalExpired   EventKind = "approval.expired"
	EventApprovalWithdrawn EventKind = "approval.withdrawn"
)

// Event is one line of the append-only record of everything that happened.
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
	// Cursor is the place behind the event, from which a reader goes on; set when
	// it is read.
	Cursor string
}
