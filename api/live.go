package api

// Live is something that is happening in a task right now.
type Live struct {
	Kind   string `json:"kind" doc:"step: the model begins a new reply; text: more of that reply; restart: forget the reply so far, it begins again; tool: the model calls a tool; waiting: the provider asks for patience, and the model is asked again later; end: the task has ended."`
	Text   string `json:"text,omitempty" doc:"The next piece of the reply, or what the task waits for."`
	Tool   string `json:"tool,omitempty" doc:"The tool's name."`
	State  string `json:"state,omitempty" doc:"How the task ended."`
	Missed bool   `json:"missed,omitempty" doc:"Something before this was dropped, because the reader was too slow."`
}
