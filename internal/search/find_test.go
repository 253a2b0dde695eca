package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
)

// Each case runs twice: before anything is indexed, and after.
func TestFind(t *testing.T) {
	w := newWorld(t)
	id := map[string]int64{}
	for name, text := range map[string]string{
		"crash":  "The parser crashed on the second input.",
		"parse":  "We are parsing everything twice; parse_query in internal/query.go is to blame.",
		"roll":   "Carol did a rollback of the release at noon.",
		"login":  "Customers cannot login since this morning.",
		"price":  "What does the big plan cost per month?",
		"phrase": "The token after the bracket is read twice.",
		"mixed":  "After the bracket, the token is read.",
		"stop":   "To be or not to be.",
	} {
		id[name] = w.say(0, 1, text)
	}
	for _, c := range []struct {
		text   string
		newest bool
		first  string // the best hit
		none   bool
	}{
		{text: "parser crash", first: "crash"},
		{text: "crashing?", first: "crash"},
		{text: "parseQuery", first: "parse"},
		{text: "query.go", first: "parse"},
		{text: "roll back", first: "roll"},
		{text: "log in problem", first: "login"},
		{text: "price of the large plan", first: "price"},
		{text: `"token after the bracket"`, first: "phrase"},
		{text: `"token is read"`, first: "mixed"},
		{text: `"bracket token"`, none: true},
		{text: `read "after the bracket`, first: "mixed"},
		{text: "to be or not", first: "stop"},
		{text: "rollbacks releases", newest: true, first: "roll"},
		{text: "rollback parser", newest: true, none: true}, // all words
		{text: "zebra", none: true},
	} {
		for _, indexed := range []bool{false, true} {
			if indexed {
				w.index()
			}
			got := w.find(Query{Text: c.text, Newest: c.newest})
			if c.none && len(got) > 0 || !c.none && (len(got) == 0 || got[0] != id[c.first]) {
				t.Errorf("%q (indexed: %v): %v, the first %q; want %q", c.text, indexed, got, w.texts[append(got, 0)[0]], c.first)
			}
		}
		w.update(func(tx *store.Tx) error { // start over for the next case
			tx.MoveSearchMark(Messages, 0)
			return nil
		})
	}
}

func TestNothingToSearchFor(t *testing.T) {
	w := newWorld(t)
	if _, err := w.Find(t.Context(), Query{Team: w.team.ID, Kind: Messages, Text: " ?! "}); parley.KindOf(err) != parley.Invalid {
		t.Error(err)
	}
}

// rooms are where the property test writes: dms and the two groups.
var rooms = [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, -1}, {1, -1}, {2, -2}, {3, -2}}

// readers are the agents that may read a room.
func readers(room [2]int) []int {
	switch room[1] {
	case -1:
		return []int{0, 1}
	case -2:
		return []int{0, 1, 2, 3}
	}
	return room[:]
}

// said is a message as a naive reader remembers it.
type said struct {
	id    int64
	room  [2]int
	words []string
}

// TestIndexFindsWhatAScanFinds compares the index with reading everything, on random
// records that are partly indexed, partly not, and partly removed.
func TestIndexFindsWhatAScanFinds(t *testing.T) {
	for seed := range uint64(12) {
		compareWithScan(t, newWorld(t), seed)
	}
}

func compareWithScan(t *testing.T, w *world, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	var all []said
	for i := range 150 {
		if r.IntN(60) == 0 {
			w.index()
		}
		room, words := rooms[r.IntN(len(rooms))], nonsense(r, 1+r.IntN(8))
		all = append(all, said{w.say(room[0], room[1], strings.Join(words, ", ")), room, words})
		if i%40 == 39 {
			all = w.takeOut(r, all)
		}
	}
	for range 60 {
		w.compare(r, all)
	}
}

// nonsense are words without other forms or synonyms; the first ones are common.
func nonsense(r *rand.Rand, n int) (words []string) {
	for range n {
		words = append(words, fmt.Sprintf("zq%d", min(r.IntN(30), r.IntN(30))))
	}
	return words
}

// takeOut removes a message as retention does.
func (w *world) takeOut(r *rand.Rand, all []said) []said {
	i := r.IntN(len(all))
	w.update(func(tx *store.Tx) error {
		err := w.Remove(tx, Messages, []int64{all[i].id})
		tx.RemoveMessages([]parley.MessageID{parley.MessageID(all[i].id)})
		return err
	})
	return slices.Delete(all, i, i+1)
}

func (w *world) compare(r *rand.Rand, all []said) {
	w.t.Helper()
	words := nonsense(r, 1+r.IntN(3))
	reader, author, newest := r.IntN(5)-1, r.IntN(8)-4, r.IntN(2) == 0
	q := Query{Text: strings.Join(words, " "), Newest: newest, Limit: 1000}
	phrase := r.IntN(3) == 0
	if phrase {
		q.Text = `"` + q.Text + `"`
	}
	if reader >= 0 {
		q.Reader = w.agents[reader].ID
	}
	if author >= 0 {
		q.Author = w.agents[author].ID
	}
	var want []int64
	for _, s := range slices.Backward(all) {
		seen := reader < 0 || slices.Contains(readers(s.room), reader)
		if seen && (author < 0 || s.room[0] == author) && naive(s.words, words, newest, phrase) {
			want = append(want, s.id)
		}
	}
	got := w.find(q)
	if !newest {
		slices.SortFunc(got, func(a, b int64) int { return int(b - a) })
	}
	if !slices.Equal(got, want) {
		w.t.Fatalf("%+v: found %v, a scan finds %v", q, got, want)
	}
}

// naive reports whether a message matches, by reading it.
func naive(has, wanted []string, all, phrase bool) bool {
	if phrase {
		return strings.Contains(" "+strings.Join(has, " ")+" ", " "+strings.Join(wanted, " ")+" ")
	}
	n := 0
	for _, word := range wanted {
		if slices.Contains(has, word) {
			n++
		}
	}
	return n > 0 && (!all || n == len(wanted))
}

func TestTimes(t *testing.T) {
	w := newWorld(t)
	var ids []int64
	for range 30 {
		ids = append(ids, w.say(0, 1, "beacon"))
	}
	w.index()
	at := func(id int64) (m parley.Message) {
		w.update(func(tx *store.Tx) (err error) { m, err = tx.Message(parley.MessageID(id)); return err })
		return m
	}
	got := w.find(Query{Text: "beacon", Since: at(ids[10]).At, Until: at(ids[20]).At, Newest: true, Limit: 100})
	want := slices.Clone(ids[10:20])
	slices.Reverse(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What another team says is not found, indexed or not, and not by people either.
func TestAnotherTeamIsNotFound(t *testing.T) {
	w := newWorld(t)
	own := w.say(0, 1, "a beacon of ours")
	w.update(func(tx *store.Tx) error {
		other := parley.Team{Name: "other"}
		tx.InsertTeam(&other)
		a, b := parley.Agent{Team: other.ID, Name: "x", Kind: parley.Native}, parley.Agent{Team: other.ID, Name: "y", Kind: parley.Native}
		tx.InsertAgent(&a)
		tx.InsertAgent(&b)
		dm, err := tx.EnsureDM(other.ID, a.ID, b.ID)
		if err != nil {
			return err
		}
		return tx.Post(&parley.Message{Team: other.ID, Thread: dm.Main, Author: a.ID, Kind: parley.NotificationMessage, Body: "a beacon of theirs"})
	})
	for _, when := range []string{"just said", "indexed"} {
		for _, newest := range []bool{true, false} {
			if got := w.find(Query{Text: "beacon", Newest: newest}); len(got) != 1 || got[0] != own {
				t.Errorf("%s, newest %v: found %v, want %d", when, newest, got, own)
			}
		}
		w.index()
	}
}
