package crash

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// killsEnv and seedEnv choose how often a hub is killed, and repeat the
// choices of an earlier run.
const (
	killsEnv = "PARLEY_CRASH_KILLS"
	seedEnv  = "PARLEY_CRASH_SEED"
)

// kills is how often each suite kills: a few times among the other tests, and
// as often as asked for in the long run.
func kills(t *testing.T) int { return int(number(t, killsEnv, 6)) }

// newRandom prints the seed, so that a failure can be looked into.
func newRandom(t *testing.T) (*rand.Rand, uint64) {
	seed := number(t, seedEnv, rand.Uint64())
	t.Logf("%s=%d repeats the choices of this run", seedEnv, seed)
	return rand.New(rand.NewPCG(seed, 0)), seed
}

func number(t *testing.T, env string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(env)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", env, err)
	}
	return n
}

func TestKilledUnderLoadSQLite(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	random, seed := newRandom(t)
	s := &siege{ground: g, places: []*place{p}, random: random, seed: seed,
		open:  func() (database, error) { return openSQLite(p.database()) },
		moods: moods{starting: 60 * time.Millisecond, running: 500 * time.Millisecond, acks: 60},
	}
	s.run(kills(t))
}

func TestKilledUnderLoadPostgres(t *testing.T) {
	g := newGround(t)
	dsn := newDatabase(g)
	// What a dead hub held is taken over when its lease has run out.
	p := g.place("hub", team{store: dsn, lease: time.Second})
	random, seed := newRandom(t)
	s := &siege{ground: g, places: []*place{p}, random: random, seed: seed,
		open:    func() (database, error) { return openPostgres(t.Context(), dsn) },
		besides: func() { server.crash(g) },
		moods:   moods{starting: 100 * time.Millisecond, running: 2500 * time.Millisecond, acks: 100},
	}
	s.run(kills(t))
}
