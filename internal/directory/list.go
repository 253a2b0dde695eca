package directory

import (
	"context"

	"parley"
	"parley/internal/store"
)

// Listed is a participant with its status.
type Listed struct {
	parley.Agent
	Description string
	Status      parley.Status
	Open        parley.OpenTasks
}

// List reads a team's participants in the order of their names.
func List(ctx context.Context, st store.Store, d *Directory, team parley.TeamID) (list []Listed, err error) {
	err = st.View(ctx, func(tx *store.Tx) error {
		agents, err := tx.Agents(team)
		if err != nil {
			return err
		}
		open, err := tx.OpenTasks(team)
		if err != nil {
			return err
		}
		list = make([]Listed, 0, len(agents))
		for _, a := range agents {
			e, _ := d.Entry(a.ID)
			list = append(list, Listed{Agent: a, Description: e.Description, Status: a.StatusAt(tx.Now, open[a.ID]), Open: open[a.ID]})
		}
		return nil
	})
	return list, err
}
