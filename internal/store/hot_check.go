package store

import (
	"fmt"

	"parley"
)

// Check compares what is remembered with what is stored, for tests: Hot is right only as
// long as every statement that changes a row is heard of.
func (h *Hot) Check(conn Conn) error {
	tx := &Tx{conn: cold{conn}}
	check := func(what string, id any, known, stored any, err error) error {
		if err == nil && known != stored {
			err = fmt.Errorf("%s %v is remembered as\n%+v\nand stored as\n%+v", what, id, known, stored)
		}
		return err
	}
	for id, known := range h.agents {
		stored, err := tx.Agent(id)
		stored.Rate = parley.Rate{}
		if err := check("agent", id, known, stored, err); err != nil {
			return err
		}
	}
	for id, known := range h.rates {
		stored, err := tx.Agent(id)
		if err := check("the rate of", id, known, stored.Rate, err); err != nil {
			return err
		}
	}
	for id, known := range h.mail {
		stored := false
		err := tx.query(`SELECT 1 FROM delivery /*list mail*/ d WHERE d.mail = 1 AND d.seen_at = 0 AND d.recipient_id = $1 LIMIT 1`, func(Row) { stored = true }, int64(id))
		if err := check("the mail of", id, known, stored, err); err != nil {
			return err
		}
	}
	for key, known := range h.dms {
		stored, err := tx.DM(key.a, key.b)
		if err := check("the dm of", key, known, stored, err); err != nil {
			return err
		}
	}
	for id, known := range h.threads {
		stored, err := tx.Thread(id)
		if err := check("thread", id, known, stored, err); err != nil {
			return err
		}
	}
	for id, known := range h.tasks {
		stored, err := tx.Task(id)
		if err := check("task", id, known, stored, err); err != nil {
			return err
		}
	}
	return nil
}

// cold is a connection that remembers nothing.
type cold struct{ Conn }

func (cold) Hot() *Hot { return nil }
