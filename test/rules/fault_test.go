package rules

import "parley/internal/store"

type fault struct {
	name string
	sql  string
}

func (f fault) install(s *stored) error        { return nil }
func (f fault) wrap(s store.Store) store.Store { return s }
