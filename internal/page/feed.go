package page

import (
	"strings"

	"parley"
	"parley/internal/reading"
)

// Told is one entry of what happened, in words.
type Told struct {
	At    parley.Micros
	Icon  string // a state's shape, or an icon
	State bool   // Icon is a state's shape
	Who   Who
	Verb  string
	To    Who
	Place string
	Text  string
	Task  parley.TaskID
	URL   string
}

// feed is what happened last, the newest first.
func (v *visit) feed(most int) (list []Told, err error) {
	take := func(e parley.Event) error {
		if t, ok := v.told(e); ok {
			list = append(list, t)
		}
		return nil
	}
	if err := v.Reading.Events(v.ctx, v.Caller, reading.Record{Last: 8 * most}, take, func() error { return nil }); err != nil {
		return nil, err
	}
	out := make([]Told, 0, most)
	for i := len(list) - 1; i >= 0 && len(out) < most; i-- {
		v.quote(&list[i])
		out = append(out, list[i])
	}
	return out, nil
}

// told puts an event into words, if it means anything to a reader. Its text is that of
// the message where the words add none.
func (v *visit) told(e parley.Event) (Told, bool) {
	t := Told{At: e.At, Who: v.whois(e.Actor), Task: e.Task}
	if e.Target != 0 {
		t.To = v.whois(e.Target)
	}
	if e.Task != 0 {
		t.URL = "/tasks/" + e.Task.String()
	}
	if e.Message != 0 {
		t.URL = "/messages/" + e.Message.String()
	}
	said, ok := parley.TellEvent(e.Kind, e.Detail)
	look, known := looks[e.Kind]
	if !ok || !known || e.Kind == parley.EventTask && said.Place != "" { // the message that mentions is told
		return t, false
	}
	t.Icon, t.State, t.Verb, t.Text, t.Place = look.icon, look.state, said.Verb, said.Text, said.Place
	if said.OfTarget {
		t.Who = t.To
	}
	switch {
	case said.Alone:
		t.To = Who{}
	case said.Place != "":
		t.Place = "in " + said.Place
	}
	switch {
	case said.Alone && said.Place != "":
		t.Icon = "chan"
	case e.Kind == parley.EventCompleted && e.Message == 0: // it ended without a word
		t.Verb, t.To = "is done", Who{}
	case e.Kind == parley.EventApprovalRequested:
		id, tool, _ := strings.Cut(said.Text, ": ")
		t.URL, t.Verb, t.Text = "/approvals/"+pathEscape(id), "wants approval for", tool
	}
	return t, true
}

// looks are the shapes of events; home leaves out those without one.
var looks = map[parley.EventKind]struct {
	icon  string
	state bool
}{
	parley.EventTask: {"to", false}, parley.EventMessage: {"say", false}, parley.EventCompleted: {"done", true},
	parley.EventFailed: {"fail", true}, parley.EventCancelled: {"cancel", true}, parley.EventProgress: {"run", true},
	parley.EventWaiting: {"wait", true}, parley.EventTimeout: {"wait", true}, parley.EventStatus: {"idle", true},
	parley.EventRefused: {"fail", true}, parley.EventToolRefused: {"fail", true}, parley.EventDenied: {"fail", true},
	parley.EventApprovalRequested: {"wait", true}, parley.EventApprovalApproved: {"done", true}, parley.EventApprovalDenied: {"fail", true},
	parley.EventApprovalExpired: {"cancel", true}, parley.EventApprovalWithdrawn: {"cancel", true},
	parley.EventBudgetSpent: {"wait", true}, parley.EventDaySpent: {"wait", true}, parley.EventPaused: {"wait", true}, parley.EventResumed: {"run", true},
	parley.EventRescued: {"run", true}, parley.EventRule: {"rule", false}, parley.EventWindow: {"wait", true}, parley.EventUndone: {"cancel", true},
	parley.EventProviderBusy: {"wait", true}, parley.EventProviderAnswered: {"run", true},
	parley.EventQuestionAsked: {"say", false}, parley.EventQuestionForwarded: {"pass", false}, parley.EventKept: {"keep", false},
	parley.EventScheduleMade: {"run", true}, parley.EventScheduleMissed: {"cancel", true}, parley.EventSchedulePaused: {"wait", true}, parley.EventScheduleResumed: {"run", true},
	parley.EventReminderSet: {"wait", true}, parley.EventReminded: {"wait", true}, parley.EventNudged: {"wait", true},
	parley.EventChatLinked: {"agent", false}, parley.EventChatUnlinked: {"cancel", true}, parley.EventChatStranger: {"fail", true},
	parley.EventChatEdited: {"say", false}, parley.EventChatDeleted: {"cancel", true}, parley.EventChatGivenUp: {"fail", true},
}

// quote adds what was said, from the message.
func (v *visit) quote(t *Told) {
	id, found := strings.CutPrefix(t.URL, "/messages/")
	if !found || t.Text != "" {
		return
	}
	message, err := parley.ParseMessageID(id)
	if err != nil {
		return
	}
	if m, err := v.Reading.Message(v.ctx, v.Caller, message); err == nil { // it may be gone
		t.Text = parley.Clip(strings.Join(strings.Fields(m.Body), " "), 160)
	}
}
