package api

import "time"

// SearchHit is a message that a search found.
type SearchHit struct {
	ID      string    `json:"id" doc:"The message, such as msg-7; keeper-7/3 for one in a keeper."`
	Author  string    `json:"author" doc:"Who wrote it."`
	Place   string    `json:"place" doc:"Where it was written: #standup for a channel, or the two participants of a dm. For a keeper, its topic."`
	Thread  string    `json:"thread,omitempty" doc:"The conversation it belongs to."`
	Kind    string    `json:"kind" doc:"The kind of message, such as ask or reply."`
	Task    string    `json:"task_id,omitempty" doc:"The task that it belongs to, if you may see it."`
	Title   string    `json:"task_title,omitempty" doc:"The task's title."`
	State   string    `json:"task_state,omitempty" doc:"The task's state."`
	More    int       `json:"more,omitempty" doc:"In a search for tasks: how many other messages of the task were found."`
	At      time.Time `json:"at" doc:"When it was written."`
	Excerpt string    `json:"excerpt" doc:"The part of the text with the most matches, on one line."`
	Parts   []Excerpt `json:"parts" nullable:"false" doc:"The excerpt in pieces, so that the matches can be highlighted."`
}

// Excerpt is one piece of an excerpt.
type Excerpt struct {
	Text  string `json:"text" doc:"The text of the piece."`
	Found bool   `json:"found,omitempty" doc:"The piece is a match."`
}

// SearchResult is what a search found.
type SearchResult struct {
	Hits []SearchHit `json:"hits" nullable:"false" doc:"Best or newest first."`
	// Behind and Incomplete are left out of most answers.
	Behind     int  `json:"behind,omitempty" doc:"How many messages that you may read are not in the index yet. They were searched one by one."`
	Incomplete bool `json:"incomplete,omitempty" doc:"The index is behind, and there was no time to search everything that it does not have yet."`
}
