package search

import (
	"fmt"
	"testing"

	"parley/internal/store"
)

// Each case runs before anything is indexed, and after.
func TestOtherSpellingsAreFound(t *testing.T) {
	w := newWorld(t)
	id := map[string]int64{}
	for name, text := range map[string]string{
		"commit":   "The culprit is 9f3c1e77ab04d2c5e6f8091a2b3c4d5e6f708192, please revert it.",
		"rollback": "Carol did a rollback of the webhook receiver at noon.",
		"kube":     "Kubernetes evicted the payrouter because of its deployment.",
		"auth":     "Authentication of the nightly import fails.",
		"ship":     "It works! 🚀 🎉",
		"fish":     "The fish 🐟 is for Friday.",
		"german":   "Wir haben die Häuser in der Datenbank gelöscht, und die Verträge auch.",
		"russian":  "Мы перенесли серверы в другую базу данных вчера.",
		"french":   "Les utilisateurs n'ont pas reçu les notifications de la facture.",
		"spanish":  "La configuración de los servidores no es correcta para las pruebas.",
		"korean":   "서버를 다시 시작했습니다.",
		"swedish":  "Vi har flyttat inställningarna till den nya servern och det är inte klart.",
	} {
		id[name] = w.say(0, 1, text)
	}
	for _, c := range []struct{ text, first string }{
		{"9f3c1e", "commit"},
		{"9F3C1E77", "commit"},
		{"payrou", "kube"},
		{"rolback", "rollback"},    // a letter is missing
		{"rollbcak", "rollback"},   // two are swapped
		{"wbhook", "rollback"},     // at the beginning
		{"ebhook", "rollback"},     // the first
		{"reciever", "rollback"},   //
		{"kubrnets", "kube"},       // two are missing
		{"kubernetis", "kube"},     // in the ending
		{"deploymnet", "kube"},     // the stem is right
		{"authetication", "auth"},  //
		{"imprt nihgtly", "auth"},  //
		{"🚀", "ship"},              //
		{"🐟", "fish"},              //
		{"Haus", "german"},         //
		{"Vertrag Haus", "german"}, //
		{"geloscht", "german"},     //
		{"сервер", "russian"},      //
		{"базы данные", "russian"}, //
		{"notification facturer", "french"},
		{"configuraciones", "spanish"},
		{"configuracion servidor", "spanish"},
		{"서버", "korean"},
		{"inställning", "swedish"},
	} {
		for _, indexed := range []bool{false, true} {
			for _, newest := range []bool{false, true} {
				if indexed {
					w.index()
				}
				if got := w.find(Query{Text: c.text, Newest: newest}); len(got) == 0 || got[0] != id[c.first] {
					t.Errorf("%q (indexed: %v, newest: %v): %v, the first %q", c.text, indexed, newest, got, w.texts[append(got, 0)[0]])
				}
			}
		}
		w.update(func(tx *store.Tx) error { // start over for the next case
			tx.MoveSearchMark(Messages, 0)
			return nil
		})
	}
	for _, text := range []string{`"rolback"`, "zebra", "9f3", "77ab04"} {
		if got := w.find(Query{Text: text}); len(got) > 0 {
			t.Errorf("%s finds %q", text, w.texts[got[0]])
		}
	}
}

// A word that the caller's documents have is found as it is, not as what is like it.
func TestARightWordIsNotCorrected(t *testing.T) {
	w := newWorld(t)
	cast := w.say(0, 1, "the cast is broken")
	w.say(0, 1, "the cost is high")
	w.index()
	if got := w.find(Query{Text: "cast"}); len(got) != 1 || got[0] != cast {
		t.Errorf("found %v", got)
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abcd", 1}, {"abcd", "bcd", 1}, {"abc", "axc", 1}, {"abcd", "badc", 2}, {"größe", "grosse", 3}} {
		if got := editDistance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// A word that is gone is not offered for a misspelled one, and is not stored.
func TestAWordThatIsGoneIsNotMeant(t *testing.T) {
	w := newWorld(t)
	id := w.say(0, 1, "the word is swordfish")
	w.say(0, 1, "the other word")
	w.index()
	words := func() (list []string) {
		w.update(func(tx *store.Tx) error {
			list = nil
			return tx.SearchWordsBackward(w.team.ID, Messages, "", afterAll(""), func(word string) { list = append(list, backward(word)) })
		})
		return list
	}
	if got := words(); len(got) != 4 {
		t.Errorf("stored: %v", got)
	}
	w.update(func(tx *store.Tx) error { return w.Remove(tx, Messages, []int64{id}) })
	for _, word := range words() {
		if word == "swordfish" {
			t.Error("the word is still there")
		}
	}
}

// A beginning finds its words however many rows of the index come before them.
func TestABeginningOfManyWords(t *testing.T) {
	w := newWorld(t)
	w.sayMuch(0, 1, rowsPerPage+500, func(i int) string { return fmt.Sprintf("build%d", 10000+i) })
	last := w.say(0, 1, "builder")
	w.index()
	if got := w.find(Query{Text: "build", Limit: 1}); len(got) != 1 || got[0] != last {
		t.Errorf("found %v, want %d first", got, last)
	}
	w.sayMuch(2, 3, rowsPerPage+500, func(i int) string { return fmt.Sprintf("crest%d", 10000+i) })
	own := w.say(0, 1, "crestfallen")
	w.index()
	if got := w.find(Query{Text: "crest", Reader: w.agents[0].ID}); len(got) != 1 || got[0] != own {
		t.Errorf("found %v, want %d", got, own)
	}
}
