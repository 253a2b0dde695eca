package page

import (
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/page/markup"
	"parley/internal/reading"
)

// Said is a message as a conversation shows it.
type Said struct {
	reading.Line
	Who    Who
	Day    string // of the line above it; empty if it needs none
	DayID  string
	New    bool // what follows is new to the visitor
	You    bool // it names the visitor, or asks it
	Kind   string
	Pact   *Pact
	Hub    bool // it is in the hub's own words
	Text   template.HTML
	Size   int           // characters, if only the beginning is shown
	Whole  template.HTML // all of it, if it is folded
	States []Delivered
	Open   bool // what is shown of it can still change
	Unseen bool // the visitor has not seen it
	Live   parley.TaskID
}

// Pact is what a message is in the work of two: a request, a result, a failure.
type Pact struct {
	Title string // Asked, Delegated to
	Who   Who
	Mark  Mark
	Fail  bool
	Now   string // what becomes of it
}

// Delivered is how far a message has come with one recipient.
type Delivered struct {
	Steps [4]bool
	Word  string
	At    parley.Micros
	All   bool
}

// said prepares messages for display; day says whether the first one needs the day
// above it in any case.
func (v *visit) said(p reading.Page, day bool) []Said {
	out := make([]Said, 0, len(p.Lines))
	before := p.Prior
	read, marked := v.readUpto(p), false
	for _, l := range p.Lines {
		s := v.saidLine(l)
		at := l.At.Time().In(v.zone)
		if day && len(out) == 0 || !sameDay(before.At.Time().In(v.zone), at) {
			s.Day, s.DayID = v.dayWord(at), "day-"+at.Format(time.DateOnly)
		}
		fresh := l.Author != v.Agent && (s.Unseen || read >= 0 && l.N > read)
		if fresh && !marked && day {
			s.New, marked = true, true
		}
		before = l.Message
		out = append(out, s)
	}
	return out
}

func (v *visit) again(p reading.Page) []Said {
	out := make([]Said, 0, len(p.Again))
	for _, l := range p.Again {
		out = append(out, v.saidLine(l))
	}
	return out
}

// readUpto is how far the visitor has read a group; -1 where that is not counted.
func (v *visit) readUpto(p reading.Page) int {
	for _, m := range p.Members {
		if m.Agent == v.Agent {
			return m.Read
		}
	}
	return -1
}

func (v *visit) dayWord(at time.Time) string {
	now := v.now.In(v.zone)
	switch {
	case sameDay(at, now):
		return "Today"
	case sameDay(at, now.AddDate(0, 0, -1)):
		return "Yesterday"
	case at.Year() == now.Year():
		return at.Format("Monday 2 January")
	}
	return at.Format("Monday 2 January 2006")
}

func (v *visit) saidLine(l reading.Line) Said {
	s := Said{Line: l, Who: v.whois(l.Author), Kind: kindWords[l.Kind], Hub: l.FromHub() || l.Kind == parley.NoticeMessage}
	s.Pact = v.pact(l)
	s.write(l, v.drawn, v.named)
	for _, d := range l.Deliveries {
		if d.Recipient == v.Agent {
			s.Unseen = d.Seen == 0 && l.Author != v.Agent
			s.You = l.Work.Agent == v.Agent && l.Work.State.Open() && request(l.Kind)
		}
		if shownDelivery(l, s.Who) {
			state := v.delivered(d)
			if why := v.held(l, d); why != "" {
				state.Word += ": " + why
			}
			s.States = append(s.States, state)
		}
		s.Open = s.Open || d.Seen == 0
	}
	s.Open = s.Open || l.Work.ID != 0 && l.Work.State.Open() || slices.ContainsFunc(l.Started, func(t parley.Task) bool { return t.State.Open() })
	s.You = s.You || slices.ContainsFunc(l.Started, func(t parley.Task) bool { return t.Agent == v.Agent }) || v.namesMe(l.Message)
	return s
}

// named finds whom a text mentions.
func (v *visit) named(folded string) (name string, you, ok bool) {
	name, id, ok := v.Reading.Named(v.Caller, folded)
	return name, id == v.Agent, ok
}

// namesMe reports whether a message mentions the visitor.
func (v *visit) namesMe(m parley.Message) bool {
	me := parley.FoldName(v.whois(v.Agent).Name)
	return m.Author != v.Agent && len(parley.Mentions(m.Body, func(folded string) bool { return folded == me })) > 0
}

var kindWords = map[parley.MessageKind]string{
	parley.NotificationMessage: "notification", parley.QuestionMessage: "question", parley.AnswerMessage: "answer", parley.ReplyMessage: "reply",
}

// request reports whether a message asks somebody for work.
func request(k parley.MessageKind) bool {
	return k == parley.AskMessage || k == parley.DelegateMessage || k == parley.SentMessage || k == parley.QuestionMessage
}

// pact is nil for what is only said.
func (v *visit) pact(l reading.Line) *Pact {
	p := &Pact{Mark: stateOf(l.Work.State)}
	to := l.Work.Agent
	for _, d := range l.Deliveries {
		to = d.Recipient
	}
	switch l.Kind {
	case parley.AskMessage:
		p.Title = "Asked"
	case parley.DelegateMessage:
		p.Title = "Delegated to"
	case parley.SentMessage:
		p.Title = "Message to"
	case parley.QuestionMessage:
		p.Title = "Question to"
	case parley.AnswerMessage:
		p.Title, p.Mark = "Answer for", stateOf("completed")
	case parley.ResultMessage:
		p.Title, p.Mark, to = "Delegation result for", stateOf("completed"), l.Work.Requester
	case parley.FailureMessage:
		p.Title, p.Mark, p.Fail, to = "Delegation failed at", stateOf("failed"), true, l.Work.Agent
	default:
		return nil
	}
	p.Who = v.whois(to)
	if request(l.Kind) && l.Work.ID != 0 && l.Work.State.Open() {
		p.Now = nowOf(l.Work, "", v.now)
		if p.Now == "" {
			p.Now = p.Mark.Word
		}
	}
	return p
}

// Texts longer than these are folded, and those longer than the last one are read on a
// page of their own.
const (
	longText  = 1800
	longLines = 28
	beginning = 900
	foldable  = 20_000
)

// write makes the text of a message, folded if it is long.
func (s *Said) write(l reading.Line, drawn *markup.Drawn, named markup.Named) {
	size := utf8.RuneCountInString(l.Body)
	if size <= longText && strings.Count(l.Body, "\n") <= longLines {
		s.Text = drawn.Mentioning(l.Body, named)
		return
	}
	s.Size = size
	s.Text = drawn.Mentioning(opening(l.Body), named)
	if size <= foldable {
		s.Whole = drawn.Mentioning(l.Body, named)
	}
}

// opening is the beginning of a text, up to the end of a line if there is one.
func opening(text string) string {
	lines := strings.SplitAfterN(text, "\n", longLines/2)
	if len(lines) == longLines/2 {
		text = strings.Join(lines[:len(lines)-1], "")
	}
	if utf8.RuneCountInString(text) <= beginning {
		return text
	}
	text = string([]rune(text)[:beginning])
	if i := strings.LastIndexByte(text, '\n'); i > beginning/2 {
		return text[:i]
	}
	return text + "…"
}

// shownDelivery reports whether it is of interest what became of a message: of what
// people say, and of every request.
func shownDelivery(l reading.Line, author Who) bool {
	return author.Person() || request(l.Kind) || l.Kind == parley.NotificationMessage
}

func (v *visit) delivered(d parley.Delivery) Delivered {
	name := v.whois(d.Recipient).Name
	out := Delivered{Steps: [4]bool{true, d.Delivered > 0, d.Seen > 0, d.Answered > 0}, All: d.Answered > 0}
	switch d.State() {
	case "answered":
		out.Word, out.At = "answered by "+name, d.Answered
	case "seen":
		out.Word, out.At = "seen by "+name, d.Seen
	case "delivered":
		out.Word, out.At = "delivered to "+name, d.Delivered
	default:
		out.Word = "accepted for " + name
	}
	for i := 2; i >= 0; i-- { // who has answered has seen it
		out.Steps[i] = out.Steps[i] || out.Steps[i+1]
	}
	return out
}

// Legend explains the four fields.
func (f Frame) Legend() []Delivered {
	return []Delivered{{Steps: [4]bool{true}, Word: "accepted: stored, not lost"}, {Steps: [4]bool{true, true}, Word: "delivered: the agent has it"},
		{Steps: [4]bool{true, true, true}, Word: "seen: its model read it"}, {Steps: [4]bool{true, true, true, true}, Word: "answered", All: true}}
}
