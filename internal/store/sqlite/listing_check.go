package sqlite

import (
	"cmp"
	"fmt"
	"slices"

	"parley/internal/store"
)

// checkedLimits have passes begin early and take several commits, for tests.
var checkedLimits = tailLimits{live: 6, span: 40, put: 2}

// listRows says what each list has by the tables.
var listRows = [store.ListCount]string{
	store.MailList:  `SELECT recipient_id, message_id FROM delivery WHERE mail = 1 AND seen_at = 0`,
	store.PullList:  `SELECT recipient_id, message_id FROM delivery WHERE pull = 1 AND seen_at = 0`,
	store.AboutList: `SELECT recipient_id, message_id FROM delivery WHERE about_id <> 0 AND seen_at = 0`,
	store.ChildList: `SELECT parent_id, id FROM task WHERE parent_id > 0`,
	store.InboxList: `SELECT task_id, message_id FROM inbox`,
}

// checkLists compares the lists with the rows that they are of, for tests: they are right
// only as long as every change is heard of.
func (c *conn) checkLists() error {
	for list := range store.ListCount {
		want, err := c.idsBy(listRows[list])
		if err != nil {
			return err
		}
		got, err := c.idsBy(listIDs(list))
		if err != nil {
			return err
		}
		got = slices.DeleteFunc(got, func(id [2]int64) bool { return c.tail.gone[entry{list, id[0], id[1]}] != 0 }) // for readers
		if !slices.Equal(want, got) {
			return fmt.Errorf("the list %s has %v (mark %+v),\nand the tables have %v", store.ListNames[list], got, c.tail.lists[list].mark, want)
		}
		if err := c.tail.check(list); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) idsBy(sql string) (ids [][2]int64, err error) {
	err = c.Query(store.Query{SQL: `SELECT * FROM (` + sql + `)`, Row: func(r store.Row) { ids = append(ids, [2]int64{r.Int(0), r.Int(1)}) }})
	slices.SortFunc(ids, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return ids, err
}

// check counts what is in memory.
func (t *tail) check(list store.List) error {
	l, live := &t.lists[list], 0
	for owner, ids := range l.owners {
		if !slices.IsSorted(ids) || len(ids) == 0 {
			return fmt.Errorf("%s of %d are %v", store.ListNames[list], owner, ids)
		}
		for _, id := range ids {
			if t.gone[entry{list, owner, id}] == 0 && !l.mark.stored(owner, id) {
				live++
			}
		}
	}
	if live != l.live || len(t.journal) > 0 {
		return fmt.Errorf("%s has %d ids in memory, and counts %d, with %d changes", store.ListNames[list], live, l.live, len(t.journal))
	}
	return nil
}
