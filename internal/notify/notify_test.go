package notify_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/contact"
	"parley/internal/notify"
	"parley/internal/store"
)

// People are told of approvals, questions and mail, in order, with what they need to act.
func TestPeopleAreToldWhatWaitsForThem(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	teller := w.teller(quick, rec.target())
	approval := w.want("the revenue, please")
	asked := w.delegate("Bot", "Rutger", "May I\npublish?")
	sent := w.mail("Bot", "Ada", "It is published.")
	w.mail("Bot", "Other", "nobody's business")
	w.delegate("Ada", "Bot", "her own act")
	w.run(teller)

	want := []notify.Notice{
		{Kind: "approval", Team: "main", Person: "Ada", From: "Trainee", Approval: approval.String(),
			Commands: []string{"parley approve " + approval.String(), "parley deny " + approval.String()}},
		{Kind: "approval", Team: "main", Person: "Rutger", From: "Trainee", Approval: approval.String(),
			Commands: []string{"parley approve " + approval.String(), "parley deny " + approval.String()}},
		{Kind: "question", Team: "main", Person: "Rutger", From: "Bot", Text: "May I publish?", Task: asked.Task.ID.String(),
			Message: asked.Message.String(), Commands: []string{"parley reply " + asked.Task.ID.String(), "parley inbox"}},
		{Kind: "mail", Team: "main", Person: "Ada", From: "Bot", Text: "It is published.", Message: sent.Message.String(),
			Commands: []string{"parley inbox"}},
	}
	ids := map[string]bool{}
	for _, n := range want {
		p := <-rec.got
		got := p.Notice
		if got.Kind == "approval" {
			for _, part := range []string{"Trainee wants to contact Bot", "the revenue, please"} {
				if !strings.Contains(got.Text, part) {
					t.Errorf("the approval does not say %q: %s", part, got.Text)
				}
			}
			got.Text = ""
		}
		ids[got.ID] = true
		if time.Since(got.At) > time.Hour {
			t.Errorf("it happened at %v", got.At)
		}
		got.ID, got.At = "", time.Time{}
		if diff := cmp.Diff(n, got); diff != "" {
			t.Error(diff)
		}
		checkSignature(t, p)
	}
	if len(ids) != len(want) {
		t.Errorf("ids are not distinct: %v", ids)
	}
}

// checkSignature does what a receiver has to do.
func checkSignature(t *testing.T, p post) {
	t.Helper()
	stamp := p.header.Get(notify.HeaderTimestamp)
	if got := p.header.Get(notify.HeaderSignature); got != notify.Sign(secret, stamp, p.body) || len(got) != 64 {
		t.Errorf("the signature is %q", got)
	}
	for other, signature := range map[string]string{
		"secret": notify.Sign("another", stamp, p.body), "time": notify.Sign(secret, stamp+"0", p.body), "body": notify.Sign(secret, stamp, p.body[1:])} {
		if signature == p.header.Get(notify.HeaderSignature) {
			t.Errorf("another %s has the same signature", other)
		}
	}
	if p.header.Get(notify.HeaderID) != p.ID || p.header.Get("Content-Type") != "application/json" {
		t.Errorf("headers: %v", p.header)
	}
}

// The letters of an approval's id stay with those who are shown it by the hub.
func TestANoticeHasNoLettersAndNoSecret(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	teller := w.teller(quick, rec.target())
	id := w.want("end")
	var a parley.Approval
	err := w.store.View(t.Context(), func(tx *store.Tx) (err error) { a, err = tx.Approval(id); return err })
	if err != nil || a.Letters == "" {
		t.Fatal(a, err)
	}
	w.mail("Bot", "Ada", strings.Repeat("long ", 1000))
	w.run(teller)
	for range 3 {
		p := <-rec.got
		if strings.Contains(string(p.body), a.Letters) || strings.Contains(string(p.body), secret) {
			t.Errorf("told: %s", p.body)
		}
		if n := len([]rune(p.Text)); n > 500 {
			t.Errorf("a text of %d characters", n)
		}
	}
}

// A target says what it is for, and whom.
func TestATargetIsForSomeThingsAndPeople(t *testing.T) {
	for name, c := range map[string]struct {
		target notify.Target
		want   []string
	}{
		"approvals": {notify.Target{For: []notify.Kind{notify.Approvals}}, []string{"approval Ada", "approval Rutger"}},
		"questions": {notify.Target{For: []notify.Kind{notify.Questions}}, []string{"question Ada", "question Rutger"}},
		"mail":      {notify.Target{For: []notify.Kind{notify.Mail}}, []string{"mail Rutger"}},
		"a person":  {notify.Target{People: []string{"rutger"}}, []string{"approval Rutger", "mail Rutger", "question Rutger"}},
		"both":      {notify.Target{For: []notify.Kind{notify.Mail, notify.Questions}, People: []string{"Ada"}}, []string{"question Ada"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rec, all := newReceiver(t, nil), newReceiver(t, nil)
			target := rec.target()
			target.For, target.People = c.target.For, c.target.People
			teller := w.teller(quick, target, all.target())
			w.want("something")
			w.delegate("Bot", "Ada", "a question")
			w.mail("Bot", "Rutger", "mail")
			w.delegate("Bot", "Rutger", "the end")
			w.run(teller)
			all.texts()
			got := map[string]bool{}
			for len(got) < len(c.want) {
				p := <-rec.got
				got[p.Kind+" "+p.Person] = true
			}
			for _, want := range c.want {
				if !got[want] {
					t.Errorf("%v lacks %s", got, want)
				}
			}
		})
	}
}

// What was seen, answered or decided before it could be told is not told, and neither is
// what happened before the target was there.
func TestOnlyWhatWaitsIsTold(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	w.mail("Bot", "Ada", "before the target was there")
	teller := w.teller(quick, rec.target())
	seen := w.mail("Bot", "Ada", "seen")
	if err := w.hub.Reading.MarkSeen(t.Context(), w.as("Ada"), []parley.MessageID{seen.Message}); err != nil {
		t.Fatal(err)
	}
	answered := w.delegate("Bot", "Ada", "answered")
	if err := w.hub.Contacts.Cancel(t.Context(), w.as("Bot"), answered.Task.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.hub.Contacts.Deny(t.Context(), w.as("Ada"), parley.ApprovalRef{ID: w.want("decided")}, "no"); err != nil {
		t.Fatal(err)
	}
	w.mail("Bot", "Ada", "the end")
	w.run(teller)
	if got := rec.texts(); len(got) != 1 {
		t.Errorf("told: %q", got)
	}
}

// A person who is mentioned in a channel is told once, though the post and the task are
// two events.
func TestAMentionIsToldOnce(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	teller := w.teller(quick, rec.target())
	if _, err := w.hub.Contacts.Post(t.Context(), w.as("Bot"), contact.Post{Channel: "standup", Message: "@Rutger, are you there?"}); err != nil {
		t.Fatal(err)
	}
	w.mail("Bot", "Rutger", "the end")
	w.run(teller)
	p := <-rec.got
	if p.Kind != "question" || p.Channel != "#standup" || p.Person != "Rutger" || p.Task == "" {
		t.Errorf("%s", p.body)
	}
	if got := rec.texts(); len(got) != 1 {
		t.Errorf("and then %q", got)
	}
}

// The result of what a person asked for is mail, and so is its failure.
func TestResultsAndFailuresAreMail(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	teller := w.teller(quick, rec.target())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.hub.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	w.delegate("Ada", "Bot", "Is it so?")
	w.run(teller)
	if p := <-rec.got; p.Kind != "mail" || p.Person != "Ada" || p.From != "Bot" || p.Text != "Yes." {
		t.Errorf("%s", p.body)
	}
	failed := w.delegate("Ada", "Other", "You have no script.")
	if p := <-rec.got; p.Kind != "mail" || p.Person != "Ada" || p.From != "Other" || p.Task != failed.Task.ID.String() {
		t.Errorf("%s", p.body)
	}
}

// A target that has nothing to tell writes nothing; telling takes two writes.
func TestATargetWritesOnlyWhenItTells(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	counted := &counting{Store: w.store}
	w.store = counted
	teller := w.teller(quick, rec.target())
	for range 300 { // more than one page
		w.mail("Bot", "Other", "between agents")
	}
	w.mail("Bot", "Ada", "the end")
	before := counted.writes.Load()
	stop := w.run(teller)
	rec.texts()
	stop()
	if n := counted.writes.Load() - before; n != 2 {
		t.Errorf("%d writes", n)
	}
}

type counting struct {
	store.Store
	writes atomic.Int64
}

func (c *counting) Update(ctx context.Context, fn func(*store.Tx) error) error {
	c.writes.Add(1)
	return c.Store.Update(ctx, fn)
}

// A receiver that fails gets the same notice again, and then the next.
func TestAFailureIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	var teller *notify.Teller
	tries := 0
	rec := newReceiver(t, func(rw http.ResponseWriter, _ *http.Request, _ post) {
		switch tries++; {
		case tries <= 4: // more often than it is allowed to refuse
			rw.WriteHeader(http.StatusInternalServerError)
		case tries == 5: // one refusal is not too many
			rw.WriteHeader(http.StatusNotFound)
		case tries == 6:
			states, err := teller.States(context.Background())
			if err != nil || len(states) != 1 || states[0].Problem != "the receiver answered 404" || states[0].Next.IsZero() {
				t.Errorf("%+v, %v", states, err)
			}
		}
	})
	teller = w.teller(quick, rec.target())
	w.mail("Bot", "Ada", "first")
	w.mail("Bot", "Ada", "the end")
	stop := w.run(teller)
	var ids []string
	for range 6 {
		p := <-rec.got
		checkSignature(t, p)
		ids = append(ids, p.ID)
	}
	if len(slices.Compact(ids)) != 1 {
		t.Errorf("ids: %q", ids)
	}
	if got := rec.texts(); len(got) != 1 {
		t.Errorf("and then %q", got)
	}
	stop()
	if states, err := teller.States(t.Context()); err != nil || states[0].Problem != "" || states[0].GivenUp != 0 {
		t.Errorf("%+v, %v", states, err)
	}
}

// What a receiver refuses is given up in the end, and the next one has its chance.
func TestARefusalIsGivenUp(t *testing.T) {
	elsewhere := newReceiver(t, nil)
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"a bad request": func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadRequest) },
		"a redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rec := newReceiver(t, func(rw http.ResponseWriter, r *http.Request, p post) {
				if p.Text == "poison" {
					answer(rw, r)
				}
			})
			teller := w.teller(quick, rec.target())
			w.mail("Bot", "Ada", "poison")
			w.mail("Bot", "Ada", "the end")
			stop := w.run(teller)
			if got := rec.texts(); !slices.Equal(got, []string{"poison", "poison", "poison", "the end"}) {
				t.Errorf("told: %q", got)
			}
			stop()
			if states, err := teller.States(t.Context()); err != nil || states[0].GivenUp != 1 || states[0].GivenUpAt.IsZero() {
				t.Errorf("%+v, %v", states, err)
			}
			for _, part := range []string{"a notice was given up", "webhook 127.0.0.1"} {
				if !strings.Contains(w.log.String(), part) {
					t.Errorf("the log does not say %q: %s", part, w.log)
				}
			}
			if strings.Contains(w.log.String(), "in-the-address") || strings.Contains(w.log.String(), secret) {
				t.Errorf("the log tells a secret: %s", w.log)
			}
		})
	}
	select {
	case p := <-elsewhere.got:
		t.Errorf("a redirect was followed: %s", p.body)
	default:
	}
}

// While a receiver cannot be reached nothing is given up, until it is a day old.
func TestWhatIsTooOldIsGivenUp(t *testing.T) {
	w := newWorld(t)
	tries := 0
	rec := newReceiver(t, func(rw http.ResponseWriter, _ *http.Request, p post) {
		if p.Text != "old" {
			return
		}
		if tries++; tries == 10 {
			w.ahead.Add(int64(25 * time.Hour))
		}
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	teller := w.teller(quick, rec.target())
	w.mail("Bot", "Ada", "old")
	stop := w.run(teller)
	for range 10 {
		<-rec.got
	}
	w.mail("Bot", "Ada", "the end")
	if got := rec.texts(); len(got) > 2 {
		t.Errorf("and then %q", got)
	}
	stop()
	if states, err := teller.States(t.Context()); err != nil || states[0].GivenUp != 1 {
		t.Errorf("%+v, %v", states, err)
	}
}

// A receiver that does not answer is left after a while, and tried again.
func TestAReceiverThatHangs(t *testing.T) {
	w := newWorld(t)
	hung := false
	rec := newReceiver(t, func(_ http.ResponseWriter, r *http.Request, _ post) {
		if !hung {
			hung = true
			<-r.Context().Done() // the hub closes the connection
		}
	})
	timing := quick
	timing.Limit = time.Second
	teller := w.teller(timing, rec.target())
	w.mail("Bot", "Ada", "the end")
	w.run(teller)
	first, second := <-rec.got, <-rec.got
	if first.ID != second.ID {
		t.Errorf("%s, then %s", first.body, second.body)
	}
	if !strings.Contains(w.log.String(), "the receiver did not answer in time") {
		t.Errorf("%s", w.log)
	}
}

// A name that leads to a private address is not connected to, whatever it is.
func TestPrivateAddressesNeedLeave(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	target := rec.target()
	target.Private = false
	byName := target
	byName.URL = strings.Replace(target.URL, "127.0.0.1", "localhost", 1)
	witness := newReceiver(t, nil)
	teller := w.teller(quick, target, byName, witness.target())
	w.mail("Bot", "Ada", "the end")
	stop := w.run(teller)
	witness.texts()
	for len(rec.got) == 0 {
		states, err := teller.States(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if states[0].Problem != "" && states[1].Problem != "" {
			for _, s := range states[:2] {
				if !strings.Contains(s.Problem, "the address is private") {
					t.Errorf("%+v", s)
				}
			}
			break
		}
	}
	stop()
	select {
	case p := <-rec.got:
		t.Errorf("connected: %s", p.body)
	default:
	}
}

// What happened while no hub ran is told by the next one, and nothing twice.
func TestARestartGoesOn(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	stop := w.run(w.teller(quick, rec.target()))
	w.mail("Bot", "Ada", "one")
	<-rec.got
	stop()
	w.mail("Bot", "Ada", "two")
	stop = w.run(w.teller(quick, rec.target()))
	if p := <-rec.got; p.Text != "two" {
		t.Errorf("%s", p.body)
	}
	stop()
	w.mail("Bot", "Ada", "the end")
	w.run(w.teller(quick, rec.target()))
	if got := rec.texts(); len(got) != 1 {
		t.Errorf("then %q", got)
	}
}

// Targets come and go while the hub runs. The same program may be named twice, for
// different people.
func TestTargetsChange(t *testing.T) {
	w := newWorld(t)
	one, two := newReceiver(t, nil), newReceiver(t, nil)
	teller := w.teller(quick, one.target())
	w.run(teller)
	w.mail("Bot", "Ada", "the end")
	one.texts()
	ada, rutger := two.target(), two.target()
	ada.People, rutger.People = []string{"Ada"}, []string{"Rutger"}
	if err := teller.Set(t.Context(), []notify.Target{ada, rutger}); err != nil {
		t.Fatal(err)
	}
	w.mail("Bot", "Ada", "for Ada")
	w.mail("Bot", "Rutger", "for Rutger")
	got := []string{(<-two.got).Text, (<-two.got).Text}
	slices.Sort(got)
	if !slices.Equal(got, []string{"for Ada", "for Rutger"}) {
		t.Errorf("told: %q", got)
	}
	if len(one.got) != 0 {
		t.Errorf("a target that is gone was told")
	}
	if err := teller.Set(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if states, err := teller.States(t.Context()); err != nil || len(states) != 0 {
		t.Errorf("%+v, %v", states, err)
	}
}

// Nothing of another team is told.
func TestTeamsAreApart(t *testing.T) {
	w := newWorld(t)
	rec := newReceiver(t, nil)
	teller := w.teller(quick, rec.target())
	other := *w
	other.team = parley.Team{ID: w.team.ID + 1000, Name: "other"}
	err := w.store.Update(t.Context(), func(tx *store.Tx) error {
		ada, err := tx.AgentByName(w.team.ID, "Ada")
		tx.Record(parley.Event{Team: other.team.ID, Kind: parley.EventMessage, Actor: ada.ID + 1, Target: ada.ID, Message: 1})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.mail("Bot", "Ada", "the end")
	w.run(teller)
	if got := rec.texts(); len(got) != 1 {
		t.Errorf("told: %q", got)
	}
}
