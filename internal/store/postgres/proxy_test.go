package postgres

import (
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"parley/internal/pgtest"
)

// proxy stands between a store and the server. Once told to, it drops the server's
// next reply on each connection and hangs up.
type proxy struct {
	dsn     string
	network string
	address string
	silent  atomic.Bool
	listen  net.Listener
	wg      sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

func newProxy(t *testing.T, to *url.URL) *proxy {
	t.Helper()
	config, err := pgx.ParseConfig(to.String())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "proxy")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{dsn: with(to, "host", dir)}
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	if p.listen, err = net.Listen(pgconn.NetworkAddress(dir, config.Port)); err != nil {
		t.Fatal(err)
	}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		_ = p.listen.Close()
		p.hangUp()
		p.wg.Wait()
		_ = os.RemoveAll(dir)
	})
	return p
}

func (p *proxy) swallowReplies() { p.silent.Store(true) }

func (p *proxy) accept() {
	for {
		client, err := p.listen.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.address)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.wg.Go(func() { _, _ = io.Copy(server, client); _ = server.Close() })
		p.wg.Go(func() { p.replies(client, server); _ = client.Close() })
	}
}

func (p *proxy) replies(client, server net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil || p.silent.Load() {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

// serverDir is a folder for the test's own server. The folders of t.TempDir are
// closed to other accounts.
func serverDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "parley-pg-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func startServer(t *testing.T, dir string) *pgtest.Server {
	t.Helper()
	return startServerWith(t, dir, pgtest.Options{})
}

func startServerWith(t *testing.T, dir string, o pgtest.Options) *pgtest.Server {
	t.Helper()
	s, err := pgtest.Start(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Kill() })
	return s
}
