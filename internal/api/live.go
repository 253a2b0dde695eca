package api

// Live is something that happens in a task at this moment.
type Live struct {
	Kind   string `json:"kind" doc:"step: the model is asked, and what it says next is a new reply; text: more of it; restart: what it has said of it is void; tool: it calls one; end: the task has ended."`
	Text   string `json:"text,omitempty" doc:"Of a text."`
	Tool   string `json:"tool,omitempty" doc:"The tool's name."`
	State  string `json:"state,omitempty" doc:"How the task ended."`
	Missed bool   `json:"missed,omitempty" doc:"Something before this was dropped, because the reader was too slow."`
}
