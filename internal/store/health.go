package store

import (
	"time"

	"parley"
)

// Health describes a database. Looking changes nothing, whereas opening would bring
// the schema up to date.
type Health struct {
	// Exists is false if the first hub has yet to create the database.
	Exists bool
	// Schema is the version that it has, Known the one that this program upgrades it
	// to.
	Schema, Known int
	// Newest is the time of the newest record; 0 if there is none.
	Newest parley.Micros
}

// Behind is how far the time now lags behind the newest record.
func (h Health) Behind(now parley.Micros) time.Duration { return behind(h.Newest, now) }
