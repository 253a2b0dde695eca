package browser

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// grow puts tasks below one that has ended: so many that have children of their own, and
// the rest below these.
func (w *world) grow(of string, many, below int) {
	w.Helper()
	w.stop()
	db, err := sqlite.Open(filepath.Join(w.dir, ".parley", "parley.db"), sqlite.Options{Synchronous: "OFF"})
	if err != nil {
		w.Fatal(err)
	}
	root, err := parley.ParseTaskID(of)
	if err != nil {
		w.Fatal(err)
	}
	err = db.Update(w.Context(), func(tx *store.Tx) error {
		top, err := tx.Task(root)
		if err != nil {
			return err
		}
		make := func(parent parley.TaskID, name string) parley.TaskID {
			t := top
			t.ID, t.Parent, t.Root, t.Title, t.Requester = tx.NewTaskID(), parent, root, name, top.Agent
			tx.InsertTask(&t)
			for n := range 2 {
				tx.InsertStep(parley.Step{Task: t.ID, Turn: 1, N: n + 1, Kind: parley.StepReply, Content: []byte(`{"text": "Done."}`), Spent: parley.Spending{Money: 1000, Active: time.Millisecond}})
			}
			return t.ID
		}
		for i := range many {
			parent := make(root, fmt.Sprintf("Part %d.", i))
			for k := range below {
				make(parent, fmt.Sprintf("Piece %d of %d.", k, i))
			}
		}
		return nil
	})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		w.Fatal(err)
	}
	w.start()
}

func TestATreeOfThousandsIsShownInPieces(t *testing.T) {
	w := newWorld(t, workshop)
	root := w.contact("delegate", "WriterBot", "Rewrite it.").Task.ID
	w.ended(root)
	w.grow(root, 49, 101)
	page := w.signIn()
	began := time.Now()
	page.open("/tasks/" + root)
	page.see("#task-tree", "4,999 tasks, 0 open")
	t.Logf("after %s, of which the server took %.0f ms; %.0f KB", time.Since(began),
		eval[float64](page, `(n => n.responseStart - n.requestStart)(performance.getEntriesByType("navigation")[0])`),
		eval[float64](page, `performance.getEntriesByType("navigation")[0].encodedBodySize / 1024`))
	if n := eval[int](page, `document.querySelectorAll("#task-tree .t").length`); n != 200 {
		t.Errorf("%d rows", n)
	}
	page.see("#task-tree .pages", "1 to 200")
	page.click("#task-tree a[rel=next]")
	page.see("#task-tree .pages", "201 to 400")
	page.see("#task-tree", "Rewrite it.") // what is above the first row
	page.click("#task-tree li li li a")
	page.see("#task-head h1", "Piece")
	page.see("#task-tree [aria-current]", "Piece")
}
