package crash

import (
	"context"
	"fmt"
	"syscall"
)

// freezeOnce freezes a hub at a random moment under load, as a paused machine does, and
// wakes it up again, or kills it. Meanwhile the other hubs must accept work. The frozen
// hub often sleeps so long that they take over what it was doing; when it wakes up, it
// must not do that again.
func (s *siege) freezeOnce(gate *gate, ledger *ledger) {
	s.Helper()
	for n := range s.places {
		s.ensure(n)
		s.admit(gate, n)
	}
	victim := s.random.IntN(len(s.places))
	h := s.hubs[victim]
	s.moment(h.ended, s.moods.running)
	h.signal(syscall.SIGSTOP)
	s.frozen++
	for n := range s.places {
		if n != victim {
			s.acceptsOne(n, ledger)
		}
	}
	s.moment(h.ended, s.moods.frozen)
	if s.random.IntN(4) == 0 {
		s.kill(victim)
		gate.shut(victim)
		return
	}
	h.signal(syscall.SIGCONT)
}

// acceptsOne notifies somebody at one hub and at no other.
func (s *siege) acceptsOne(n int, ledger *ledger) {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	only := newGate()
	only.open(n, s.hubs[n].waitUp())
	defer only.shut(n)
	c := customer{load: &load{gate: only, ledger: ledger}, random: s.random}
	c.do(ctx, job{kind: kinds[0], id: fmt.Sprintf("f-%d-%d", s.frozen, n)})
	if ctx.Err() != nil {
		s.Errorf("a hub accepts nothing while another one is frozen\n%s", s.hubs[n].lastWords())
	}
}
