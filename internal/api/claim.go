package api

import "time"

// ClaimList is who works on what.
type ClaimList struct {
	Claims []Claim `json:"claims" nullable:"false" doc:"By path and line."`
}

// Claim is a lease on a region of a file, or on another named thing.
type Claim struct {
	Path   string    `json:"path" doc:"Relative to the workspace, or a name."`
	From   int       `json:"from_line,omitempty" doc:"The first line; none for the whole."`
	To     int       `json:"to_line,omitempty" doc:"The last line; none for the whole, and if it goes to the end."`
	Holder string    `json:"holder" doc:"Who holds it."`
	TaskID string    `json:"task_id,omitempty" doc:"The task that it was taken for; it ends with it."`
	Until  time.Time `json:"until" doc:"When it is free, unless it is renewed."`
}
