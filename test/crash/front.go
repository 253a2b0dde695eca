package crash

import (
	"cmp"
	"io"
	"net"
	"strings"
	"sync"
)

// front is one address for hubs that come one after the other, each with a port of its
// own. It passes connections on, and closes them while there is no hub.
type front struct {
	listener net.Listener
	mu       sync.Mutex
	to       string
}

func (g *ground) newFront() *front {
	g.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		g.Fatal(err)
	}
	f := &front{listener: l, to: nowhere}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go f.pass(in)
		}
	})
	g.Cleanup(func() {
		_ = l.Close()
		open.Wait()
	})
	return f
}

func (f *front) url() string { return "http://" + f.listener.Addr().String() }

// nowhere is an address at which nobody listens.
const nowhere = "127.0.0.1:1"

// lead says where the hub is; empty if there is none.
func (f *front) lead(url string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to = cmp.Or(strings.TrimPrefix(url, "http://"), nowhere)
}

// pass connects two ends. When one of them dies, the other sees it.
func (f *front) pass(in net.Conn) {
	f.mu.Lock()
	to := f.to
	f.mu.Unlock()
	out, err := net.Dial("tcp", to)
	if err != nil { // there is none
		_ = in.Close()
		return
	}
	join := func(a, b net.Conn) {
		_, _ = io.Copy(a, b)
		_, _ = a.Close(), b.Close()
	}
	go join(out, in)
	join(in, out)
}
