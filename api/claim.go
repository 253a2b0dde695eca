package api

import "time"

// ClaimList says who works on what.
type ClaimList struct {
	Claims []Claim `json:"claims" nullable:"false" doc:"By path and line."`
}

// Claim reserves a region of a file, or anything else that has a name.
type Claim struct {
	Path   string    `json:"path" doc:"A path relative to the workspace, or a name."`
	From   int       `json:"from_line,omitempty" doc:"The first line; missing for the whole file."`
	To     int       `json:"to_line,omitempty" doc:"The last line; missing for the whole file, or if the claim goes to its end."`
	Holder string    `json:"holder" doc:"Who holds it."`
	TaskID string    `json:"task_id,omitempty" doc:"The task that it was taken for. It ends with the task."`
	Until  time.Time `json:"until" doc:"When it ends, unless it is renewed."`
}
