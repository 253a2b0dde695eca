package contact_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/policy"
	"parley/internal/store"
)

// opened is what a contact has made, as the rules speak of it.
type opened struct {
	State                parley.State
	Pattern              parley.Pattern
	Requester, Agent     string
	Callback             parley.Callback
	Priority             parley.Priority
	Asks, Delegations    int // depth
	Due, Deadline, Waits time.Duration
	Root                 string // itself, or the caller's
	Kind                 parley.MessageKind
	Delivery             string
}

func (d *desk) opened(made contact.Contact, target string, caller parley.TaskID) opened {
	d.Helper()
	now, m := d.store.Now(), d.message(made.Message)
	o := opened{Kind: m.Kind, Delivery: d.delivery(m.ID, target)}
	if made.Task.ID == 0 {
		return o
	}
	t := d.store.Task(made.Task.ID)
	o.State, o.Pattern, o.Requester, o.Agent = t.State, t.Pattern, d.name(t.Requester), d.name(t.Agent)
	o.Callback, o.Priority, o.Asks, o.Delegations = t.Callback, t.Priority, t.AskDepth, t.DelegationDepth
	o.Deadline = t.Deadline.Until(now)
	if t.Due != 0 {
		o.Due = t.Due.Until(now)
	}
	if t.WaitUntil != 0 {
		o.Waits = t.WaitUntil.Until(now)
	}
	o.Root = "itself"
	if caller != 0 && t.Root == d.store.Task(caller).Root && t.Parent == caller {
		o.Root = "the caller's"
	}
	return o
}

const (
	week   = 7 * 24 * time.Hour
	anHour = time.Hour
)

// TestOpenStoresWhatWasAsked is the table of what a contact makes: who contacts
// whom, how, and in which state of the target.
func TestOpenStoresWhatWasAsked(t *testing.T) {
	person := opened{State: parley.Queued, Requester: "Pat", Agent: "Ann", Priority: parley.Normal, Deadline: week, Root: "itself", Delivery: "accepted"}
	agent := person
	agent.Requester, agent.Agent, agent.Root = "Ann", "Bob", "the caller's"
	with := func(o opened, how func(*opened)) opened { how(&o); return o }
	for _, c := range []struct {
		name    string
		pattern parley.Pattern
		turn    bool // Ann contacts Bob from her task; else Pat contacts Ann
		request contact.Request
		before  func(d *desk)
		want    opened
	}{
		{name: "a person asks", pattern: parley.Ask, want: with(person, func(o *opened) {
			o.Pattern, o.Kind, o.Waits = parley.Ask, parley.AskMessage, 2*time.Minute
		})},
		{name: "a person delegates", pattern: parley.Delegate, want: with(person, func(o *opened) {
			o.Pattern, o.Kind = parley.Delegate, parley.DelegateMessage
		})},
		{name: "a person delegates urgently", pattern: parley.Delegate, request: contact.Request{Priority: parley.Urgent}, want: with(person, func(o *opened) {
			o.Pattern, o.Kind, o.Priority = parley.Delegate, parley.DelegateMessage, parley.Urgent
		})},
		{name: "a person notifies", pattern: parley.Notify, want: opened{Kind: parley.NotificationMessage, Delivery: "accepted"}},
		{name: "a turn asks", pattern: parley.Ask, turn: true, want: with(agent, func(o *opened) {
			o.Pattern, o.Kind, o.Waits, o.Callback, o.Asks = parley.Ask, parley.AskMessage, 2*time.Minute, parley.CallbackReply, 1
		})},
		{name: "a turn asks for a while", pattern: parley.Ask, turn: true, request: contact.Request{Timeout: 5 * time.Second}, want: with(agent, func(o *opened) {
			o.Pattern, o.Kind, o.Waits, o.Callback, o.Asks = parley.Ask, parley.AskMessage, 5*time.Second, parley.CallbackReply, 1
		})},
		{name: "a turn delegates", pattern: parley.Delegate, turn: true, want: with(agent, func(o *opened) {
			o.Pattern, o.Kind, o.Callback, o.Delegations = parley.Delegate, parley.DelegateMessage, parley.CallbackResult, 1
		})},
		{name: "a turn notifies", pattern: parley.Notify, turn: true, want: opened{Kind: parley.NotificationMessage, Delivery: "accepted"}},
		{name: "a person delegates to one who sleeps", pattern: parley.Delegate,
			before: func(d *desk) { d.must(d.Sleep(d.Context(), d.as("Pat"), "Ann", d.store.Now().Add(anHour).Time())) },
			want: with(person, func(o *opened) {
				o.Pattern, o.Kind, o.Due, o.Deadline = parley.Delegate, parley.DelegateMessage, anHour, week+anHour
			})},
		{name: "a person delegates to one whose sleep is just over", pattern: parley.Delegate,
			before: func(d *desk) {
				d.must(d.Sleep(d.Context(), d.as("Pat"), "Ann", d.store.Now().Add(anHour).Time()))
				d.store.Pass(anHour)
			},
			want: with(person, func(o *opened) { o.Pattern, o.Kind = parley.Delegate, parley.DelegateMessage })},
		{name: "a turn delegates to one who sleeps", pattern: parley.Delegate, turn: true,
			before: func(d *desk) { d.must(d.Sleep(d.Context(), d.as("Pat"), "Bob", d.store.Now().Add(anHour).Time())) },
			want: with(agent, func(o *opened) {
				o.Pattern, o.Kind, o.Due, o.Deadline = parley.Delegate, parley.DelegateMessage, anHour, week+anHour
				o.Callback, o.Delegations = parley.CallbackResult, 1
			})},
		{name: "a person notifies one who is offline", pattern: parley.Notify,
			before: func(d *desk) { d.must(d.Offline(d.Context(), d.as("Pat"), "Ann")) },
			want:   opened{Kind: parley.NotificationMessage, Delivery: "accepted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Ann", "Bob")
			who, target, task := d.as("Pat"), "Ann", parley.TaskID(0)
			if c.turn {
				l := d.working("Ann")
				who, target, task = turn(l), "Bob", l.Task
			}
			if c.before != nil {
				c.before(d)
			}
			r := c.request
			r.Target, r.Message, r.Context = target, "The words.", "The background."
			made, err := d.try(who, c.pattern, r)
			d.must(err)
			d.equal("opened", c.want, d.opened(made, target, task))
			m := d.message(made.Message)
			d.equal("words", []string{"The words.", "The background."}, []string{m.Body, m.Context})
			d.equal("author", who.Agent, m.Author)
			d.equal("origin", task, m.Origin)
			if task != 0 {
				want := 0
				if c.want.Callback == parley.CallbackResult {
					want = 1
				}
				d.equal("open children of the caller", want, d.store.Task(task).OpenChildren)
			}
			kind := string(parley.EventTask)
			if c.pattern == parley.Notify {
				kind = string(parley.EventMessage)
			}
			d.equal("the record", true, strings.HasSuffix(strings.Join(d.events(0), "\n"),
				kind+" by "+d.name(who.Agent)+" to "+target+" "+string(c.pattern)))
		})
	}
}

// An ask wakes whom it asks: what was put off until then is due, and so is the ask.
func TestAnAskWakesWhomItAsks(t *testing.T) {
	d := newDesk(t, "Ann")
	d.must(d.Sleep(d.Context(), d.as("Pat"), "Ann", d.store.Now().Add(anHour).Time()))
	delayed := d.contact(d.as("Pat"), parley.Delegate, "Ann").Task.ID
	asked := d.contact(d.as("Pat"), parley.Ask, "Ann").Task.ID
	d.store.See(func(tx *store.Tx) error {
		a, err := tx.Agent(d.id("Ann"))
		d.equal("sleeps until", parley.Micros(0), a.SleepingUntil)
		return err
	})
	d.equal("due", []parley.Micros{0, 0}, []parley.Micros{d.store.Task(delayed).Due, d.store.Task(asked).Due})
}

// TestOpenRefuses is the table of what nobody can do, each with the words that say
// so, and with nothing stored but the record of it.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		pattern parley.Pattern
		request contact.Request
		before  func(d *desk, l parley.Lease)
		caller  func(d *desk, l parley.Lease) access.Caller // Ann's turn if nil
		want    string
	}{
		{name: "oneself", pattern: parley.Ask, request: contact.Request{Target: "ann"}, want: "You cannot contact yourself."},
		{name: "nobody", pattern: parley.Delegate, request: contact.Request{Target: "Bobb"}, want: "Agent 'Bobb' not found."},
		{name: "somebody of another team", pattern: parley.Notify, request: contact.Request{Target: "Stranger"}, want: "Agent 'Stranger' not found."},
		{name: "nothing", pattern: parley.Ask, request: contact.Request{Message: " \n"}, want: "The message is empty."},
		{name: "too much", pattern: parley.Ask, request: contact.Request{Message: strings.Repeat("a", 200<<10), Context: strings.Repeat("b", 57<<10)},
			want: "The message has 263168 bytes; the limit is 262144."},
		{name: "a key that is none", pattern: parley.Notify, request: contact.Request{Key: strings.Repeat("k", 1001)}, want: "The key is not a text"},
		{name: "one who is offline, by ask", pattern: parley.Ask, before: func(d *desk, _ parley.Lease) { d.must(d.Offline(d.Context(), d.as("Pat"), "Bob")) },
			want: "Bob is offline (agent unavailable)."},
		{name: "one who is offline, by delegate", pattern: parley.Delegate,
			before: func(d *desk, _ parley.Lease) { d.must(d.Offline(d.Context(), d.as("Pat"), "Bob")) }, want: "Bob is offline (agent unavailable)."},
		{name: "too deep an ask", pattern: parley.Ask,
			caller: func(d *desk, _ parley.Lease) access.Caller {
				return turn(d.below(d.working("Cid"), parley.Ask, "Ann"))
			},
			want: "Maximum agent communication depth (1) reached."},
		{name: "too deep a delegation", pattern: parley.Delegate,
			caller: func(d *desk, _ parley.Lease) access.Caller {
				return turn(d.below(d.working("Cid"), parley.Delegate, "Ann"))
			},
			want: "Maximum delegation depth (1) reached."},
		{name: "too often", pattern: parley.Notify, before: func(d *desk, l parley.Lease) {
			for range 20 {
				d.contact(turn(l), parley.Notify, "Bob")
			}
		}, want: "rate limit reached (10 messages per minute). Try again in 6 seconds."},
		{name: "for a task of another team", pattern: parley.Delegate,
			caller: func(d *desk, l parley.Lease) access.Caller { c := d.other; c.Task = l.Task; return c },
			want:   " not found."},
		{name: "for a task of somebody else", pattern: parley.Notify,
			caller: func(d *desk, l parley.Lease) access.Caller { c := d.as("Cid"); c.Task = l.Task; return c },
			want:   "is not your task."},
		{name: "for a task that has ended", pattern: parley.Delegate,
			before: func(d *desk, l parley.Lease) { d.end(l, "Done.") },
			caller: func(d *desk, l parley.Lease) access.Caller { c := d.as("Ann"); c.Task = l.Task; return c },
			want:   "has ended (completed)."},
		{name: "in a thread of others", pattern: parley.Ask, request: contact.Request{Thread: contact.ThreadChoice{Reuse: true, ID: 1 << 40}},
			want: "is not a thread between you and Bob."},
		{name: "with a budget, by an agent", pattern: parley.Delegate, request: contact.Request{Budget: parley.Budget{Tokens: 5}},
			want: "Only people may give a task a budget."},
		{name: "urgently by ask, by an agent", pattern: parley.Ask, request: contact.Request{Urgent: true}, want: "Only people may send something urgent."},
		{name: "urgently by delegate, by an agent", pattern: parley.Delegate, request: contact.Request{Urgent: true}, want: "Only people may send something urgent."},
		{name: "urgently by notify, by an agent", pattern: parley.Notify, request: contact.Request{Urgent: true}, want: "Only people may send something urgent."},
		{name: "somebody whom the rules deny", pattern: parley.Ask, request: contact.Request{Target: "Cid"}, want: "Ann's contact rules deny it to contact Cid."},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, member{name: "Ann", rules: policy.Rules{Contacts: policy.ContactRules{Deny: map[string]bool{"cid": true}}},
				limits: func(l *parley.Limits) { l.AskDepth, l.DelegationDepth = 1, 1 }}, "Bob", "Cid")
			l := d.working("Ann")
			if c.before != nil {
				c.before(d, l)
			}
			who := turn(l)
			if c.caller != nil {
				who = c.caller(d, l)
			}
			r := c.request
			if r.Target == "" {
				r.Target = "Bob"
			}
			if r.Message == "" {
				r.Message = "Please."
			}
			if who.Team != d.team {
				r.Target = "Neighbour"
			}
			d.refused(c.want, func() error { _, err := d.try(who, c.pattern, r); return err })
		})
	}
}

// A key stands for one contact and finds it again; with anything else it is
// refused, so that nobody takes another contact for the one it wanted.
func TestAKeyFindsItsContactAndNoOther(t *testing.T) {
	first := contact.Request{Target: "Bob", Message: "Please.", Context: "It is late.", Priority: parley.High, Key: "k"}
	for _, c := range []struct {
		name    string
		pattern parley.Pattern
		change  func(r *contact.Request)
		found   bool
	}{
		{"the same", parley.Delegate, func(*contact.Request) {}, true},
		{"another message", parley.Delegate, func(r *contact.Request) { r.Message = "Please!" }, false},
		{"another context", parley.Delegate, func(r *contact.Request) { r.Context = "It is early." }, false},
		{"another priority", parley.Delegate, func(r *contact.Request) { r.Priority = parley.Low }, false},
		{"another target", parley.Delegate, func(r *contact.Request) { r.Target = "Cid" }, false},
		{"another pattern", parley.Ask, func(*contact.Request) {}, false},
		{"a notification", parley.Notify, func(*contact.Request) {}, false},
		{"another key", parley.Delegate, func(r *contact.Request) { r.Key = "l" }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Ann", "Bob", "Cid")
			l := d.working("Ann")
			before, err := d.Delegate(d.Context(), turn(l), first)
			d.must(err)
			again := first
			c.change(&again)
			if !c.found {
				d.refused(`The key "k" was used for another contact.`, func() error { _, err := d.try(turn(l), c.pattern, again); return err })
				return
			}
			made, err := d.try(turn(l), c.pattern, again)
			d.must(err)
			if same := made.Task.ID == before.Task.ID; same != (again.Key == first.Key) {
				t.Errorf("%s after %s", made.Task.ID, before.Task.ID)
			}
			want := 1
			if again.Key != first.Key {
				want = 2
			}
			d.equal("open children", want, d.store.Task(l.Task).OpenChildren)
		})
	}
}

// Only a notification is shown between the steps of work that runs: an ask and a delegation
// begin a turn of their own.
func TestWhatIsShownBetweenSteps(t *testing.T) {
	for pattern, want := range map[parley.Pattern]int{parley.Notify: 1, parley.Ask: 0, parley.Delegate: 0} {
		d := newDesk(t, "Ann")
		_, err := d.try(d.as("Pat"), pattern, contact.Request{Target: "Ann", Message: "Now.", Urgent: true})
		d.must(err)
		d.must(d.store.View(d.Context(), func(tx *store.Tx) error {
			list, err := tx.MailAbout(d.id("Ann"), 1, 0, 10)
			d.equal(string(pattern), want, len(list))
			return err
		}))
	}
}

// A nested ask has no more time than the one that its asker is to answer.
func TestANestedAskHasNoMoreTimeThanItsAsker(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", "Cid")
	ann := d.below(d.working("Cid"), parley.Ask, "Ann")
	d.store.Pass(50 * time.Second)
	asked := d.contact(turn(ann), parley.Ask, "Bob")
	d.equal("time", 70*time.Second, d.store.Task(asked.Task.ID).WaitUntil.Until(d.store.Now()))
}

// Of a role it is whoever has the fewest open tasks, whatever these are at.
func TestOfARoleWhoHasTheLeastToDo(t *testing.T) {
	for _, c := range []struct {
		name string
		busy func(d *desk, l parley.Lease)
	}{
		{"a running task", func(*desk, parley.Lease) {}},
		{"a waiting task", func(d *desk, l parley.Lease) { d.park(l.Task) }},
		{"a queued task", func(d *desk, l parley.Lease) {
			d.store.Change(l.Task, func(t *parley.Task) { t.State, t.Worker = parley.Queued, 0 })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Ann", member{name: "Bob", role: "coder"}, member{name: "Cid", role: "Coder"}, member{name: "Dee", role: "tester"})
			c.busy(d, d.working("Bob"))
			made, err := d.CreateTask(d.Context(), turn(d.working("Ann")), contact.NewTask{Title: "Do it.", Role: "coder"})
			d.must(err)
			d.equal("chosen", "Cid", made.Target)
		})
	}
}
