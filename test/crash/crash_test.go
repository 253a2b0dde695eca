package crash

import (
	"context"
	"fmt"
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

// newRandom prints the seed, so that a failure can be investigated.
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
	campaigns(t, func(g *ground) *siege {
		p := g.place("hub", team{})
		return &siege{ground: g, places: []*place{p},
			open:  func() (database, error) { return openSQLite(p.database()) },
			moods: moods{starting: 60 * time.Millisecond, running: 500 * time.Millisecond, acks: 60},
		}
	})
}

func TestKilledUnderLoadPostgres(t *testing.T) {
	campaigns(t, func(g *ground) *siege {
		dsn := newDatabase(g)
		// What a dead hub held is taken over when its lease has run out.
		return &siege{ground: g, places: []*place{g.place("hub", team{store: dsn, lease: time.Second})},
			open:    func() (database, error) { return openPostgres(context.Background(), dsn) },
			besides: func() { server.crash(g) },
			moods:   moods{starting: 100 * time.Millisecond, running: 2500 * time.Millisecond, acks: 100},
		}
	})
}

// killsInACampaign keeps a database so small that reading all of it after each
// kill takes no time.
const killsInACampaign = 25

// campaigns spreads the kills over sieges, each on a database of its own.
func campaigns(t *testing.T, prepare func(*ground) *siege) {
	random, seed := newRandom(t)
	var sum tally
	for left := kills(t); left > 0 && !t.Failed(); left -= killsInACampaign {
		t.Run(fmt.Sprint(left, " kills to go"), func(t *testing.T) {
			s := prepare(newGround(t))
			s.random, s.seed = random, seed+uint64(left)
			sum.add(s.run(min(left, killsInACampaign)))
		})
	}
	t.Log(sum)
}
