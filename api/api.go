// Package api holds the types of the public HTTP API, which the server writes
// and the client reads. Names and ids have the spelling that people and agents
// see (task-101, CoordinatorBot); times are RFC 3339. Fields may be added but
// never removed or changed.
package api

import (
	"encoding/json"
	"time"
)

// KeyHeader is the request header that makes any change idempotent: whoever got no
// answer repeats the request with the same key and finds what was done.
const KeyHeader = "Idempotency-Key"

// Hub describes the running server.
type Hub struct {
	Version     string    `json:"version" doc:"The program's version."`
	Team        string    `json:"team" doc:"The team of the token."`
	You         string    `json:"you" doc:"Who the token belongs to."`
	Store       string    `json:"store" doc:"The database, without secrets."`
	Started     time.Time `json:"started" doc:"When the hub started."`
	Process     int       `json:"process" doc:"The process id."`
	Paused      bool      `json:"paused,omitempty" doc:"The team is paused: no turn begins or goes on."`
	Shell       string    `json:"shell,omitempty" doc:"The sandbox in which agents run commands, or none. Left out if no agent works on files."`
	ClockBehind float64   `json:"clock_behind_seconds,omitempty" doc:"How far the machine's clock is behind the newest record."`
	// Notify is for people only.
	Notify []NotifyTarget `json:"notify,omitempty" doc:"The commands and addresses through which people are told what waits for them, and how they are doing. Only a person reads them."`
	// Bridges are for people only.
	Bridges []Bridge `json:"bridges,omitempty" doc:"The chat programs that the team is in, and how they are doing. Only a person reads them."`
}

// NotifyTarget is a command or an address through which people are told.
type NotifyTarget struct {
	Target    string     `json:"target" doc:"Its name, without arguments or path."`
	Problem   string     `json:"problem,omitempty" doc:"Why the last try failed; left out after a success."`
	Next      *time.Time `json:"next,omitempty" doc:"When it is tried again."`
	GivenUp   int        `json:"given_up,omitempty" doc:"How many notices were given up."`
	GivenUpAt *time.Time `json:"given_up_at,omitempty" doc:"When the last one was given up."`
}

// ContactRequest makes a contact.
type ContactRequest struct {
	Action   string  `json:"action" enum:"ask,delegate,notify" doc:"How to contact the agent."`
	Agent    string  `json:"agent" doc:"The agent to contact, by name." maxLength:"64"`
	Message  string  `json:"message" doc:"The question, the work or the notification."`
	Context  string  `json:"context,omitempty" doc:"Background that the agent needs."`
	Priority string  `json:"priority,omitempty" enum:"low,normal,high,urgent" doc:"For a delegation; normal if left out."`
	TaskID   string  `json:"task_id,omitempty" doc:"The task you work on, if you hold one."`
	Timeout  float64 `json:"timeout_seconds,omitempty" minimum:"0" maximum:"604800" doc:"How long an ask waits; 120 if left out."`
	Wait     float64 `json:"wait,omitempty" minimum:"0" maximum:"60" doc:"For an ask: how many seconds the response waits for the end of the task; it comes at once if left out."`
	Attach   bool    `json:"attach,omitempty" doc:"Store a message that is longer than a message may be as an attachment, up to 4 MiB, instead of refusing it. Only a person may say so."`
	Urgent   bool    `json:"urgent,omitempty" doc:"For a notification: a turn that is running shows it between two of its steps. Only a person may say so."`
	Key      string  `json:"key,omitempty" maxLength:"200" doc:"Makes the contact idempotent: the same key finds what was made before."`
	Budget   *Budget `json:"budget,omitempty" doc:"What the tree of tasks that begins here may spend. Only a person may give one, and not to a notification or a subtask."`
}

// Contact is an accepted contact. For an ask too this is only the acceptance, unless the
// request waited; the caller waits at its task. If the contact needs approval, Approval is set
// and there is no task yet.
type Contact struct {
	Agent    string    `json:"agent" doc:"Who was contacted, in the spelling of its file."`
	Message  string    `json:"message_id,omitempty" doc:"The stored message; missing while the contact waits for approval."`
	Task     *Task     `json:"task,omitempty" doc:"Missing for a notification, and while the contact waits for approval."`
	Notice   string    `json:"notice,omitempty" doc:"Says that the contact waits for approval, if it does."`
	Isolated bool      `json:"isolated,omitempty" doc:"The agent is isolated: it reads the notification only in its conversation with you."`
	Approval *Approval `json:"approval,omitempty" doc:"What it waits for; nobody has been contacted yet."`
	Estimate *Estimate `json:"estimate,omitempty" doc:"What the first step of the tree that begins here may cost; missing if its model has no price."`
}

// Task is a task as people see it.
type Task struct {
	ID        string     `json:"id" doc:"Such as task-101."`
	Parent    string     `json:"parent,omitempty" doc:"The task whose turn asked for this one."`
	Root      string     `json:"root" doc:"The top of its tree."`
	RetryOf   string     `json:"retry_of,omitempty" doc:"The task that this one repeats or resumes."`
	Resumes   string     `json:"resumes,omitempty" doc:"The failed task whose steps this one takes over and goes on from."`
	Cause     string     `json:"cause,omitempty" doc:"The task whose turn mentioned the agent in a channel, or asked the question that this one answers."`
	Pattern   string     `json:"pattern" doc:"ask, delegate, mention, question or answer."`
	Requester string     `json:"requester" doc:"Who asked for it."`
	Agent     string     `json:"agent" doc:"Who works on it."`
	Title     string     `json:"title" doc:"The beginning of the request."`
	Priority  string     `json:"priority" doc:"low, normal, high or urgent."`
	State     string     `json:"state" doc:"queued, running or waiting while it is open; completed, failed or cancelled when it has ended, which is final."`
	Thread    string     `json:"thread" doc:"The conversation in which it is worked on."`
	Request   string     `json:"request_id" doc:"The message that asked for it."`
	Result    string     `json:"result,omitempty" doc:"The whole text of its result. Lists and trees leave it out; result_id says where it is."`
	ResultID  string     `json:"result_id,omitempty" doc:"The message that holds the result."`
	Error     string     `json:"error,omitempty" doc:"Why it failed or who cancelled it."`
	Turns     int        `json:"turns" doc:"How many turns have begun."`
	Open      int        `json:"open_children" doc:"Subtasks that it still waits for."`
	Approvals int        `json:"approvals,omitempty" doc:"How many of its calls wait for approval."`
	Waiting   string     `json:"waiting,omitempty" doc:"What it waits for besides its subtasks, in words, such as: waiting for anthropic, 40 s; waiting for approval; waiting for budget."`
	WaitsFor  string     `json:"waits_for,omitempty" doc:"What it waits for: budget of its tree, day of its team, dependency, provider, or approval. Where you read one task or tree, it also says how much was spent, or which tasks or approvals."`
	Now       string     `json:"now,omitempty" doc:"What a running task does at this moment, such as: reads main.go. Only for whoever may read its steps."`
	NowSince  *time.Time `json:"now_since,omitempty" doc:"Since when."`
	Late      string     `json:"late,omitempty" doc:"What holds up an ask whose time is over. Only where you read one task."`
	Spent     *Spending  `json:"spent,omitempty" doc:"What its whole tree has spent. Only where you read one task."`
	Rescues   int        `json:"rescues,omitempty" doc:"How often it was taken over from a dead worker."`
	Due       *time.Time `json:"due,omitempty" doc:"It does not start before this time."`
	WaitUntil *time.Time `json:"wait_until,omitempty" doc:"When the asker stops waiting."`
	Created   time.Time  `json:"created" doc:"When it was opened."`
	Started   *time.Time `json:"started,omitempty" doc:"When its first turn began."`
	Ended     *time.Time `json:"ended,omitempty" doc:"When it ended; missing while it is open."`
	EndedBy   string     `json:"ended_by,omitempty" doc:"Who cancelled it."`
}

// TaskTree is a task with everything below it.
type TaskTree struct {
	Task
	Children []TaskTree `json:"children,omitempty" doc:"The tasks that it asked for, oldest first."`
}

// Resumption is a task that goes on where another one failed.
type Resumption struct {
	Task
	Steps int `json:"steps" doc:"How many stored steps the task takes over. 0 if there are none, as of an agent that works elsewhere: then it begins anew."`
}

// TaskList is a list of tasks. Lists are objects, so that fields can be added.
type TaskList struct {
	Tasks []Task `json:"tasks" nullable:"false" doc:"Newest first."`
}

// Message is a stored message.
type Message struct {
	ID       string    `json:"id" doc:"Such as msg-7."`
	Thread   string    `json:"thread" doc:"The conversation it belongs to."`
	N        int       `json:"n" doc:"Its number in the thread."`
	Author   string    `json:"author" doc:"Who wrote it. The hub knows; it does not believe the text."`
	Kind     string    `json:"kind" doc:"ask, delegate, message, notification, post, reply, delegation_result, delegation_failed, question, answer, question_unanswered or notice."`
	Priority string    `json:"priority,omitempty" doc:"For a delegation."`
	Context  string    `json:"context,omitempty" doc:"Background that came with a request."`
	Body     string    `json:"body" doc:"The text."`
	Whole    string    `json:"whole,omitempty" doc:"The whole text, if body is only its beginning."`
	Task     string    `json:"task_id,omitempty" doc:"The task that it opened, or whose reply or result it is."`
	Question string    `json:"question_id,omitempty" doc:"The question that it asks or answers."`
	At       time.Time `json:"at" doc:"When it was accepted."`
}

// RedactRequest removes the text of a message.
type RedactRequest struct {
	Reason string `json:"reason,omitempty" maxLength:"1000" doc:"Why, for the record."`
}

// Redaction says which messages were redacted.
type Redaction struct {
	Messages []string `json:"messages" nullable:"false" doc:"The messages that have lost their text: the named one and its copies."`
	Quoted   []string `json:"quoted_in" nullable:"false" doc:"Other messages that contain the text. They were not changed."`
}

// Delivery says how far a message has come with one recipient.
type Delivery struct {
	Recipient string     `json:"recipient" doc:"Who the message is for."`
	State     string     `json:"state" enum:"accepted,delivered,seen,answered" doc:"How far it has come."`
	Accepted  time.Time  `json:"accepted" doc:"When it was stored."`
	Delivered *time.Time `json:"delivered,omitempty" doc:"When the recipient's runtime got it."`
	Seen      *time.Time `json:"seen,omitempty" doc:"When a model read it, or it was displayed."`
	Answered  *time.Time `json:"answered,omitempty" doc:"When a reply answered it."`
	Unread    bool       `json:"unread,omitempty" doc:"It has waited since it was accepted for the recipient to read it. Requests to agents are not counted: they start work by themselves."`
}

// MessageRecord is a message with its deliveries.
type MessageRecord struct {
	Message
	Deliveries []Delivery `json:"deliveries" doc:"One for each recipient."`
}

// MessageList is part of a conversation.
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

// ThreadList holds the threads of a dm.
type ThreadList struct {
	Threads []Thread `json:"threads" nullable:"false" doc:"The main one first."`
}

// SeenRequest says that messages were displayed.
type SeenRequest struct {
	IDs []string `json:"ids" nullable:"false" maxItems:"1000" doc:"Messages for you. Others are ignored."`
}

// InboxItem is a message for you that you have not seen or not answered yet.
type InboxItem struct {
	Message
	Asks    bool   `json:"asks,omitempty" doc:"A reply to task_id is expected."`
	Seen    bool   `json:"seen,omitempty" doc:"It was displayed before, and stays until it is answered."`
	Channel string `json:"channel,omitempty" doc:"The group channel that it was written in, such as #standup; missing for a dm."`
}

// Inbox holds the messages that you have not seen or not answered yet, and the
// approvals that wait for your decision.
type Inbox struct {
	Items     []InboxItem `json:"items" nullable:"false" doc:"Oldest first."`
	Approvals []Approval  `json:"approvals,omitempty" nullable:"false" doc:"Pending approvals that you may decide, oldest first. Each stays until it is decided."`
}

// Agent is a participant.
type Agent struct {
	Name          string     `json:"name" doc:"Unique in the team, ignoring case."`
	Kind          string     `json:"kind" doc:"native, client, remote or person."`
	Description   string     `json:"description,omitempty" doc:"What it is for."`
	Status        string     `json:"status" doc:"offline, sleeping, working, awaiting_approval, awaiting_delegation or idle."`
	Reason        string     `json:"reason,omitempty" doc:"Why it has this status, such as 2 open."`
	Model         string     `json:"model,omitempty" doc:"The name that the files give it."`
	SleepingUntil *time.Time `json:"sleeping_until,omitempty" doc:"When its sleep ends."`
	Queued        int        `json:"queued" doc:"Tasks that wait for a worker."`
	Running       int        `json:"running" doc:"Tasks that are running."`
	Waiting       int        `json:"waiting" doc:"Tasks that wait for something."`
	Unread        int        `json:"unread,omitempty" doc:"How much of its mail an agent has not read."`
	UnreadSince   *time.Time `json:"unread_since,omitempty" doc:"When the oldest of it came."`
	Now           string     `json:"now,omitempty" doc:"What it does at this moment in one of its running tasks. Only for whoever may read its steps."`
	Lead          bool       `json:"lead,omitempty" doc:"It is the one to talk to first."`
	Mistake       string     `json:"mistake,omitempty" doc:"What is now wrong with its file. Meanwhile the agent works as it did before."`
}

// AgentList holds a team's participants.
type AgentList struct {
	Agents []Agent `json:"agents" nullable:"false" doc:"By name."`
	Paused bool    `json:"paused,omitempty" doc:"The team is paused: no turn begins or goes on."`
}

// StatusRequest changes whether an agent can be reached.
type StatusRequest struct {
	Status string     `json:"status" enum:"sleep,wake,offline,online" doc:"What to do."`
	Until  *time.Time `json:"until,omitempty" doc:"When a sleep ends; a sleep needs it."`
}

// FreshRequest begins a new main thread with an agent.
type FreshRequest struct {
	With string `json:"with,omitempty" doc:"Whose conversation with the agent; yours if missing."`
}

// Fresh is a main thread that has just begun.
type Fresh struct {
	Thread string `json:"thread" doc:"The main thread from now on."`
	Before string `json:"before" doc:"The main thread before. It stays readable. If nothing was said in it, it is the same."`
}

// Explanation is what the rules decide about an action, and why.
type Explanation struct {
	From    string     `json:"from" doc:"Who would act."`
	To      string     `json:"to,omitempty" doc:"Who would be contacted; missing if nobody."`
	Action  string     `json:"action" doc:"In the form that profiles match, such as tool:agent_comm:send Writer."`
	Verdict string     `json:"verdict" enum:"allowed,needs_approval,denied" doc:"What the rules decide. Limits and the target's status are left aside."`
	Rule    string     `json:"rule" doc:"The rule that decides, such as contacts deny Writer."`
	Reason  string     `json:"reason" doc:"The same in a sentence."`
	Path    []RuleStep `json:"path" nullable:"false" doc:"Every rule that was looked at, in order."`
}

// RuleStep is one rule on the way to a decision.
type RuleStep struct {
	Rule    string `json:"rule" doc:"The rule."`
	Verdict string `json:"verdict,omitempty" enum:"allowed,needs_approval,denied" doc:"What it says; missing if it does not apply."`
	Why     string `json:"why" doc:"Why, in a sentence."`
	Decides bool   `json:"decides,omitempty" doc:"This rule decides."`
}

// AgentRules are the rules in force for one participant.
type AgentRules struct {
	Agent    string      `json:"agent" doc:"Whose rules they are."`
	File     string      `json:"file,omitempty" doc:"The file that holds them, relative to the team's folder; missing for a person without a file."`
	Mistake  string      `json:"mistake,omitempty" doc:"What is now wrong with the file. These are the rules that it had before."`
	Warnings []string    `json:"warnings,omitempty" nullable:"false" doc:"After a change: what the file says but can hardly mean, such as a name that nobody has."`
	Rules    []AgentRule `json:"rules" nullable:"false" doc:"In the order in which a decision considers them."`
}

// AgentRule is one rule.
type AgentRule struct {
	Key    string   `json:"key" enum:"manager,can_invoke,contacts,mode,profile,behavior" doc:"Its key in the file."`
	Values []string `json:"values" nullable:"false" doc:"Contacts are allow:NAME, ask:NAME (with approval) and deny:NAME. A profile is a preset and allow:, ask: and deny:PATTERN. An empty can_invoke means nobody if the file has the key, and everyone if it does not."`
	Line   int      `json:"line,omitempty" doc:"Its line in the file; missing if the file does not set it and the default applies."`
}

// RuleRequest sets a rule, or adds to it.
type RuleRequest struct {
	Values []string `json:"values" nullable:"false" maxItems:"2000" doc:"One for manager, mode and behavior; any number for the others."`
}

// Reload says what reading the team's files again has changed.
type Reload struct {
	Joined   []string        `json:"joined" nullable:"false" doc:"Who is new."`
	Changed  []AgentChange   `json:"changed" nullable:"false" doc:"Who has changed."`
	Removed  []string        `json:"removed" nullable:"false" doc:"Who is gone; their open tasks have failed."`
	Channels []ChannelChange `json:"channels" nullable:"false" doc:"The channels of parley.yaml that have changed."`
	Models   []string        `json:"models,omitempty" doc:"The settings of models and providers that have changed, such as models.fast: price."`
	Kept     []KeptAgent     `json:"kept" nullable:"false" doc:"Who works as before, because of a mistake in the file."`
	Problems []string        `json:"problems" nullable:"false" doc:"Every mistake, with its place."`
	Restart  []string        `json:"restart" nullable:"false" doc:"Settings that were changed and need a restart of the hub."`
}

// AgentChange is an agent whose file has changed.
type AgentChange struct {
	Agent string   `json:"agent" doc:"Its name."`
	Keys  []string `json:"keys" nullable:"false" doc:"The keys of its file that have changed; the instructions count as one."`
}

// ChannelChange is a channel of parley.yaml that has changed.
type ChannelChange struct {
	Channel string `json:"channel" doc:"Such as #standup."`
	What    string `json:"what" enum:"made,changed,removed" doc:"What happened to it."`
}

// KeptAgent is an agent whose file has a mistake.
type KeptAgent struct {
	Agent   string `json:"agent" doc:"Its name."`
	Mistake string `json:"mistake" doc:"What is wrong, with its place."`
}

// Approval is a decision to make, or one that was made: about a call of an
// agent's turn, or about a contact that an agent outside the hub wants to make.
type Approval struct {
	ID        string          `json:"id" doc:"Such as approval-7-kqwzmtrp. The agent that wants the call is shown it without the letters."`
	State     string          `json:"state" enum:"pending,approved,denied,expired,withdrawn" doc:"Every state but pending is final."`
	Agent     string          `json:"agent" doc:"Who wants to make the call."`
	Wants     string          `json:"wants" doc:"What it wants to do, in one line."`
	Left      int             `json:"left_out,omitempty" doc:"How many characters of the arguments wants leaves out; missing if it says everything."`
	Tool      string          `json:"tool" doc:"The tool that it calls."`
	Arguments json.RawMessage `json:"arguments" doc:"The exact arguments of the call."`
	Digest    string          `json:"digest" doc:"SHA-256 of tool and arguments. The decision holds for these only."`
	Target    string          `json:"target,omitempty" doc:"Whom the call contacts; missing if nobody."`
	Task      string          `json:"task_id,omitempty" doc:"The task that waits; missing if the caller is outside the hub and works on none."`
	Rule      string          `json:"rule" doc:"The rule that requires the approval."`
	Why       string          `json:"why" doc:"The same in a sentence."`
	People    bool            `json:"people_only,omitempty" doc:"Whether only people decide, and no manager."`
	Created   time.Time       `json:"created" doc:"When it began to wait."`
	Expires   time.Time       `json:"expires" doc:"When it counts as denied if nobody has decided."`
	Decided   *time.Time      `json:"decided,omitempty" doc:"When it was decided; missing while it is pending."`
	DecidedBy string          `json:"decided_by,omitempty" doc:"Who decided; missing if nobody did."`
	Reason    string          `json:"reason,omitempty" doc:"Why it was denied. The agent reads it."`
	Message   string          `json:"message_id,omitempty" doc:"The contact that was made for a caller outside the hub."`
	Made      string          `json:"made_task_id,omitempty" doc:"The task of that contact; missing for a notification."`
	Failure   string          `json:"failure,omitempty" doc:"Why the contact could not be made although it was approved."`
	Always    *AlwaysRule     `json:"always,omitempty" doc:"The one rule of the agent that allows such a call from now on. Only a person who may decide reads it, while the approval is pending."`
	NotAlways string          `json:"not_always,omitempty" doc:"Why one rule cannot do that."`
}

// AlwaysRule is a rule to add to an agent's, with POST /v1/agents/{name}/rules/{key}.
type AlwaysRule struct {
	Key   string `json:"key" enum:"contacts,profile" doc:"Its key in the agent's file."`
	Value string `json:"value" doc:"What to add: allow:NAME, or allow:PATTERN."`
	// Covers is for a tool of an outside server: the rule does not name its arguments.
	Covers string `json:"covers,omitempty" doc:"What the rule allows beyond this call, where its words do not say it: 'whatever the arguments are' for a tool of an outside server."`
}

// ApprovalList is a list of approvals.
type ApprovalList struct {
	Approvals []Approval `json:"approvals" nullable:"false" doc:"The pending ones, oldest first; with all, every one, newest first."`
}

// ApproveRequest lets a call run.
type ApproveRequest struct {
	Digest string `json:"digest,omitempty" doc:"The digest of the approval, or its first 12 digits. Whoever is no person has to give it, and the whole id."`
}

// DenyRequest refuses a call.
type DenyRequest struct {
	Reason string `json:"reason,omitempty" doc:"Why. The agent reads it."`
	Digest string `json:"digest,omitempty" doc:"As for approving."`
}

// Event is one entry in the record.
type Event struct {
	Cursor  string    `json:"cursor" doc:"Where to go on from."`
	At      time.Time `json:"at" doc:"When it happened."`
	Kind    string    `json:"kind" doc:"Such as task.opened."`
	Actor   string    `json:"actor,omitempty" doc:"Who did it."`
	Target  string    `json:"target,omitempty" doc:"To whom."`
	Task    string    `json:"task_id,omitempty" doc:"The task it is about."`
	Message string    `json:"message_id,omitempty" doc:"The message it is about."`
	Detail  string    `json:"detail,omitempty" doc:"What else there is to say."`
	Rule    string    `json:"rule,omitempty" doc:"For a refusal: the rule, limit or right that decided it."`
}

// Arrow is one line of a task tree's sequence diagram.
type Arrow struct {
	At    time.Time `json:"at" doc:"When it happened."`
	From  string    `json:"from" doc:"Where it begins."`
	To    string    `json:"to" doc:"Where it points."`
	Kind  string    `json:"kind" doc:"ask, delegate, mention, question, answer, retry, notify, reply, result, failed, cancelled, timeout or waiting."`
	Label string    `json:"label" doc:"The beginning of what was said."`
	Task  string    `json:"task_id,omitempty" doc:"The task it belongs to."`
}

// Trace holds the arrows of a task tree in order.
type Trace struct {
	Arrows []Arrow `json:"arrows" nullable:"false" doc:"In order of time; at one moment, causes before their effects."`
}

// Problem is the body of every error.
type Problem struct {
	Kind    string `json:"kind" doc:"One of a closed set: invalid, not_found, conflict and so on."`
	Message string `json:"message" doc:"What is wrong, in words for a person or an agent."`
	Hint    string `json:"hint,omitempty" doc:"What to do about it."`
}
