package api

// TaskDiff is what a task changed in files.
type TaskDiff struct {
	Task  string     `json:"task" doc:"The task."`
	Files []FileDiff `json:"files" doc:"By path."`
	Notes []string   `json:"notes,omitempty" doc:"Whose changes these are, what is not known, such as what an interrupted command has changed, and what is not shown, such as what git ignores."`
	Cut   bool       `json:"cut,omitempty" doc:"Some of the text was too long and is left out."`
}

// FileDiff is what was changed at one path.
type FileDiff struct {
	Path    string     `json:"path" doc:"Relative to the workspace. One that is not plain text stands in quotes, with octal escapes, as git writes it."`
	From    string     `json:"from,omitempty" doc:"Its former path, if it was renamed."`
	Memory  bool       `json:"memory,omitempty" doc:"It is what an agent remembers, not in the workspace."`
	Change  string     `json:"change" enum:"created,changed,deleted,renamed" doc:"What happened to it."`
	Before  *FileState `json:"before,omitempty" doc:"What stood there; absent if nothing did."`
	After   *FileState `json:"after,omitempty" doc:"What stood there afterwards; absent if nothing did."`
	Tasks   []string   `json:"tasks" doc:"The tasks that changed it."`
	Command bool       `json:"command,omitempty" doc:"A command changed it: it was seen by looking before and after."`
	Undone  bool       `json:"undone,omitempty" doc:"It was taken back."`
	Doubt   string     `json:"doubt,omitempty" doc:"Why it is not certain what was changed."`
	Text    string     `json:"text" doc:"A unified diff that git can apply; empty for a folder and for what was taken back."`
}

// FileState is what stood at a path.
type FileState struct {
	Kind string `json:"kind" enum:"file,folder,link,other" doc:"What it was."`
	Mode string `json:"mode,omitempty" example:"0644" doc:"Its permissions."`
	Size int64  `json:"size" doc:"In bytes."`
	Hash string `json:"hash,omitempty" doc:"SHA-256 of the content; absent if it was too large to be read."`
	Kept bool   `json:"kept" doc:"The content is stored."`
}

// UndoRequest says what to take back.
type UndoRequest struct {
	Only     bool `json:"only,omitempty" doc:"Leave out what the tasks below have changed."`
	Partial  bool `json:"partial,omitempty" doc:"Take back what can be taken back. Without it nothing is done unless everything can be."`
	Commands bool `json:"commands,omitempty" doc:"Take back what commands changed too. It was found by looking before and after, and may hold what somebody else wrote at that time; without this it is refused by name."`
}

// Undone is what was taken back.
type Undone struct {
	Task    string       `json:"task" doc:"The task."`
	Files   []UndoneFile `json:"files" doc:"What is now as it was before the task."`
	Refused []NotUndone  `json:"refused,omitempty" doc:"What was left as it is, with the reason."`
	Before  bool         `json:"before,omitempty" doc:"Everything had been taken back earlier."`
	Notes   []string     `json:"notes,omitempty" doc:"Whose changes these were, and what was not among them, such as what git ignores."`
}

// UndoneFile is a path that is as it was.
type UndoneFile struct {
	Path string `json:"path" doc:"The path."`
	What string `json:"what" enum:"restored,removed,made again" doc:"What was done."`
}

// NotUndone is a path that was not touched.
type NotUndone struct {
	Path    string `json:"path" doc:"The path."`
	Why     string `json:"why" doc:"Why it was left as it is."`
	Command bool   `json:"command,omitempty" doc:"Only because a command changed it: a request with commands takes it back."`
}
