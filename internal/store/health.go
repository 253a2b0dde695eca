package store

import (
	"time"

	"parley"
)

// Health is what a look at a database tells. It changes nothing, unlike
// opening it, which brings the schema up to date.
type Health struct {
	// Exists is false for a database that the first hub will make.
	Exists bool
	// Schema is the version it has, Known the one that this program brings it to.
	Schema, Known int
	// Newest is the time of the newest record; 0 if there is none.
	Newest parley.Micros
}

// Behind is how far a clock that shows now is behind the newest record.
func (h Health) Behind(now parley.Micros) time.Duration { return behind(h.Newest, now) }
