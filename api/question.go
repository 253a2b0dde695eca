package api

import "time"

// Question is a question with its routes.
type Question struct {
	ID      string          `json:"id" doc:"Such as query-12."`
	State   string          `json:"state" enum:"open,answered,expired,failed" doc:"All but open are final. expired: nobody answered in time. failed: everyone who was asked has failed or passed."`
	Asker   string          `json:"asker" doc:"Who asks."`
	Target  string          `json:"target,omitempty" doc:"Who was asked first; empty if everyone was."`
	Text    string          `json:"question" doc:"What is asked."`
	Context string          `json:"context,omitempty" doc:"Background from the asker."`
	Task    string          `json:"task,omitempty" doc:"The task whose turn asks."`
	Hops    int             `json:"hops" doc:"How often it was forwarded."`
	Created time.Time       `json:"created" doc:"When it was asked."`
	Expires time.Time       `json:"expires" doc:"When it expires if nobody has answered."`
	Closed  *time.Time      `json:"closed,omitempty" doc:"When it was closed."`
	Routes  []QuestionRoute `json:"routes" nullable:"false" doc:"Who was asked, in order, as far as you may see."`
}

// QuestionRoute says that one agent was asked a question, and by whom.
type QuestionRoute struct {
	Agent      string    `json:"agent" doc:"Who was asked."`
	By         string    `json:"by" doc:"By whom: the asker, or whoever forwarded it."`
	Hop        int       `json:"hop" doc:"How many forwards led here."`
	Task       string    `json:"task" doc:"The task in which it was asked."`
	State      string    `json:"state" enum:"asked,answered,forwarded,failed,passed" doc:"What became of it here."`
	Enrichment string    `json:"enrichment,omitempty" doc:"What whoever forwarded it added."`
	Answer     string    `json:"answer,omitempty" doc:"The answer."`
	AnswerID   string    `json:"answer_id,omitempty" doc:"The message that holds the answer."`
	At         time.Time `json:"at" doc:"When it was asked here."`
}

// QuestionList is a list of questions.
type QuestionList struct {
	Questions []Question `json:"questions" nullable:"false" doc:"Newest first."`
}

// QuestionRequest asks a question.
type QuestionRequest struct {
	Question string `json:"question" doc:"What you want to know."`
	Target   string `json:"target,omitempty" maxLength:"64" doc:"Whom to ask. If left out, everyone whom you may contact."`
	Context  string `json:"context,omitempty" doc:"Background that others need to answer it."`
	TaskID   string `json:"task_id,omitempty" doc:"The task you work on, if you hold one. The answers go there."`
	Key      string `json:"key,omitempty" maxLength:"200" doc:"Makes the request idempotent: the same key finds what was asked before."`
}

// AskedQuestion is an accepted question.
type AskedQuestion struct {
	ID       string    `json:"question_id,omitempty" doc:"The question; empty while it waits for approval."`
	Target   string    `json:"target,omitempty" doc:"Who was asked; empty if everyone was."`
	Asked    int       `json:"asked" doc:"How many were asked; of everyone, how many at first."`
	Text     string    `json:"text" doc:"The same in a sentence."`
	Approval *Approval `json:"approval,omitempty" doc:"What it waits for. It is asked when somebody approves."`
}

// AnswerRequest answers a question that you were asked.
type AnswerRequest struct {
	Answer string `json:"answer,omitempty" doc:"What you know. It can be left out only with pass."`
	Pass   bool   `json:"pass,omitempty" doc:"You do not know. Nothing is delivered then, whatever answer says."`
	Key    string `json:"key,omitempty" maxLength:"200" doc:"Makes the request idempotent."`
}

// ForwardRequest passes on a question that you were asked.
type ForwardRequest struct {
	Target     string `json:"target" maxLength:"64" doc:"Who knows better."`
	Enrichment string `json:"enrichment" doc:"What you know about it. The target and the asker read it."`
	Key        string `json:"key,omitempty" maxLength:"200" doc:"Makes the request idempotent."`
}
