package page

import (
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/reading"
)

func (d *Door) registerAsks() {
	d.show("/asks/{task}", "ask", func(v *visit) (any, error) { return v.ask() })
	d.act("/asks/{task}/answer", (*visit).answerAsk)
	d.act("/asks/{task}/decline", (*visit).declineAsk)
}

// Ask is what somebody asks a person, with what was said before.
type Ask struct {
	reading.Task
	Who, To  Who
	Question string
	Options  []string
	Context  string
	Mark     Mark
	For, URL string // the asker's own work
	Before   []Quoted
	Yours    bool
}

func (a Ask) Titled() (title, here string) { return a.Who.Name + " asks", "/" }

// Open reports whether it still waits for an answer.
func (a Ask) Open() bool { return a.State.Open() }

const askBefore = 30

func (v *visit) ask() (Ask, error) {
	id, err := parley.ParseTaskID(v.r.PathValue("task"))
	if err != nil {
		return Ask{}, err
	}
	t, err := v.Reading.Task(v.ctx, v.Caller, id)
	if err != nil {
		return Ask{}, err
	}
	a := Ask{Task: t, Who: v.whois(t.Requester), To: v.whois(t.Agent), Yours: t.Agent == v.Agent, Mark: stateOf(t.State)}
	if a.Open() && a.Yours {
		a.Mark = Mark{"you", "waits for you"}
	}
	m, err := v.Reading.Message(v.ctx, v.Caller, t.Request)
	if err != nil {
		return a, err
	}
	text := m.Body
	if m.Whole != "" {
		text = m.Whole
	}
	a.Question, a.Options = parley.Choices(text)
	a.Context = m.Context
	if t.Parent != 0 {
		if parent, err := v.Reading.Task(v.ctx, v.Caller, t.Parent); err == nil {
			a.For, a.URL = parent.Title, "/tasks/"+parent.ID.String()
		}
	}
	a.Before, err = v.saidBefore(m.Message)
	return a, err
}

// saidBefore is the conversation up to a message.
func (v *visit) saidBefore(m parley.Message) (list []Quoted, err error) {
	said, err := v.Reading.Messages(v.ctx, v.Caller, reading.Conversation{Thread: m.Thread, Before: m.N, Limit: askBefore})
	for _, s := range said {
		list = append(list, *v.quoted(s))
	}
	return list, err
}

// answerAsk answers with what was written, or else with the text of what was chosen.
func (v *visit) answerAsk() (Done, error) {
	id, err := parley.ParseTaskID(v.r.PathValue("task"))
	if err != nil {
		return Done{}, err
	}
	text := strings.TrimSpace(v.r.PostFormValue("text"))
	if text == "" {
		text = strings.TrimSpace(v.r.PostFormValue("option"))
	}
	if text == "" {
		return Done{}, parley.Errorf(parley.Invalid, "The answer is empty.").WithHint("Choose one, or write your own.")
	}
	t, err := v.Reading.Task(v.ctx, v.Caller, id)
	if err != nil {
		return Done{}, err
	}
	m, err := v.Reading.Message(v.ctx, v.Caller, t.Request)
	if err != nil {
		return Done{}, err
	}
	if m.Question != 0 {
		return Done{}, v.Contacts.AnswerQuestion(v.ctx, v.Caller, m.Question, text, v.Key)
	}
	return Done{}, v.Contacts.Reply(v.ctx, v.Caller, id, text)
}

// declineAsk says that there will be no answer.
func (v *visit) declineAsk() (Done, error) {
	id, err := parley.ParseTaskID(v.r.PathValue("task"))
	if err != nil {
		return Done{}, err
	}
	return Done{}, v.Contacts.Decline(v.ctx, v.Caller, id, strings.TrimSpace(v.r.PostFormValue("reason")))
}

// inPlace is how long a question may be to be answered where it is listed.
const inPlace = 400

// choose takes the answers to choose from out of what is asked.
func (n *Need) choose() {
	n.What, n.Options = parley.Choices(n.What)
	n.URL = "/asks/" + n.Task.String()
	n.Whole = utf8.RuneCountInString(n.What) <= inPlace
	for _, o := range n.Options {
		n.Whole = n.Whole && utf8.RuneCountInString(o) <= inPlace/2
	}
}
