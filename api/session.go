package api

import "time"

// Link signs a person in to the page once.
type Link struct {
	Path    string    `json:"path" doc:"The path of the link, with its code. It is shown only here."`
	Expires time.Time `json:"expires" doc:"Until when it can be opened."`
}

// Session is a browser in which a person has signed in.
type Session struct {
	ID      string    `json:"id" doc:"Such as session-7."`
	For     string    `json:"for,omitempty" doc:"Who has signed in."`
	Browser string    `json:"browser,omitempty" doc:"What the browser calls itself."`
	Token   string    `json:"token,omitempty" doc:"The id of the token that it comes from, and ends with."`
	Created time.Time `json:"created" doc:"When the person signed in."`
	Used    time.Time `json:"used" doc:"When it was last used, give or take a minute."`
	Expires time.Time `json:"expires" doc:"When it ends if it is not used."`
}

// SessionList is a list of sessions.
type SessionList struct {
	Sessions []Session `json:"sessions" doc:"By id."`
}
