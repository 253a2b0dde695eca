package api

import (
	"encoding/json"
	"time"
)

// The kinds of steps.
const (
	StepBegin  = "begin"  // a turn begins: what it was shown
	StepReply  = "reply"  // what the model said
	StepCall   = "call"   // the model calls a tool
	StepResult = "result" // what came of a call
	StepTold   = "told"   // what was shown or put away between two steps
	StepWait   = "wait"   // a call waits for an approval
	StepEnd    = "end"    // the turn has said its last word
)

// Step is one step of an agent's turn, as people read it. What was stored at once may be
// several steps: a reply and each of its calls.
type Step struct {
	ID     string    `json:"id" doc:"Task, turn and number, such as task-12.1.3. A call of a reply has the call's own id in addition; the beginning and the end of a turn that are stored with a reply have begin and end."`
	Cursor string    `json:"cursor" doc:"Its position among the steps of the team."`
	Task   string    `json:"task" doc:"The task that is worked on."`
	Agent  string    `json:"agent" doc:"Whose turn it is."`
	Turn   int       `json:"turn" doc:"The number of the turn in its task."`
	N      int       `json:"n" doc:"The number of the row in its turn."`
	At     time.Time `json:"at" doc:"When it was stored."`
	Kind   string    `json:"kind" doc:"begin: what the turn was shown; reply: what the model said; call: it calls a tool; result: what came of a call; told: what it was shown between two steps, or put away; wait: a call waits for an approval; end: the turn's last word is said."`
	Line   string    `json:"line" doc:"The step in one line, such as: reads main.go"`
	Text   string    `json:"text,omitempty" doc:"The whole text of a reply, a result or what was shown."`
	Tool   string    `json:"tool,omitempty" doc:"The tool of a call or result."`
	// Arguments are those of a call or result.
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"What the tool was called with."`
	Failed    bool            `json:"failed,omitempty" doc:"The call failed or was refused, its command did not end with 0, or the reply could not be used."`
	Files     []string        `json:"files,omitempty" nullable:"false" doc:"The files that a call has changed."`
	Command   string          `json:"command,omitempty" doc:"The command that a call runs."`
	ExitCode  *int            `json:"exit_code,omitempty" doc:"How the command ended; missing if it was cut short."`
	Took      time.Duration   `json:"took_ms,omitempty" doc:"How long a reply or a call took, in milliseconds."`
	Input     int64           `json:"input_tokens,omitempty" doc:"Tokens that the model read."`
	Output    int64           `json:"output_tokens,omitempty" doc:"Tokens that the model wrote."`
	Cost      float64         `json:"cost,omitempty" doc:"US dollars; a model whose price is not known counts as free."`
	Estimated bool            `json:"estimated,omitempty" doc:"The tokens are an estimate, since the reply never came."`
}

// plainStep is a Step without its methods.
type plainStep Step

// wireStep is a Step as it travels: its own Took hides the other.
type wireStep struct {
	plainStep
	Took int64 `json:"took_ms,omitempty"`
}

// MarshalJSON writes the time in whole milliseconds.
func (s Step) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireStep{plainStep: plainStep(s), Took: s.Took.Round(time.Millisecond).Milliseconds()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Step) UnmarshalJSON(data []byte) error {
	var w wireStep
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*s = Step(w.plainStep)
	s.Took = time.Duration(w.Took) * time.Millisecond
	return nil
}

// StepList is a page of steps.
type StepList struct {
	Steps []Step `json:"steps" nullable:"false" doc:"Oldest first."`
	Next  string `json:"next,omitempty" doc:"What to give as after for the page that follows; missing if there was no more."`
	// Before is for the pages of GET /v1/steps.
	Before  string `json:"before,omitempty" doc:"What to give as before for the page with older steps; missing if there are none."`
	Removed string `json:"removed,omitempty" doc:"Says that steps that belong here were removed, because they were older than the team keeps them."`
}
