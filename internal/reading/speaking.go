package reading

import (
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// speakers is how many open tasks are looked through for those of a conversation.
const speakers = 1000

// Speaking lists the open tasks that are worked on in a conversation, the newest first,
// as far as the caller may see them.
func (s *Service) Speaking(ctx context.Context, c access.Caller, in parley.ThreadID, limit int) (list []parley.Task, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err = tx.Tasks(store.TaskFilter{Team: c.Team, Open: true, Limit: speakers})
		return err
	})
	list = slices.DeleteFunc(list, func(t parley.Task) bool { return t.Thread != in || !s.seesTask(c, t) })
	return list[:min(limit, len(list))], err
}
