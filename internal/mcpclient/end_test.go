package mcpclient_test

import (
	"strconv"
	"testing"

	"parley/internal/mcpclient"
)

// also starts another server besides a running one.
func (r running) also() running {
	r.t.Helper()
	other := running{t: r.t, servers: r.servers, conn: r.servers.Add(self("usual")), stop: r.stop}
	<-other.conn.Ready()
	return other
}

func (r running) pid() int {
	r.t.Helper()
	pid, err := strconv.Atoi(r.must("pid", ""))
	if err != nil {
		r.t.Fatal(err)
	}
	return pid
}

// A server that is given up ends, and no other.
func TestTheEndOfAServer(t *testing.T) {
	r := start(t, self("usual"), quiet())
	other := r.also()
	pid := r.pid()
	r.servers.End(r.conn)
	eventually(t, "its process is gone", func() bool { return gone(pid) })
	if r.conn.State().Up {
		t.Error("it is still there")
	}
	other.must("echo", "I go on.")
}

// A server that somebody uses continues until the last user is done.
func TestAServerIsHeld(t *testing.T) {
	r := start(t, self("usual"), quiet())
	pid := r.pid()
	first, second := r.servers.Hold([]*mcpclient.Conn{r.conn}), r.servers.Hold([]*mcpclient.Conn{r.conn})
	r.servers.End(r.conn)
	first()
	r.must("echo", "I go on.")
	if gone(pid) {
		t.Error("it has ended")
	}
	second()
	eventually(t, "its process is gone", func() bool { return gone(pid) })
}

// Stopping the hub does not wait for those who hold a server.
func TestAHeldServerEndsWithTheHub(t *testing.T) {
	r := start(t, self("usual"), quiet())
	pid := r.pid()
	release := r.servers.Hold([]*mcpclient.Conn{r.conn})
	r.servers.End(r.conn)
	r.stop()
	if !gone(pid) {
		t.Error("it is left")
	}
	release()
}
