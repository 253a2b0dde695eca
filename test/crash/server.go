package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"parley/internal/pgtest"
)

// server is the PostgreSQL of this process's tests. It stores as durably as in
// production, and it remembers the order in which transactions were committed.
// It lies in a folder of its own, so that a test can stop it and start it
// again.
type postgresServer struct {
	mu  sync.Mutex
	dir string
	now *pgtest.Server
}

var server postgresServer

// newDatabase makes an empty database, and starts the server first if nobody
// has yet.
func newDatabase(g *ground) string {
	g.Helper()
	s := server.running(g)
	dsn, err := s.NewDatabase()
	if err != nil {
		g.Fatal(err)
	}
	return dsn
}

func (s *postgresServer) running(g *ground) *pgtest.Server {
	g.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		return s.now
	}
	if s.dir == "" {
		dir, err := os.MkdirTemp("/tmp", "parley-crash-pg-")
		if err != nil {
			g.Fatal(err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			g.Fatal(err)
		}
		s.dir = dir
	}
	now, err := pgtest.Start(filepath.Join(s.dir, "pg"), pgtest.Options{Durable: true, Settings: map[string]string{
		"track_commit_timestamp": "on",
		"deadlock_timeout":       "200ms", // sooner than the hubs stop waiting for a lock
	}})
	if err != nil {
		g.Fatal(err)
	}
	s.now = now
	return now
}

// crash kills the server and starts it again.
func (s *postgresServer) crash(g *ground) {
	g.Helper()
	if err := s.end((*pgtest.Server).Kill); err != nil {
		g.Fatal(err)
	}
	s.running(g)
}

// deadlocks is what the server has said of deadlocks so far.
func (s *postgresServer) deadlocks(g *ground) []string {
	g.Helper()
	text, err := os.ReadFile(s.running(g).LogFile())
	if err != nil {
		g.Fatal(err)
	}
	list := strings.Split(string(text), "deadlock detected")[1:]
	for i, said := range list {
		lines := strings.SplitN(said, "\n", 10)
		list[i] = strings.Join(lines[:len(lines)-1], "\n")
	}
	return list
}

// end stops the server in order, or as a crash does.
func (s *postgresServer) end(how func(*pgtest.Server) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil
	}
	err := how(s.now)
	s.now = nil
	return err
}

// stopServer is for the end of all tests. If one failed, its database is kept.
func stopServer(failed bool) error {
	err := server.end((*pgtest.Server).Stop)
	if server.dir == "" {
		return err
	}
	if failed {
		pg := filepath.Join(server.dir, "pg")
		fmt.Fprintf(os.Stderr, "PostgreSQL's folder is kept; its owner starts it again with: postgres -D %s/data -k %s -c listen_addresses=\n", pg, pg)
		return err
	}
	return errors.Join(err, os.RemoveAll(server.dir))
}
