package api

import "time"

// Batch is what waits for you, as far as it was handed out.
type Batch struct {
	Items  []BatchItem `json:"items" nullable:"false" doc:"The most urgent first, then the oldest."`
	Cursor string      `json:"cursor,omitempty" doc:"Give it back with your next call: then these count as seen. Without it they come again."`
	More   int         `json:"more" doc:"How many wait besides."`
	Unread int         `json:"unread" doc:"How many wait, with these."`
	Held   []string    `json:"held,omitempty" nullable:"false" doc:"The open tasks that you work on."`
}

// BatchItem is one thing that was handed out.
type BatchItem struct {
	Message string    `json:"message" doc:"Such as msg-7."`
	From    string    `json:"from,omitempty" doc:"Who wrote it; missing for what the hub itself says."`
	Place   string    `json:"place,omitempty" doc:"The group channel, such as #standup; missing for a dm."`
	Kind    string    `json:"kind" doc:"ask, delegate, message, notification, post, reply, delegation_result, delegation_failed, question, answer, question_unanswered, notice, approval_request or task_ended."`
	Text    string    `json:"text" doc:"As an agent reads it, under its usual header."`
	Task    string    `json:"task,omitempty" doc:"The work that is asked of you, such as task-101."`
	Asks    bool      `json:"asks,omitempty" doc:"Somebody waits for the end of the task."`
	Again   bool      `json:"again,omitempty" doc:"It was handed out before."`
	Created time.Time `json:"created"`
}

// AckRequest says what has arrived.
type AckRequest struct {
	Messages []string `json:"messages,omitempty" nullable:"false" maxItems:"1000" doc:"Messages for you. Others are ignored."`
	Cursor   string   `json:"cursor,omitempty" doc:"That of a batch, instead of its messages."`
}

// UpdateRequest says how far a task is.
type UpdateRequest struct {
	Note string `json:"note" doc:"For whoever looks on. It starts nobody's turn."`
}

// CompleteRequest ends a task.
type CompleteRequest struct {
	Result string `json:"result" doc:"What came of it. Whoever asked reads it."`
}

// FailRequest gives a task up.
type FailRequest struct {
	Reason string `json:"reason" doc:"Why. Whoever asked reads it."`
}

// AnswerMessageRequest answers a message.
type AnswerMessageRequest struct {
	Text string `json:"text" doc:"The answer."`
}

// AnsweredMessage says what came of an answer.
type AnsweredMessage struct {
	Text string `json:"text" doc:"In words."`
}
