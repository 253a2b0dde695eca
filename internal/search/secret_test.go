package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// answer is all that a search tells, without ids, which differ between two records.
type answer struct {
	Texts  []string
	Scores []float64
	Spans  [][]Span
	Rest   Result
}

func (w *world) answer(q Query) (a answer) {
	w.t.Helper()
	q.Team, q.Kind = w.team.ID, Messages
	r, err := w.Search(w.t.Context(), q)
	if err != nil {
		w.t.Fatalf("%+v: %v", q, err)
	}
	for _, h := range r.Hits {
		a.Texts, a.Scores, a.Spans = append(a.Texts, h.Text), append(a.Scores, h.Score), append(a.Spans, h.Spans)
	}
	r.Hits = nil
	a.Rest = r
	return a
}

// Two records that differ only in what a caller may not read give it the same answers:
// the same hits in the same order, as complete as each other.
func TestWhatOneMayNotReadDoesNotShow(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 11))
		plain, full := newWorld(t), newWorld(t)
		for i := range 60 {
			// Only the first agent's rooms are in both.
			room, text := rooms[[]int{0, 3, 4, 5, 6, 7}[r.IntN(6)]], saidByOthers(r, 2+r.IntN(8))
			plain.say(room[0], room[1], text)
			full.say(room[0], room[1], text)
			if full.whisper(r, r.IntN(4)); i == 20 && seed%2 == 0 {
				full.whisper(r, chunkSize+100)
			}
			if i == 40 {
				plain.index()
				full.index()
			}
		}
		for range 40 {
			q := Query{Text: saidByOthers(r, 1+r.IntN(3)), Reader: plain.agents[0].ID, Newest: r.IntN(4) == 0, Limit: 10}
			if r.IntN(4) == 0 {
				q.Author = plain.agents[r.IntN(4)].ID
			}
			if diff := cmp.Diff(plain.answer(q), full.answer(q)); diff != "" {
				t.Fatalf("seed %d: %+v tells of what is hidden:\n%s", seed, q, diff)
			}
		}
	}
}

// saidByOthers are words that are near each other, so that one may be a form, the
// beginning or a misspelling of another.
func saidByOthers(r *rand.Rand, n int) string {
	list := strings.Fields(`swordfish swordfishes swordfsh sword swords swordsman vault vaults valut vaulted beacon beacons becon
		beaconing 9f3c1e77ab 9f3c1e 9f3c 🐟 deploy deployment deployed depoly Häuser Haus`)
	var words []string
	for range n {
		words = append(words, list[min(r.IntN(len(list)), r.IntN(len(list)))])
	}
	return strings.Join(words, " ")
}

// whisper adds messages that the first agent may not read: of others, and of another
// team.
func (w *world) whisper(r *rand.Rand, n int) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		for range n {
			pair := [][2]int{{1, 2}, {2, 3}, {1, 3}}[r.IntN(3)]
			dm, err := tx.EnsureDM(w.team.ID, w.agents[pair[0]].ID, w.agents[pair[1]].ID)
			if err != nil {
				return err
			}
			m := parley.Message{Team: w.team.ID, Thread: dm.Main, Author: w.agents[pair[0]].ID, Kind: parley.NotificationMessage, Body: saidByOthers(r, 1+r.IntN(12))}
			if err := tx.Post(&m); err != nil {
				return err
			}
		}
		return nil
	})
}

// How often a word occurs in what an outsider may not read does not change the order
// of what it finds.
func TestABaitWordTellsNothing(t *testing.T) {
	order := func(hidden int) (texts []string) {
		w := newWorld(t)
		w.say(0, 1, "the swordfish is late, says the vault keeper")
		w.say(0, 1, "the vault is empty and the swordfish with it, vault, vault")
		for i := range 30 {
			w.say(0, 1, fmt.Sprintf("note %d about the vault", i))
		}
		w.update(func(tx *store.Tx) error {
			dm, err := tx.EnsureDM(w.team.ID, w.agents[1].ID, w.agents[2].ID)
			if err != nil {
				return err
			}
			for range hidden {
				if err := tx.Post(&parley.Message{Team: w.team.ID, Thread: dm.Main, Author: w.agents[1].ID, Kind: parley.NotificationMessage, Body: "swordfish"}); err != nil {
					return err
				}
			}
			return nil
		})
		w.index()
		return w.answer(Query{Text: "swordfish vault", Reader: w.agents[0].ID}).Texts
	}
	if diff := cmp.Diff(order(0), order(4000)); diff != "" {
		t.Errorf("the order tells of it:\n%s", diff)
	}
}
