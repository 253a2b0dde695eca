package postgres

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"parley/internal/pgtest"
)

// proxy stands between a store and the server. Once told, it keeps the
// server's next reply of each connection to itself and hangs up.
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

func newProxy(t *testing.T, dsn string) *proxy {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "proxy")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("host", dir)
	q.Set("port", "5432")
	q.Set("sslmode", "disable")
	u.RawQuery, u.Host = q.Encode(), ""

	p := &proxy{dsn: u.String()}
	p.network, p.address = pgNetwork(config)
	if p.listen, err = net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432")); err != nil {
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

func pgNetwork(c *pgx.ConnConfig) (network, address string) {
	if filepath.IsAbs(c.Host) {
		return "unix", filepath.Join(c.Host, ".s.PGSQL.5432")
	}
	return "tcp", net.JoinHostPort(c.Host, "5432")
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

// serverDir is a folder for a server of its own; those of t.TempDir let no
// other account through.
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
