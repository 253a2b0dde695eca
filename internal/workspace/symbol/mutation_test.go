package symbol

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var mutateFor = flag.Duration("mutate", 0, "how long to look for files that a parser fails on; 0 is 2000 files")

// Real files, damaged at random: whatever is still read as symbols lies in the file
// and in each other.
func TestDamagedFiles(t *testing.T) {
	names := []string{"server.go.txt", "agent.rs", "outer.py", "service.ts", "view.tsx", "script.js"}
	seed := uint64(1)
	if *mutateFor > 0 {
		seed = uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	begin, told := time.Now(), 0
	n := 0
	for ; n < 2000 || time.Since(begin) < *mutateFor; n++ {
		name := names[n%len(names)]
		src := read(t, name)
		for range 1 + random.IntN(4) {
			src = damage(random, src)
		}
		list, err := List(strings.TrimSuffix(name, ".txt"), src)
		if err != nil && strings.Contains(err.Error(), "the parser failed") {
			t.Fatalf("the parser panicked on\n%q", src)
		}
		if err == nil {
			told++
		}
		checkBounds(t, src, list)
	}
	t.Logf("%d files, %d of them with symbols", n, told)
}

// damage cuts a piece out, doubles one, or puts odd bytes in.
func damage(r *rand.Rand, src []byte) []byte {
	if len(src) == 0 {
		return src
	}
	from := r.IntN(len(src))
	to := min(len(src), from+1+r.IntN(40))
	switch r.IntN(4) {
	case 0:
		return append(bytes.Clone(src[:from]), src[to:]...)
	case 1:
		return append(bytes.Clone(src[:to]), src[from:]...)
	case 2:
		odd := []string{"\x00", "\xff", "{", "}", "\"", "'", "`", "/*", "//", "#", "\r", "\n", "\t", "<", ">", "é", "@", "\\"}
		return append(append(bytes.Clone(src[:from]), odd[r.IntN(len(odd))]...), src[from:]...)
	default:
		return src[:to]
	}
}

// checkBounds makes sure that symbols lie in their file, and that of two that
// share something one holds the other.
func checkBounds(t *testing.T, src []byte, list []Symbol) {
	t.Helper()
	total := 1 + bytes.Count(src, []byte("\n"))
	var around []Symbol
	for _, s := range list {
		for len(around) > 0 && around[len(around)-1].to <= s.from {
			around = around[:len(around)-1]
		}
		if len(around) > 0 && s.to > around[len(around)-1].to {
			t.Errorf("%+v lies half in %+v, in\n%q", s, around[len(around)-1], src)
		}
		around = append(around, s)
		if s.Line < 1 || s.End < s.Line || s.End > total || s.from < 0 || s.to > len(src) || s.from > s.to || s.Name == "" {
			t.Errorf("%+v in %d lines, %d bytes of\n%q", s, total, len(src), src)
		}
		if from, to, err := s.Block(src); err == nil && (from > s.from || to < s.to) {
			t.Errorf("%+v has the block %d-%d in\n%q", s, from, to, src)
		}
	}
}
