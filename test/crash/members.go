package crash

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"time"

	"parley/api"
	"parley/client"
)

// membersScript is how the native agents of a mixed team behave.
//
//go:embed testdata/members.yaml
var membersScript string

// mixedJob is the one job that a mixed team does. Mia delegates on, Max asks.
var mixedJob = kind{name: "tree", agent: "Lead", action: "delegate", tree: "Lead(Cal Max(Ned) Mia(Cal Max(Ned)) Ned(Cal))",
	result: "all of #:\nMia: gathered #: part # by Cal, checked #: part # by Ned\nMax: checked #: part # by Ned\nCal: part # by Cal\nNed: Ned got part # by Cal"}

// customers is how many give such jobs at once.
const customers = 4

// outside are the members of the team that are programs of their own.
var outside = []string{"Mia", "Max", "Cal"}

// mixed gives a team two native agents and three that are outside of the hub. They lose
// what they hold after a second, so that killed ones often come back too late.
func mixed(m team) team {
	m.agents, m.settings, m.files = []string{"Ned"}, "client_lease: 1s\n", map[string]string{"script.yaml": membersScript}
	m.lease = time.Second // what a dead hub held is taken over then, on a shared database
	for _, name := range outside {
		m.files["agents/"+name+".md"] = "---\nname: " + name + "\nkind: client\n---\nA program outside of the hub.\n"
	}
	return m
}

// strike is one blow: a member is killed while it waits or while it works; or the hub.
type strike struct {
	member string // empty: the hub
	moment string
}

const (
	inWait = "wait"
	inWork = "work"
)

// deck has each strike once, the hub's as often as another's.
func deck(random *rand.Rand) []strike {
	all := []strike{{}, {}}
	for _, name := range outside {
		all = append(all, strike{name, inWait}, strike{name, inWork})
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// mixture is a siege of a mixed team, in which the members are killed as well.
type mixture struct {
	*siege
	front   *front
	members map[string]*outsider
	struck  map[strike]int // as they were found
}

// run strikes, lets everything finish, and checks what is there.
func (m *mixture) run(strikes int) {
	m.Helper()
	gate, ledger := newGate(), newLedger()
	hub := m.raise(gate)
	m.join(hub)
	load := startJobs(gate, ledger, m.seed, customers, func(_ *rand.Rand, id string) job { return job{kind: mixedJob, id: id} })
	defer load.finish(0)
	var next []strike
	for n := 0; n < strikes && !m.Failed(); n++ {
		if len(next) == 0 {
			next = deck(m.random)
		}
		if next[0].member == "" {
			hub = m.strikeHub(gate, ledger)
		} else {
			m.strikeMember(next[0])
		}
		next = next[1:]
	}
	if m.Failed() {
		return
	}
	if !load.finish(patience) {
		m.Errorf("the customers do not come to an end: %s\n%s", describeTasks(hub), m.hubs[0].lastWords())
		return
	}
	m.settle(hub)
	m.quiet()
	for _, one := range m.members {
		one.kill()
	}
	m.hubs[0].stop()
	if r := m.look(ledger, m.atRest); r != nil {
		m.report(r, ledger)
	}
}

// raise starts the hub and lets everybody in.
func (m *mixture) raise(gate *gate) *client.Client {
	m.Helper()
	m.ensure(0)
	m.admit(gate, 0)
	hub := m.hubFile(m.places[0])
	m.front.lead(hub.URL)
	return client.New(hub.URL, hub.Token)
}

// join gives every member a token and starts it.
func (m *mixture) join(hub *client.Client) {
	m.Helper()
	for _, name := range outside {
		made, err := hub.CreateToken(m.Context(), api.TokenRequest{For: name})
		if err != nil {
			m.Fatal(err)
		}
		m.members[name] = m.newOutsider(name, m.front.url(), made.Secret)
		m.members[name].start()
	}
}

// strikeHub kills the hub, looks at what it left, and starts the next one.
func (m *mixture) strikeHub(gate *gate, ledger *ledger) *client.Client {
	m.Helper()
	m.moment(m.hubs[0].ended, m.moods.running)
	m.kill(0)
	gate.shut(0)
	m.front.lead("")
	m.look(ledger, always)
	m.struck[strike{}]++
	return m.raise(gate)
}

// strikeMember kills a member, if possible at that moment, and lets it come back.
func (m *mixture) strikeMember(s strike) {
	m.Helper()
	one := m.members[s.member]
	one.reach(s.moment)
	if s.moment == inWait { // what it does else is soon over
		m.moment(one.ended, 20*time.Millisecond)
	}
	if !one.alive() {
		m.Errorf("%s ended by itself: %s", one.name, one.lastWords())
		return
	}
	one.kill()
	s.moment = inWork
	if one.waits() {
		s.moment = inWait
	}
	m.struck[s]++
	m.moment(m.hubs[0].ended, 2500*time.Millisecond) // some come back after their lease
	one.start()
}

// quiet waits until nothing waits for any member.
func (m *mixture) quiet() {
	m.Helper()
	for _, name := range outside {
		one := m.members[name]
		own := client.New(m.front.url(), one.token)
		m.eventually("nothing is left for "+name, func(ctx context.Context) (bool, error) {
			b, err := own.Receive(ctx, client.Fetch{Limit: 1})
			return err == nil && b.Unread == 0, err
		})
	}
}

// report compares what the members wrote down with what is stored, and adds it up.
func (m *mixture) report(r *record, ledger *ledger) {
	m.Helper()
	var problems []string
	items, again := 0, 0
	for _, name := range outside {
		j := m.members[name].journal()
		problems = append(problems, j.compare(r, name)...)
		items += j.count("item", false)
		again += j.count("item", true)
	}
	if len(problems) > 0 {
		m.Errorf("what the members wrote down:\n%s", lines(problems))
	}
	sum := ledger.tally()
	given, rescues := r.rescues()
	m.Logf("strikes: %d on the hub, %s; %d jobs, %d tasks; %d things handed out, %d times something again; %d rescues, %d tasks given up after too many",
		m.struck[strike{}], m.struckMembers(), sum.acknowledged, len(r.tasks), items, again, rescues, given)
}

func (m *mixture) struckMembers() (text string) {
	for i, name := range outside {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d on %s in a long poll and %d in a task", m.struck[strike{name, inWait}], name, m.struck[strike{name, inWork}])
	}
	return text
}
