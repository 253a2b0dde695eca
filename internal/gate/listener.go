package gate

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// helloTime is how long a caller may take to say the first byte.
const helloTime = 10 * time.Second

// Encrypt makes a listener speak TLS. Callers on this machine may also speak plainly:
// nobody else hears them, and commands of this machine need not trust the certificate,
// which is made for another name. The first byte says which it is. A plain caller from
// elsewhere is cut off before it is answered.
func Encrypt(l net.Listener, config *tls.Config) net.Listener {
	e := &encrypted{Listener: l, config: config, accepted: make(chan accepted), closed: make(chan struct{}), begin: map[net.Conn]struct{}{}}
	go e.run()
	return e
}

type encrypted struct {
	net.Listener
	config   *tls.Config
	accepted chan accepted

	mu     sync.Mutex
	begin  map[net.Conn]struct{} // those that have said nothing yet
	ended  bool
	closed chan struct{}
}

// accepted is what Accept returns.
type accepted struct {
	conn net.Conn
	err  error
}

// run takes connections and sorts them beside each other, so that a slow caller keeps
// nobody waiting. The server says how long to wait after an error, by when it calls
// Accept again.
func (e *encrypted) run() {
	for {
		conn, err := e.Listener.Accept()
		if err == nil {
			go e.sort(conn)
			continue
		}
		if !e.give(accepted{err: err}) || errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// give hands something to Accept, and reports false if nobody calls it any more.
func (e *encrypted) give(a accepted) bool {
	select {
	case e.accepted <- a:
		return true
	case <-e.closed:
		return false
	}
}

func (e *encrypted) sort(conn net.Conn) {
	if !e.hold(conn) {
		return
	}
	sorted, err := e.sorted(conn)
	e.mu.Lock()
	delete(e.begin, conn)
	e.mu.Unlock()
	if err != nil || !e.give(accepted{conn: sorted}) {
		_ = conn.Close()
	}
}

// hold makes Close close the connection as long as it has said nothing.
func (e *encrypted) hold(conn net.Conn) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		_ = conn.Close()
		return false
	}
	e.begin[conn] = struct{}{}
	return true
}

var errPlain = errors.New("not encrypted")

func (e *encrypted) sorted(conn net.Conn) (net.Conn, error) {
	if err := conn.SetReadDeadline(time.Now().Add(helloTime)); err != nil {
		return nil, err
	}
	first := make([]byte, 1)
	if _, err := conn.Read(first); err != nil {
		return nil, err
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	begun := &begunConn{Conn: conn, first: first}
	const handshake = 0x16 // the record type that begins every TLS connection
	switch {
	case first[0] == handshake:
		return tls.Server(begun, e.config), nil
	case local(conn):
		return begun, nil
	}
	return nil, errPlain
}

// local reports whether the caller is on this machine: it calls from a loopback address,
// or from the address that it calls.
func local(conn net.Conn) bool {
	from, ok := parseAddr(conn.RemoteAddr().String())
	return ok && (from.IsLoopback() || sameAddr(from, conn.LocalAddr().String()))
}

// begunConn is a connection whose first byte was read already.
type begunConn struct {
	net.Conn
	first []byte
}

func (c *begunConn) Read(p []byte) (int, error) {
	if len(c.first) > 0 && len(p) > 0 {
		n := copy(p, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

func (e *encrypted) Accept() (net.Conn, error) {
	select {
	case a := <-e.accepted:
		return a.conn, a.err
	case <-e.closed:
		return nil, net.ErrClosed
	}
}

func (e *encrypted) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ended {
		e.ended = true
		close(e.closed)
	}
	for conn := range e.begin {
		_ = conn.Close()
	}
	return e.Listener.Close()
}
