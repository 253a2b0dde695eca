// Package api is the public HTTP API as types: what the server sends and the
// client reads. Names and ids are as people and agents know them (task-101,
// CoordinatorBot); times are RFC 3339. Fields are only ever added.
package api

import "time"

// Hub describes the running server.
type Hub struct {
	Version string    `json:"version" doc:"The program's version."`
	Team    string    `json:"team" doc:"The team of the token."`
	You     string    `json:"you" doc:"Whom the token belongs to."`
	Store   string    `json:"store" doc:"The database, without secrets."`
	Started time.Time `json:"started"`
	Process int       `json:"process" doc:"The process id."`
	// ClockBehind is more than zero when the machine's clock is behind the newest
	// record.
	ClockBehind float64 `json:"clock_behind_seconds,omitempty" doc:"How far the machine's clock is behind the newest record."`
}

// ContactRequest is a contact to be made.
type ContactRequest struct {
	Action   string  `json:"action" enum:"ask,delegate,notify" doc:"How to contact the agent."`
	Agent    string  `json:"agent" doc:"The agent to contact, by name." maxLength:"64"`
	Message  string  `json:"message" doc:"The question, the work or the notification."`
	Context  string  `json:"context,omitempty" doc:"Background that the agent needs."`
	Priority string  `json:"priority,omitempty" enum:"low,normal,high,urgent" doc:"For a delegation; normal if left out."`
	TaskID   string  `json:"task_id,omitempty" doc:"The task you work on, if you hold one."`
	Timeout  float64 `json:"timeout_seconds,omitempty" minimum:"0" doc:"How long an ask waits; 120 if left out."`
	Key      string  `json:"key,omitempty" maxLength:"200" doc:"Makes the contact idempotent: the same key finds what was made before."`
}

// Contact is an accepted contact. An ask is accepted here too, and waited for
// at its task.
type Contact struct {
	Agent   string `json:"agent"`
	Message string `json:"message_id"`
	Task    *Task  `json:"task,omitempty" doc:"Missing for a notification."`
}

// Task is a task as people see it.
type Task struct {
	ID        string     `json:"id"`
	Parent    string     `json:"parent,omitempty"`
	Root      string     `json:"root"`
	RetryOf   string     `json:"retry_of,omitempty"`
	Pattern   string     `json:"pattern"`
	Requester string     `json:"requester"`
	Agent     string     `json:"agent"`
	Title     string     `json:"title"`
	Priority  string     `json:"priority"`
	State     string     `json:"state"`
	Thread    string     `json:"thread"`
	Request   string     `json:"request_id"`
	Result    string     `json:"result,omitempty" doc:"The last closing text, whole. Lists and trees leave it out; result_id says where it is."`
	ResultID  string     `json:"result_id,omitempty"`
	Error     string     `json:"error,omitempty"`
	Turns     int        `json:"turns"`
	Open      int        `json:"open_children"`
	Rescues   int        `json:"rescues,omitempty"`
	Due       *time.Time `json:"due,omitempty"`
	WaitUntil *time.Time `json:"wait_until,omitempty" doc:"When the asker stops waiting."`
	Created   time.Time  `json:"created"`
	Started   *time.Time `json:"started,omitempty"`
	Ended     *time.Time `json:"ended,omitempty"`
	EndedBy   string     `json:"ended_by,omitempty"`
}

// TaskTree is a task with everything below it.
type TaskTree struct {
	Task
	Children []TaskTree `json:"children,omitempty"`
}

// TaskList is a list of tasks. Lists are objects, so that fields can be added.
type TaskList struct {
	Tasks []Task `json:"tasks" nullable:"false"`
}

// ReplyRequest answers a task.
type ReplyRequest struct {
	Text string `json:"text" doc:"The answer."`
}

// DeclineRequest refuses a task.
type DeclineRequest struct {
	Reason string `json:"reason" doc:"Why; whoever asked reads it."`
}

// Message is a stored message.
type Message struct {
	ID       string    `json:"id"`
	Thread   string    `json:"thread"`
	N        int       `json:"n" doc:"Its number in the thread."`
	Author   string    `json:"author"`
	Kind     string    `json:"kind"`
	Priority string    `json:"priority,omitempty"`
	Context  string    `json:"context,omitempty"`
	Body     string    `json:"body"`
	Whole    string    `json:"whole,omitempty" doc:"The whole text, where the body is only its beginning."`
	Task     string    `json:"task_id,omitempty"`
	At       time.Time `json:"at"`
}

// Delivery is what became of a message for one recipient.
type Delivery struct {
	Recipient string     `json:"recipient"`
	State     string     `json:"state" enum:"accepted,delivered,seen,answered"`
	Accepted  time.Time  `json:"accepted"`
	Delivered *time.Time `json:"delivered,omitempty"`
	Seen      *time.Time `json:"seen,omitempty"`
	Answered  *time.Time `json:"answered,omitempty"`
}

// MessageRecord is a message with its deliveries.
type MessageRecord struct {
	Message
	Deliveries []Delivery `json:"deliveries"`
}

// MessageList is a piece of a conversation, oldest first.
type MessageList struct {
	Messages []Message `json:"messages" nullable:"false"`
}

// Thread is a conversation within the dm of two participants.
type Thread struct {
	ID       string   `json:"id"`
	Between  []string `json:"between" nullable:"false" doc:"The two participants."`
	Main     bool     `json:"main" doc:"Every dm has one main thread."`
	Messages int      `json:"messages" doc:"How many there are."`
}

// ThreadList is the threads of a dm, the main one first.
type ThreadList struct {
	Threads []Thread `json:"threads" nullable:"false"`
}

// SeenRequest says that messages were displayed.
type SeenRequest struct {
	IDs []string `json:"ids" nullable:"false" maxItems:"1000" doc:"Messages for you. Those that are not are ignored."`
}

// InboxItem is a message for you that you have not seen.
type InboxItem struct {
	Message
	// Asks says that somebody waits for your reply to the task.
	Asks bool `json:"asks,omitempty" doc:"A reply to task_id is expected."`
}

// Inbox is what you have not seen, oldest first.
type Inbox struct {
	Items []InboxItem `json:"items" nullable:"false"`
}

// Agent is a participant.
type Agent struct {
	Name          string     `json:"name"`
	Kind          string     `json:"kind"`
	Description   string     `json:"description,omitempty"`
	Status        string     `json:"status"`
	SleepingUntil *time.Time `json:"sleeping_until,omitempty"`
	Queued        int        `json:"queued"`
	Running       int        `json:"running"`
	Waiting       int        `json:"waiting"`
}

// AgentList is a team's participants, by name.
type AgentList struct {
	Agents []Agent `json:"agents" nullable:"false"`
}

// StatusRequest changes whether an agent can be reached.
type StatusRequest struct {
	Status string     `json:"status" enum:"sleep,wake,offline,online" doc:"What to do."`
	Until  *time.Time `json:"until,omitempty" doc:"When a sleep ends."`
}

// Event is one line of the record.
type Event struct {
	Cursor  string    `json:"cursor" doc:"Where to go on from."`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Actor   string    `json:"actor,omitempty"`
	Target  string    `json:"target,omitempty"`
	Task    string    `json:"task_id,omitempty"`
	Message string    `json:"message_id,omitempty"`
	Detail  string    `json:"detail,omitempty"`
}

// Arrow is one line of a task tree's sequence diagram.
type Arrow struct {
	At    time.Time `json:"at"`
	From  string    `json:"from"`
	To    string    `json:"to"`
	Kind  string    `json:"kind" doc:"ask, delegate, notify, reply, result, failed, cancelled, retry or waiting."`
	Label string    `json:"label"`
	Task  string    `json:"task_id,omitempty"`
}

// Trace is the arrows of a task tree in order.
type Trace struct {
	Arrows []Arrow `json:"arrows" nullable:"false"`
}

// Problem is the body of every error.
type Problem struct {
	Kind    string `json:"kind" doc:"One of a closed set: invalid, not_found, conflict and so on."`
	Message string `json:"message" doc:"What is wrong, fit to be shown."`
	Hint    string `json:"hint,omitempty" doc:"What to do about it."`
}
