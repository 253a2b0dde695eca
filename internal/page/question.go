package page

import (
	"strconv"
	"strings"

	"parley"
	"parley/internal/contact"
	"parley/internal/reading"
)

func (d *Door) registerQuestions() {
	d.show("/questions", "questions", func(v *visit) (any, error) { return v.questions() })
	d.show("/questions/{id}", "question", func(v *visit) (any, error) { return v.question() })
	d.act("/questions/{id}/answer", (*visit).answerQuestion)
	d.act("/questions/{id}/forward", (*visit).forwardQuestion)
	d.act("/questions/{id}/pass", (*visit).passQuestion)
}

// Questions are the questions of the team: the open ones, then those that are closed.
type Questions struct {
	Agent  string // who asked or was asked; empty for any
	Open   []Asked
	Closed []Asked
	More   string // the address of a longer list; empty if this is all
}

func (Questions) Titled() (title, here string) { return "Questions", "/questions" }

const (
	questionList = 50
	longestList  = 1000
)

func (v *visit) questions() (out Questions, err error) {
	out.Agent = strings.TrimPrefix(strings.TrimSpace(v.r.URL.Query().Get("agent")), "@")
	most := v.number("n", questionList, longestList)
	open, err := v.Reading.Questions(v.ctx, v.Caller, reading.QuestionFilter{Agent: out.Agent, Open: true, Limit: longestList})
	if err != nil {
		return out, err
	}
	for _, q := range open {
		out.Open = append(out.Open, v.asked(q))
	}
	// Open ones may be among the newest, so more are read than are shown.
	all, err := v.Reading.Questions(v.ctx, v.Caller, reading.QuestionFilter{Agent: out.Agent, Limit: most + len(open) + 1})
	if err != nil {
		return out, err
	}
	for _, q := range all {
		if q.State != parley.QuestionOpen {
			out.Closed = append(out.Closed, v.asked(q))
		}
	}
	if len(out.Closed) > most {
		out.Closed = out.Closed[:most]
		if most < longestList {
			out.More = v.here("n", strconv.Itoa(2*most))
		}
	}
	return out, nil
}

// Asked is a question with the path that it has taken.
type Asked struct {
	parley.Question
	Mark Mark
	Path []Hop
	Left int  // hops that are left out, all of whom wait
	You  *Hop // the visitor's own, if it can still act on it
}

// Titled is for the view of one question.
func (a Asked) Titled() (title, here string) { return a.ID.String(), "/questions" }

// Hop is one of whom a question reached.
type Hop struct {
	reading.Route
	Mark Mark
	On   []reading.Route // whom it passed the question on to
}

var questionMarks = map[parley.QuestionState]Mark{
	parley.QuestionOpen: {"wait", "open"}, parley.QuestionAnswered: {"done", "answered"},
	parley.QuestionExpired: {"cancel", "expired"}, parley.QuestionFailed: {"fail", "nobody could answer"},
}

var routeMarks = map[parley.RouteState]Mark{
	parley.RouteAsked: {"wait", "waits for an answer"}, parley.RouteAnswered: {"done", "answered"}, parley.RouteForwarded: {"pass", "passed it on"},
	parley.RouteFailed: {"fail", "failed"}, parley.RoutePassed: {"cancel", "does not know"},
}

// hops is how many of a path are shown whatever they do. Of the others, who were all
// asked at once, only those who did something are.
const hops = 40

func (v *visit) asked(q reading.Question) Asked {
	out := Asked{Question: q.Question, Mark: questionMarks[q.State]}
	open := q.State == parley.QuestionOpen
	for _, r := range q.Routes {
		h := Hop{Route: r, Mark: routeMarks[r.State]}
		if r.State == parley.RouteForwarded { // few do, of many who were asked
			for _, on := range q.Routes {
				if on.By == r.Agent && on.Hop > r.Hop {
					h.On = append(h.On, on)
				}
			}
		}
		if !open && r.State == parley.RouteAsked {
			h.Mark = Mark{"off", "gave no answer"}
		}
		mine := r.Agent == v.Agent
		if mine && open && r.State == parley.RouteAsked {
			h.Mark = Mark{"you", "waits for you"}
			out.You = &h
		}
		if len(out.Path) >= hops && r.State == parley.RouteAsked && !mine {
			out.Left++
			continue
		}
		out.Path = append(out.Path, h)
	}
	if out.You != nil {
		out.Mark = Mark{"you", "waits for you"}
	}
	return out
}

// Waits lists those whose answer is awaited.
func (a Asked) Waits() (list []Hop) {
	for _, h := range a.Path {
		if h.State == parley.RouteAsked && a.Question.State == parley.QuestionOpen {
			list = append(list, h)
		}
	}
	return list
}

// Answers are the hops that have answered.
func (a Asked) Answers() (list []Hop) {
	for _, h := range a.Path {
		if h.State == parley.RouteAnswered {
			list = append(list, h)
		}
	}
	return list
}

func (v *visit) question() (Asked, error) {
	id, err := parley.ParseQuestionID(v.r.PathValue("id"))
	if err != nil {
		return Asked{}, err
	}
	q, err := v.Reading.Question(v.ctx, v.Caller, id)
	if err != nil {
		return Asked{}, err
	}
	return v.asked(q), nil
}

// onQuestion does something with the question of the address and goes back to it.
func (v *visit) onQuestion(do func(parley.QuestionID) error) (Done, error) {
	id, err := parley.ParseQuestionID(v.r.PathValue("id"))
	if err != nil {
		return Done{}, err
	}
	return Done{Go: "/questions/" + id.String()}, do(id)
}

func (v *visit) answerQuestion() (Done, error) {
	return v.onQuestion(func(id parley.QuestionID) error {
		return v.Contacts.AnswerQuestion(v.ctx, v.Caller, id, v.r.PostFormValue("text"), v.Key)
	})
}

func (v *visit) passQuestion() (Done, error) {
	return v.onQuestion(func(id parley.QuestionID) error { return v.Contacts.PassQuestion(v.ctx, v.Caller, id) })
}

func (v *visit) forwardQuestion() (Done, error) {
	return v.onQuestion(func(id parley.QuestionID) error {
		_, err := v.Contacts.ForwardQuestion(v.ctx, v.Caller, contact.Forwarding{Question: id, Target: strings.TrimPrefix(strings.TrimSpace(v.r.PostFormValue("to")), "@"),
			Enrichment: v.r.PostFormValue("why"), Key: v.Key})
		return err
	})
}
