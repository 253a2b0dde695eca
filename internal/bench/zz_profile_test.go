package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"testing"
	"time"
)

func TestProfile(t *testing.T) {
	what := os.Getenv("P_WHAT")
	if what == "" {
		return
	}
	size, _ := strconv.Atoi(os.Getenv("P_SIZE"))
	callers, _ := strconv.Atoi(os.Getenv("P_CALLERS"))
	ctx := context.Background()
	b := &bench{plan: fullPlan(), dir: "/tmp/bd", options: Options{Progress: os.Stderr}}
	var e engine = &sqliteEngine{dir: "/tmp/bd"}
	name := os.Getenv("P_STORE")
	if name == "" {
		name = "sqlite"
	}
	if name == "postgres" {
		var err error
		if e, err = openPostgres(ctx, "", b.say); err != nil {
			t.Fatal(err)
		}
		defer e.close()
	}
	addr := fmt.Sprintf("/tmp/bd/profile-%d.db", size)
	_, err := os.Stat(addr)
	empty := err != nil
	if name == "postgres" {
		empty = true
		addr, err = e.create(ctx)
		if err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	s, err := b.openSession(ctx, e, addr, size, empty)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("open", time.Since(begin))
	raw, err := e.raw(ctx, callers)
	if err != nil {
		t.Fatal(err)
	}
	rop := func(ctx context.Context, caller int, r *rand.Rand) error { return raw.insert(ctx, caller, body(r)) }
	op, _ := s.operation(what, callers)
	if what == "raw" {
		op = rop
	}
	for range 3 {
		m, err := measure(ctx, callers, 500*time.Millisecond, rop)
		fmt.Printf("raw %v %v\n", m, err)
		m, err = measure(ctx, callers, 500*time.Millisecond, op)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s %v %v\n", what, m, err)
	}
	runtime.SetMutexProfileFraction(5)
	runtime.SetBlockProfileRate(1000)
	f, _ := os.Create("/tmp/bd/cpu." + what)
	pprof.StartCPUProfile(f)
	m, err := measure(ctx, callers, 4*time.Second, op)
	pprof.StopCPUProfile()
	f.Close()
	fmt.Printf("%s %+v %v\n", what, m, err)
	for _, p := range []string{"mutex", "block", "allocs"} {
		f, _ := os.Create("/tmp/bd/" + p + "." + what)
		pprof.Lookup(p).WriteTo(f, 0)
		f.Close()
	}
	if err := s.settle(ctx); err != nil {
		t.Fatal(err)
	}
	raw.close()
	s.close(ctx)
	if name == "postgres" {
		e.drop(ctx, addr)
	}
}
