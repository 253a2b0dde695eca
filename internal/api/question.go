package api

import "time"

// Question is a routed query with the way that it took.
type Question struct {
	ID      string          `json:"id" doc:"For example query-12."`
	State   string          `json:"state" enum:"open,answered,expired" doc:"Where it is."`
	Asker   string          `json:"asker" doc:"Who asks."`
	Target  string          `json:"target,omitempty" doc:"Who was asked first; empty if everyone was."`
	Text    string          `json:"question" doc:"What is asked."`
	Context string          `json:"context,omitempty" doc:"What the asker gave along."`
	Task    string          `json:"task,omitempty" doc:"The task whose turn asks."`
	Hops    int             `json:"hops" doc:"How often it was forwarded."`
	Created time.Time       `json:"created" doc:"When it was asked."`
	Expires time.Time       `json:"expires" doc:"When it ends by itself."`
	Closed  *time.Time      `json:"closed,omitempty" doc:"When it ended."`
	Routes  []QuestionRoute `json:"routes" nullable:"false" doc:"Whom it has reached, in that order, as far as you may see it."`
}

// QuestionRoute is one leg of a question's way.
type QuestionRoute struct {
	Agent      string    `json:"agent" doc:"Who was asked."`
	By         string    `json:"by" doc:"By whom: the asker, or who forwarded it."`
	Hop        int       `json:"hop" doc:"How many forwards led here."`
	Task       string    `json:"task" doc:"The task in which it was asked."`
	State      string    `json:"state" enum:"asked,answered,forwarded,failed" doc:"What became of it here."`
	Enrichment string    `json:"enrichment,omitempty" doc:"What the one who forwarded it knew."`
	Answer     string    `json:"answer,omitempty" doc:"What was answered."`
	AnswerID   string    `json:"answer_id,omitempty" doc:"The message of the answer."`
	At         time.Time `json:"at" doc:"When it was asked here."`
}

// QuestionList is questions, the newest first.
type QuestionList struct {
	Questions []Question `json:"questions" nullable:"false" doc:"The newest first."`
}

// QuestionRequest asks a question.
type QuestionRequest struct {
	Question string `json:"question" doc:"What you want to know."`
	Target   string `json:"target,omitempty" maxLength:"64" doc:"Whom to ask; everyone whom you may contact if it is left out."`
	Context  string `json:"context,omitempty" doc:"What the others need to know to answer it."`
	TaskID   string `json:"task_id,omitempty" doc:"The task you work on, if you hold one: the answers come to it."`
	Key      string `json:"key,omitempty" maxLength:"200" doc:"Makes it idempotent: the same key finds what was asked before."`
}

// AskedQuestion is an accepted question.
type AskedQuestion struct {
	ID       string    `json:"question_id,omitempty" doc:"The question; empty while it waits for approval."`
	Target   string    `json:"target,omitempty" doc:"Who was asked; empty if everyone was."`
	Asked    int       `json:"asked" doc:"How many were asked."`
	Text     string    `json:"text" doc:"The same as a sentence."`
	Approval *Approval `json:"approval,omitempty" doc:"What it waits for; it is asked when somebody approves."`
}

// AnswerRequest answers a question that you were asked.
type AnswerRequest struct {
	Answer string `json:"answer" doc:"What you know."`
	Key    string `json:"key,omitempty" maxLength:"200" doc:"Makes it idempotent."`
}

// ForwardRequest passes a question on that you were asked.
type ForwardRequest struct {
	Target     string `json:"target" maxLength:"64" doc:"Who knows better."`
	Enrichment string `json:"enrichment" doc:"What you know of it: the next one and the asker read it."`
	Key        string `json:"key,omitempty" maxLength:"200" doc:"Makes it idempotent."`
}
