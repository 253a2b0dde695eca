package api

import "time"

// SearchHit is something that was found.
type SearchHit struct {
	ID      string    `json:"id" doc:"The message, such as msg-7, or keeper-7/3 for one of a keeper."`
	Author  string    `json:"author" doc:"Who wrote it."`
	Place   string    `json:"place" doc:"Where it stands: #standup for a channel, or the two of a dm; of a keeper its topic."`
	Thread  string    `json:"thread,omitempty" doc:"The conversation it is in."`
	Kind    string    `json:"kind" doc:"What kind of message it is, such as ask or reply."`
	Task    string    `json:"task_id,omitempty" doc:"The task that it belongs to, if you may see it."`
	Title   string    `json:"task_title,omitempty" doc:"What the task is."`
	State   string    `json:"task_state,omitempty" doc:"How far the task is."`
	More    int       `json:"more,omitempty" doc:"How many further messages of the task were found, where tasks are asked for."`
	At      time.Time `json:"at" doc:"When it was said."`
	Score   float64   `json:"score" doc:"How well it fits, to be compared within one answer only; 0 where the newest are asked for."`
	Excerpt string    `json:"excerpt" doc:"The piece of the text in which most was found, on one line."`
	Parts   []Excerpt `json:"parts" nullable:"false" doc:"The excerpt in pieces, so that what was found can be shown."`
}

// Excerpt is a piece of an excerpt.
type Excerpt struct {
	Text  string `json:"text" doc:"Some of the text."`
	Found bool   `json:"found,omitempty" doc:"This is what was looked for."`
}

// SearchResult is what was found.
type SearchResult struct {
	Hits []SearchHit `json:"hits" nullable:"false" doc:"The best first, or the newest."`
}
