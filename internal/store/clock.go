package store

import (
	"sync/atomic"
	"time"

	"parley"
)

// Clock gives the time of transactions. It never goes back: neither when the
// machine's clock is set back while the hub runs, nor when that clock was behind the
// newest record at the start. Time then stands still until the clock has caught up.
type Clock struct {
	source parley.Clock
	newest atomic.Int64
	opened time.Time // by the source
	anchor time.Time // the steady time at that moment
}

// NewClock starts at the source's time, but not before the newest record. Its steady
// time starts at the anchor.
func NewClock(source parley.Clock, newest parley.Micros, anchor time.Time) *Clock {
	c := &Clock{source: source, opened: source(), anchor: anchor}
	c.newest.Store(int64(newest))
	return c
}

// Steady is a time that passes evenly as long as the store is open: setting the
// machine's clock changes nothing, in either direction. It is for what has to go on
// while Now stands still. Hubs on one database start from its clock, so that they
// agree even if their own clocks do not. After a restart with a clock that was set
// back it is behind what was stored before.
func (c *Clock) Steady() parley.Micros {
	now := c.anchor.Add(c.source().Sub(c.opened)) // the difference is of monotonic times
	return parley.Micros(now.UnixMicro())
}

func (c *Clock) Now() parley.Micros {
	now := int64(c.source.Now())
	for {
		newest := c.newest.Load()
		if now <= newest {
			return parley.Micros(newest)
		}
		if c.newest.CompareAndSwap(newest, now) {
			return parley.Micros(now)
		}
	}
}

// Behind is how far the source lags behind the latest time given out.
func (c *Clock) Behind() time.Duration {
	return behind(parley.Micros(c.newest.Load()), c.source.Now())
}

// behind ignores less than a second: the clock of a hub on another machine may be
// that far ahead.
func behind(newest, now parley.Micros) time.Duration {
	if d := newest.Until(now); d >= time.Second {
		return d
	}
	return 0
}
