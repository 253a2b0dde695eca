// Package api is the public HTTP API as types: what the server sends and the
// client reads. Names and ids are as people and agents know them (task-101,
// CoordinatorBot); times are RFC 3339. Fields are only ever added.
package api

import (
	"encoding/json"
	"time"
)

// Hub describes the running server.
type Hub struct {
	Version string    `json:"version" doc:"The program's version."`
	Team    string    `json:"team" doc:"The team of the token."`
	You     string    `json:"you" doc:"Whom the token belongs to."`
	Store   string    `json:"store" doc:"The database, without secrets."`
	Started time.Time `json:"started" doc:"When it started."`
	Process int       `json:"process" doc:"The process id."`
	Paused  bool      `json:"paused,omitempty" doc:"The team is paused: no turn begins or goes on."`
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
	Timeout  float64 `json:"timeout_seconds,omitempty" minimum:"0" maximum:"604800" doc:"How long an ask waits; 120 if left out."`
	Key      string  `json:"key,omitempty" maxLength:"200" doc:"Makes the contact idempotent: the same key finds what was made before."`
	Budget   *Budget `json:"budget,omitempty" doc:"What the tree that begins here may spend. Only a person gives one."`
}

// Contact is an accepted contact. An ask is accepted here too, and waited for
// at its task. One that needs approval is answered with the approval instead.
type Contact struct {
	Agent    string    `json:"agent" doc:"Who was contacted, as the name is spelled."`
	Message  string    `json:"message_id,omitempty" doc:"The stored message; missing while the contact waits for approval."`
	Task     *Task     `json:"task,omitempty" doc:"Missing for a notification, and while the contact waits for approval."`
	Notice   string    `json:"notice,omitempty" doc:"Says that the contact waits for approval, if it does."`
	Approval *Approval `json:"approval,omitempty" doc:"What it waits for; nobody was contacted yet."`
}

// Task is a task as people see it.
type Task struct {
	ID        string     `json:"id" doc:"Such as task-101."`
	Parent    string     `json:"parent,omitempty" doc:"The task whose work asked for this one."`
	Root      string     `json:"root" doc:"The top of its tree."`
	RetryOf   string     `json:"retry_of,omitempty" doc:"The task that this one repeats."`
	Cause     string     `json:"cause,omitempty" doc:"The task whose work mentioned the agent in a channel, or asked what this one answers."`
	Pattern   string     `json:"pattern" doc:"ask, delegate, mention, question or answer."`
	Requester string     `json:"requester" doc:"Who asked for it."`
	Agent     string     `json:"agent" doc:"Who works on it."`
	Title     string     `json:"title" doc:"The beginning of the request."`
	Priority  string     `json:"priority" doc:"low, normal, high or urgent."`
	State     string     `json:"state" doc:"queued, running or waiting; then completed, failed or cancelled, for good."`
	Thread    string     `json:"thread" doc:"The conversation it is worked on in."`
	Request   string     `json:"request_id" doc:"The message that asked for it."`
	Result    string     `json:"result,omitempty" doc:"The last closing text, whole. Lists and trees leave it out; result_id says where it is."`
	ResultID  string     `json:"result_id,omitempty" doc:"The message that holds the result."`
	Error     string     `json:"error,omitempty" doc:"Why it failed or who cancelled it."`
	Turns     int        `json:"turns" doc:"How many turns were begun."`
	Open      int        `json:"open_children" doc:"Subtasks that it still waits for."`
	Approvals int        `json:"approvals,omitempty" doc:"Calls of it that wait for approval."`
	WaitsFor  string     `json:"waits_for,omitempty" doc:"What it waits for: budget of its tree, day of its team, or approval; with what was spent, or which they are, where one task or tree is read."`
	Late      string     `json:"late,omitempty" doc:"What holds up an ask whose time is over, where one task is read."`
	Spent     *Spending  `json:"spent,omitempty" doc:"What its whole tree has spent; only where one task is read."`
	Rescues   int        `json:"rescues,omitempty" doc:"How often a dead hub's turn was taken over."`
	Due       *time.Time `json:"due,omitempty" doc:"Not before this time."`
	WaitUntil *time.Time `json:"wait_until,omitempty" doc:"When the asker stops waiting."`
	Created   time.Time  `json:"created" doc:"When it was opened."`
	Started   *time.Time `json:"started,omitempty" doc:"When its first turn began."`
	Ended     *time.Time `json:"ended,omitempty" doc:"When it came to its end; missing while it is open."`
	EndedBy   string     `json:"ended_by,omitempty" doc:"Who cancelled it."`
}

// TaskTree is a task with everything below it.
type TaskTree struct {
	Task
	Children []TaskTree `json:"children,omitempty" doc:"What it asked of others, oldest first."`
}

// TaskList is a list of tasks. Lists are objects, so that fields can be added.
type TaskList struct {
	Tasks []Task `json:"tasks" nullable:"false" doc:"Newest first."`
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
	ID       string    `json:"id" doc:"Such as msg-7."`
	Thread   string    `json:"thread" doc:"The conversation it is in."`
	N        int       `json:"n" doc:"Its number in the thread."`
	Author   string    `json:"author" doc:"Who wrote it; never taken from its text."`
	Kind     string    `json:"kind" doc:"ask, delegate, message, notification, post, reply, delegation_result, delegation_failed, question, answer or question_unanswered."`
	Priority string    `json:"priority,omitempty" doc:"Of a delegation."`
	Context  string    `json:"context,omitempty" doc:"Background that came with a request."`
	Body     string    `json:"body" doc:"The text."`
	Whole    string    `json:"whole,omitempty" doc:"The whole text, where the body is only its beginning."`
	Task     string    `json:"task_id,omitempty" doc:"The task that it opened, or that it is the reply or result of."`
	Question string    `json:"question_id,omitempty" doc:"The question that it asks or answers."`
	At       time.Time `json:"at" doc:"When it was accepted."`
}

// RedactRequest takes the text of a message away.
type RedactRequest struct {
	Reason string `json:"reason,omitempty" maxLength:"1000" doc:"Why, for the record."`
}

// Redaction is what was done to take a text away.
type Redaction struct {
	Messages []string `json:"messages" nullable:"false" doc:"The messages that have lost their text: the one named, and copies of it."`
	Quoted   []string `json:"quoted_in" nullable:"false" doc:"Other messages that contain the text. They are left as they are."`
}

// Delivery is what became of a message for one recipient.
type Delivery struct {
	Recipient string     `json:"recipient" doc:"For whom."`
	State     string     `json:"state" enum:"accepted,delivered,seen,answered" doc:"How far it came."`
	Accepted  time.Time  `json:"accepted" doc:"Stored."`
	Delivered *time.Time `json:"delivered,omitempty" doc:"Given to the recipient's runtime."`
	Seen      *time.Time `json:"seen,omitempty" doc:"Read by a model, or displayed."`
	Answered  *time.Time `json:"answered,omitempty" doc:"Answered with a reply."`
}

// MessageRecord is a message with its deliveries.
type MessageRecord struct {
	Message
	Deliveries []Delivery `json:"deliveries" doc:"One for each recipient."`
}

// MessageList is a piece of a conversation, oldest first.
type MessageList struct {
	Messages []Message `json:"messages" nullable:"false" doc:"Oldest first."`
}

// Thread is a conversation within the dm of two participants.
type Thread struct {
	ID       string   `json:"id" doc:"Such as thread-7."`
	Between  []string `json:"between" nullable:"false" doc:"The two participants."`
	Main     bool     `json:"main" doc:"Every dm has one main thread."`
	Messages int      `json:"messages" doc:"How many there are."`
}

// ThreadList is the threads of a dm, the main one first.
type ThreadList struct {
	Threads []Thread `json:"threads" nullable:"false" doc:"The main one first."`
}

// SeenRequest says that messages were displayed.
type SeenRequest struct {
	IDs []string `json:"ids" nullable:"false" maxItems:"1000" doc:"Messages for you. Those that are not are ignored."`
}

// InboxItem is a message for you that you have not seen, or not answered.
type InboxItem struct {
	Message
	// Asks says that somebody waits for your reply to the task.
	Asks bool `json:"asks,omitempty" doc:"A reply to task_id is expected."`
	// Seen says that it is here only because it asks.
	Seen bool `json:"seen,omitempty" doc:"It was displayed before, and stays until it is answered."`
	// Channel is where it was written, if it is not a dm.
	Channel string `json:"channel,omitempty" doc:"The group channel that it was written in, such as #standup."`
}

// Inbox is what you have not seen or not answered, oldest first, and what waits
// for your decision.
type Inbox struct {
	Items     []InboxItem `json:"items" nullable:"false" doc:"Oldest first."`
	Approvals []Approval  `json:"approvals,omitempty" nullable:"false" doc:"What you may decide about and nobody has, oldest first. It stays until it is decided."`
}

// Agent is a participant.
type Agent struct {
	Name          string     `json:"name" doc:"Unique in the team, ignoring case."`
	Kind          string     `json:"kind" doc:"native, client, remote or person."`
	Description   string     `json:"description,omitempty" doc:"What it is for."`
	Status        string     `json:"status" doc:"offline, sleeping, working, awaiting_approval, awaiting_delegation or idle."`
	Reason        string     `json:"reason,omitempty" doc:"Why it has this status, such as 2 open."`
	Model         string     `json:"model,omitempty" doc:"As the files name it."`
	SleepingUntil *time.Time `json:"sleeping_until,omitempty" doc:"When its sleep ends."`
	Queued        int        `json:"queued" doc:"Tasks that wait to be run."`
	Running       int        `json:"running" doc:"Tasks at work."`
	Waiting       int        `json:"waiting" doc:"Tasks that wait for others."`
	Mistake       string     `json:"mistake,omitempty" doc:"What is wrong with its file by now; the agent works as it did before."`
}

// AgentList is a team's participants, by name.
type AgentList struct {
	Agents []Agent `json:"agents" nullable:"false" doc:"By name."`
	Paused bool    `json:"paused,omitempty" doc:"The team is paused: no turn begins or goes on."`
}

// StatusRequest changes whether an agent can be reached.
type StatusRequest struct {
	Status string     `json:"status" enum:"sleep,wake,offline,online" doc:"What to do."`
	Until  *time.Time `json:"until,omitempty" doc:"When a sleep ends."`
}

// Explanation is what the rules say to an action, and why.
type Explanation struct {
	From    string     `json:"from" doc:"Who would do it."`
	To      string     `json:"to,omitempty" doc:"Who would be contacted; missing if nobody."`
	Action  string     `json:"action" doc:"As profiles match it, such as tool:agent_comm:send Writer."`
	Verdict string     `json:"verdict" enum:"allowed,needs_approval,denied" doc:"What the rules decide. Limits and the other's status are not looked at."`
	Rule    string     `json:"rule" doc:"The rule that decides, such as contacts deny Writer."`
	Reason  string     `json:"reason" doc:"The same as a sentence."`
	Path    []RuleStep `json:"path" nullable:"false" doc:"Every rule that was looked at, in order."`
}

// RuleStep is one rule on the way to a decision.
type RuleStep struct {
	Rule    string `json:"rule" doc:"The rule."`
	Verdict string `json:"verdict,omitempty" enum:"allowed,needs_approval,denied" doc:"What it says; missing if it does not apply."`
	Why     string `json:"why" doc:"Why, as a sentence."`
	Decides bool   `json:"decides,omitempty" doc:"This one has the last word."`
}

// AgentRules are the rules of one participant as they hold.
type AgentRules struct {
	Agent    string      `json:"agent" doc:"Whose they are."`
	File     string      `json:"file,omitempty" doc:"Where they stand, below the team's folder; missing for a person who has no file."`
	Mistake  string      `json:"mistake,omitempty" doc:"What is wrong with the file by now; these are the rules that it had before."`
	Warnings []string    `json:"warnings,omitempty" nullable:"false" doc:"After a change: what the file says and cannot mean, such as names that nobody has."`
	Rules    []AgentRule `json:"rules" nullable:"false" doc:"In the order in which a decision asks them."`
}

// AgentRule is one rule.
type AgentRule struct {
	Key    string   `json:"key" enum:"manager,can_invoke,contacts,mode,profile,behavior" doc:"As in the file."`
	Values []string `json:"values" nullable:"false" doc:"Contacts are allow:NAME, ask:NAME (with approval) and deny:NAME; a profile is a preset and allow:, ask: and deny:PATTERN. An empty can_invoke is nobody if it stands in the file, else everyone."`
	Line   int      `json:"line,omitempty" doc:"Where it stands; missing if the file does not have it, and the default holds."`
}

// RuleRequest is what a rule should be, or what should be added to it.
type RuleRequest struct {
	Values []string `json:"values" nullable:"false" maxItems:"2000" doc:"One for manager, mode and behavior; any number for the others."`
}

// Reload is what a look at the team's files has brought.
type Reload struct {
	Joined   []string        `json:"joined" nullable:"false" doc:"Who is new."`
	Changed  []AgentChange   `json:"changed" nullable:"false" doc:"Who is different."`
	Removed  []string        `json:"removed" nullable:"false" doc:"Who is gone; their open tasks have failed."`
	Channels []ChannelChange `json:"channels" nullable:"false" doc:"The channels of parley.yaml that are different."`
	Kept     []KeptAgent     `json:"kept" nullable:"false" doc:"Who works as before, because of a mistake in the file."`
	Problems []string        `json:"problems" nullable:"false" doc:"Every mistake, with its place."`
	Restart  []string        `json:"restart" nullable:"false" doc:"Settings that were changed and need a restart of the hub."`
}

// AgentChange is an agent of which keys are different.
type AgentChange struct {
	Agent string   `json:"agent" doc:"Who."`
	Keys  []string `json:"keys" nullable:"false" doc:"Of its file; instructions are one of them."`
}

// ChannelChange is a channel of parley.yaml that is different.
type ChannelChange struct {
	Channel string `json:"channel" doc:"Such as #standup."`
	What    string `json:"what" enum:"made,changed,removed" doc:"What became of it."`
}

// KeptAgent is an agent whose file has a mistake.
type KeptAgent struct {
	Agent   string `json:"agent" doc:"Who."`
	Mistake string `json:"mistake" doc:"What is wrong, with its place."`
}

// Approval is a call of an agent's turn that waits for a decision, or did, or a
// contact that an agent outside the hub wants to make.
type Approval struct {
	ID        string          `json:"id" doc:"Such as approval-7."`
	State     string          `json:"state" enum:"pending,approved,denied,expired,withdrawn" doc:"Every state but pending is final."`
	Agent     string          `json:"agent" doc:"Who wants it."`
	Wants     string          `json:"wants" doc:"What it wants to do, in a line."`
	Tool      string          `json:"tool" doc:"The tool that it calls."`
	Arguments json.RawMessage `json:"arguments" doc:"The exact arguments of the call."`
	Digest    string          `json:"digest" doc:"SHA-256 of tool and arguments, to which the decision is bound."`
	Target    string          `json:"target,omitempty" doc:"Whom it contacts; missing if nobody."`
	Task      string          `json:"task_id,omitempty" doc:"The task that waits; missing if somebody from outside waits who works on none."`
	Rule      string          `json:"rule" doc:"The rule that wants the approval."`
	Why       string          `json:"why" doc:"The same as a sentence."`
	Created   time.Time       `json:"created" doc:"Since when it waits."`
	Expires   time.Time       `json:"expires" doc:"When it is denied if nobody has decided."`
	Decided   *time.Time      `json:"decided,omitempty" doc:"When it was decided; missing while it is pending."`
	DecidedBy string          `json:"decided_by,omitempty" doc:"Who decided; missing if nobody did."`
	Reason    string          `json:"reason,omitempty" doc:"Why it was denied; the agent reads it."`
	Message   string          `json:"message_id,omitempty" doc:"The contact that was made for a caller from outside."`
	Made      string          `json:"made_task_id,omitempty" doc:"The task of that contact; missing for a notification."`
	Failure   string          `json:"failure,omitempty" doc:"Why the contact could not be made although it was approved."`
}

// ApprovalList is a list of approvals.
type ApprovalList struct {
	Approvals []Approval `json:"approvals" nullable:"false" doc:"Those that are pending, the oldest first; with all, the newest first."`
}

// DenyRequest refuses a call.
type DenyRequest struct {
	Reason string `json:"reason,omitempty" doc:"Why; the agent reads it."`
}

// Event is one line of the record.
type Event struct {
	Cursor  string    `json:"cursor" doc:"Where to go on from."`
	At      time.Time `json:"at" doc:"When it happened."`
	Kind    string    `json:"kind" doc:"Such as task.opened."`
	Actor   string    `json:"actor,omitempty" doc:"Who did it."`
	Target  string    `json:"target,omitempty" doc:"To whom."`
	Task    string    `json:"task_id,omitempty" doc:"The task it is about."`
	Message string    `json:"message_id,omitempty" doc:"The message it is about."`
	Detail  string    `json:"detail,omitempty" doc:"What else there is to say."`
	Rule    string    `json:"rule,omitempty" doc:"Of a refusal: the rule, limit or right that decided it."`
}

// Arrow is one line of a task tree's sequence diagram.
type Arrow struct {
	At    time.Time `json:"at" doc:"When."`
	From  string    `json:"from" doc:"Who."`
	To    string    `json:"to" doc:"To whom."`
	Kind  string    `json:"kind" doc:"ask, delegate, mention, question, answer, retry, notify, reply, result, failed, cancelled, timeout or waiting."`
	Label string    `json:"label" doc:"The beginning of what was said."`
	Task  string    `json:"task_id,omitempty" doc:"The task it belongs to."`
}

// Trace is the arrows of a task tree in order.
type Trace struct {
	Arrows []Arrow `json:"arrows" nullable:"false" doc:"In order of time, and of cause within one moment."`
}

// Problem is the body of every error.
type Problem struct {
	Kind    string `json:"kind" doc:"One of a closed set: invalid, not_found, conflict and so on."`
	Message string `json:"message" doc:"What is wrong, fit to be shown."`
	Hint    string `json:"hint,omitempty" doc:"What to do about it."`
}
