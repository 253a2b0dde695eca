package crash

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
)

// Programs outside of the hub work on one tree of tasks with native agents. They are
// killed while they wait and while they work, and the hub is killed too. Nothing is lost
// and nothing is done twice.
func TestMembersAreKilled(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			random, seed := newRandom(t)
			g := newGround(t)
			settings, open := e.new(g)
			p := g.place("hub", mixed(settings))
			m := &mixture{front: g.newFront(), members: map[string]*outsider{}, struck: map[strike]int{},
				siege: &siege{ground: g, places: []*place{p}, random: random, seed: seed,
					open:  func() (database, error) { return open(p) },
					moods: moods{running: 500 * time.Millisecond}}}
			m.run(kills(t))
		})
	}
}

// The comparison of what the members wrote down finds what it is for.
func TestJournalsAreCompared(t *testing.T) {
	r := &record{agents: map[int64]string{1: "Mia", 2: "Cal"}, messages: map[int64]message{7: {id: 7, kind: "delegate"}, 8: {id: 8, kind: "reply"}},
		tasks:      map[int64]*task{5: {id: 5, agent: 1, state: parley.Completed}, 6: {id: 6, agent: 2, state: parley.Completed}},
		deliveries: map[int64][]delivery{7: {{recipient: 1, seen: 1}}, 8: {{recipient: 1}}}}
	sound := journal{{What: "wait"}, {What: "item", Message: "msg-7", Task: "task-5"}, {What: "work", Task: "task-5"},
		{What: "item", Message: "msg-7", Task: "task-5", Again: true}, {What: "work", Task: "task-5", Again: true}, {What: "done", Task: "task-5"}}
	for _, c := range []struct {
		name, complaint string
		journal         journal
		unseen          bool
	}{
		{name: "sound", journal: sound},
		{name: "worked twice", journal: append(slices.Clone(sound), note{What: "work", Task: "task-5"}), complaint: "work task-5  came 2 times as if it were new"},
		{name: "handed out twice", journal: append(slices.Clone(sound), sound[1]), complaint: "item task-5 msg-7 came 2 times as if it were new"},
		{name: "never done", complaint: "never worked on task-5"},
		{name: "another's", journal: append(slices.Clone(sound), note{What: "work", Task: "task-6"}), complaint: "worked on task-6, which is not its own"},
		{name: "not seen", journal: sound, unseen: true, complaint: "message 7 for Mia does not count as seen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.deliveries[7] = []delivery{{recipient: 1, seen: 1}}
			if c.unseen {
				r.deliveries[7][0].seen = 0
			}
			problems := lines(c.journal.compare(r, "Mia"))
			if !strings.Contains(problems, c.complaint) || (c.complaint == "") != (problems == "") {
				t.Errorf("no complaint with %q: %s", c.complaint, problems)
			}
		})
	}
}
