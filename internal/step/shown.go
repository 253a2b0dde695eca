package step

import (
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/internal/model"
)

// Kind is what a step is to people.
type Kind string

const (
	KindBegin  Kind = "begin"
	KindReply  Kind = "reply"
	KindCall   Kind = "call"
	KindResult Kind = "result"
	KindTold   Kind = "told"
	KindWait   Kind = "wait"
	KindEnd    Kind = "end"
)

// Shown is a step as people read it.
type Shown struct {
	// Part says which part of its row it is: empty for the row's own, else the id of a
	// call, or begin or end.
	Part string
	Task parley.TaskID
	Turn int
	N    int
	At   parley.Micros

	Kind Kind
	Line string
	Text string
	Tool string
	Args json.RawMessage

	Failed  bool
	Files   []string
	Command string
	Exit    *int

	Took      time.Duration
	Spent     parley.Spending
	Estimated bool

	// Messages are those whose text the step shows.
	Messages []parley.MessageID
}

// ID is the step's name.
func (s Shown) ID() string {
	id := fmt.Sprintf("%s.%d.%d", s.Task, s.Turn, s.N)
	if s.Part != "" {
		id += "." + s.Part
	}
	return id
}

// Reader turns the rows of one task into what people read. A result is read with the call
// that it belongs to, so the rows of a turn come in their order, and begin with a reply or
// with the first of the turn. The zero value is ready.
type Reader struct {
	turn    int
	before  parley.Micros // when the row before was stored; 0 for the first of a turn
	pending []call        // calls without a result
}

// call is a call of the last reply.
type call struct {
	model.Call
	since parley.Micros // when it was called, or began to run
	held  parley.ApprovalID
}

// Read reads the next row. A row that cannot be read, such as one of a newer version, is
// nothing.
func (r *Reader) Read(s parley.Step) []Shown {
	if s.Turn != r.turn {
		r.turn, r.before, r.pending = s.Turn, 0, nil
	}
	defer func() { r.before = s.At }()
	c, err := Decode(s)
	if err != nil {
		return nil
	}
	own := Shown{Task: s.Task, Turn: s.Turn, N: s.N, At: s.At, Spent: s.Spent}
	switch c := c.(type) {
	case Prompt:
		return []Shown{own.begin(c)}
	case Reply:
		return r.reply(own, c)
	case Inbox:
		return []Shown{own.told(c)}
	case Started:
		if i := r.find(c.Call); i >= 0 {
			r.pending[i].since = s.At
		}
		return nil
	case Held:
		return []Shown{r.hold(own, c)}
	case Result:
		return []Shown{r.result(own, c)}
	case Away:
		return []Shown{own.away(c)}
	case Lost:
		own.Kind, own.Failed, own.Estimated = KindReply, true, c.Usage.Estimated
		own.Line = "gets no reply that can be used"
		return []Shown{own}
	}
	return nil
}

// Now says what a turn does after the rows that were read, and since when.
func (r *Reader) Now() (line string, since parley.Micros) {
	for i := range r.pending {
		if p := &r.pending[i]; p.held == 0 {
			return waitsFor(p.Call), p.since
		}
	}
	if len(r.pending) > 0 {
		return "waits for " + r.pending[0].held.String(), r.pending[0].since
	}
	return "thinks", r.before
}

func (r *Reader) find(id string) int {
	for i := range r.pending {
		if r.pending[i].ID == id {
			return i
		}
	}
	return -1
}

// reply is what the turn began with, if the row holds it, then what the model said, and
// then its calls.
func (r *Reader) reply(own Shown, c Reply) (list []Shown) {
	if c.Prompt != nil {
		begin := Shown{Part: "begin", Task: own.Task, Turn: own.Turn, N: own.N, At: own.At}
		list = append(list, begin.begin(*c.Prompt))
	}
	said := own
	said.Kind, said.Text, said.Took = KindReply, c.Text, own.Spent.Active
	said.Estimated = c.Usage.Estimated
	// The time at work also counts the calls since the reply before.
	if gap := own.At.Since(r.before); r.before > 0 && gap < said.Took {
		said.Took = gap
	}
	switch {
	case c.Rejected != "":
		said.Failed, said.Line = true, "replies with what cannot be used: "+clip(c.Rejected)
		if said.Text == "" {
			said.Text = c.Rejected
		}
	case c.Text != "":
		said.Line = "says: " + clip(c.Text)
	case len(c.Calls) > 0:
		said.Line = "calls " + toolsOf(c.Calls)
	default:
		said.Line = "says nothing"
	}
	list = append(list, said)
	r.pending = nil
	for _, m := range c.Calls {
		r.pending = append(r.pending, call{Call: m, since: own.At})
		s := Shown{Part: m.ID, Task: own.Task, Turn: own.Turn, N: own.N, At: own.At, Kind: KindCall}
		list = append(list, s.of(m))
	}
	if len(c.Calls) == 0 && c.Rejected == "" {
		list = append(list, Shown{Part: "end", Task: own.Task, Turn: own.Turn, N: own.N, At: own.At, Kind: KindEnd, Line: "ends the turn"})
	}
	return list
}

// of adds what a call is about.
func (s Shown) of(m model.Call) Shown {
	a := argumentsOf(m)
	s.Tool, s.Args, s.Line, s.Command = m.Name, valid(m.Args), a.line(), a.command()
	return s
}

// valid leaves out what is no JSON, so that the rest can be shown.
func valid(args json.RawMessage) json.RawMessage {
	if !json.Valid(args) {
		return nil
	}
	return args
}

func (r *Reader) hold(own Shown, c Held) Shown {
	own.Kind = KindWait
	if i := r.find(c.Call); i >= 0 {
		r.pending[i].held, r.pending[i].since = c.Approval, own.At
		own = own.of(r.pending[i].Call)
	}
	own.Line = "waits for " + c.Approval.String() + " to go on: " + own.Line
	if c.Round {
		own.Line = "waits for " + c.Approval.String() + ": a person decides about more rounds"
	}
	return own
}

func (r *Reader) result(own Shown, c Result) Shown {
	own.Kind, own.Text, own.Failed, own.Exit = KindResult, c.Text, c.Error, c.Exit
	line := "a call"
	if i := r.find(c.Call); i >= 0 {
		m, since := r.pending[i].Call, r.pending[i].since
		own = own.of(m)
		own.Took = own.At.Since(since)
		line = own.Line
		if !c.Error {
			own.Files = argumentsOf(m).changed()
		}
		r.pending = append(r.pending[:i:i], r.pending[i+1:]...)
		r.next(m, since, own.At)
	}
	if own.Line = line; c.Error || c.Exit != nil || !plain(own.Tool) {
		own.Line += " → " + outcome(c)
	}
	own.Failed = own.Failed || c.Exit != nil && *c.Exit != 0
	return own
}

// next notes that the calls after one that has ended begin now. Those that only look ran
// beside it, if it only looked too, and those that are stored when they begin say so.
func (r *Reader) next(ended model.Call, since, now parley.Micros) {
	for i := range r.pending {
		p := &r.pending[i]
		if p.held == 0 && p.since == since && !(looks(ended.Name) && looks(p.Name)) {
			p.since = now
		}
	}
}

// outcome is a result in a few words.
func outcome(c Result) string {
	switch {
	case c.Error:
		return "failed: " + clip(c.Text)
	case c.Exit != nil:
		return fmt.Sprintf("exit code %d", *c.Exit)
	}
	return clip(c.Text)
}

func (s Shown) begin(p Prompt) Shown {
	s.Kind, s.Line = KindBegin, "begins"
	if s.Turn > 1 {
		s.Line = fmt.Sprintf("goes on, turn %d", s.Turn)
	}
	s.Messages = append(p.UnreadIDs(), p.Notices...)
	if n := len(s.Messages); n > 0 {
		s.Line += fmt.Sprintf(", with %d unread %s", n, plural(n, "message"))
	}
	if p.Open > 0 {
		s.Line += fmt.Sprintf(", %d %s open", p.Open, plural(p.Open, "subtask"))
	}
	s.Text = p.Relevant
	return s
}

func (s Shown) told(c Inbox) Shown {
	s.Kind, s.Line = KindTold, "is told what came back"
	s.Messages = append(append(s.Messages, c.Mail...), c.Notices...)
	if n := len(s.Messages); n > 0 {
		s.Line = fmt.Sprintf("is told %d new %s", n, plural(n, "message"))
	}
	if c.Unread != nil && len(s.Messages) == 0 {
		s.Line = fmt.Sprintf("is told that it has mail: %d unread", c.Unread.Count)
	}
	return s
}

func (s Shown) away(c Away) Shown {
	s.Kind, s.Line = KindTold, "puts older messages away"
	if len(c.Keepers) > 0 {
		k := c.Keepers[len(c.Keepers)-1]
		s.Line = fmt.Sprintf("puts %d messages away in %s: %s", k.Count, k.ID, clip(k.Topic))
	}
	return s
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
