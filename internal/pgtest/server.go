package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// superuser is the name of the only role on our servers. They trust every connection:
// only the owner of their folder, or root, can reach the socket.
const superuser = "parley"

// startLimit is how long a server may take to answer; after a crash it first replays
// its log.
const startLimit = 2 * time.Minute

// stopLimit is how long an orderly stop may take before the process is killed.
const stopLimit = time.Minute

// maxSocketDir keeps the path of the socket within the 103 bytes that the
// narrowest system allows.
const maxSocketDir = 103 - len("/.s.PGSQL.5432")

// Options says how a server runs. The zero value is right for tests.
type Options struct {
	// Durable turns fsync on, as in production. Without it a server is faster
	// and survives the death of its processes, but not of the machine.
	Durable bool
	// MaxConnections is 200 when zero.
	MaxConnections int
	// Settings are further lines of configuration, by name.
	Settings map[string]string
}

// Server is a running PostgreSQL that listens only on a Unix socket in its folder. It
// is stopped when this process ends, even by SIGKILL, and when the Server is garbage
// collected, so keep it until Stop.
type Server struct {
	dir       string
	temporary bool // dir is ours to remove
	cmd       *exec.Cmd
	watch     *watcher
	ended     bool
}

// Start runs a server on dir and waits until it answers. An empty or missing dir is
// initialised. One that a server has used before, however that ended, is started
// again with its data. If dir is "", the server gets a temporary folder, which is
// removed at the end.
//
// PostgreSQL refuses to run as root. For root, the server runs as an unprivileged
// account that becomes the owner of dir. The folders above dir must let others
// through, which those of testing.T.TempDir do not.
func Start(dir string, o Options) (*Server, error) {
	bin, err := Find()
	if err != nil {
		return nil, err
	}
	as, err := serverAccount()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, temporary: dir == ""}
	if err := s.prepare(as); err != nil {
		return nil, err
	}
	// The watcher starts first, so that at no moment our death would leave anything
	// behind.
	if s.watch, err = startWatcher(s.dir, s.temporary, as); err != nil {
		return nil, s.abandon(err)
	}
	if err := s.initialise(bin, as, o); err != nil {
		return nil, s.abandon(err)
	}
	if err := s.run(bin, as, o); err != nil {
		return nil, s.abandon(err)
	}
	return s, nil
}

// DSN returns the address of a database of this server; it need not exist.
func (s *Server) DSN(database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(superuser),
		Path:     "/" + database,
		RawQuery: url.Values{"host": {s.dir}, "port": {"5432"}, "sslmode": {"disable"}}.Encode(),
	}
	return u.String()
}

// NewDatabase creates an empty database with a random name and returns its address.
func (s *Server) NewDatabase() (string, error) {
	dsn, _, err := createDatabase(s.DSN("postgres"), emptyTemplate)
	return dsn, err
}

// LogFile is where the server writes its messages.
func (s *Server) LogFile() string { return filepath.Join(s.dir, "log") }

// Stop ends the server in order: connections are cut and everything is written, so
// the next start has nothing to recover. A second call does nothing.
func (s *Server) Stop() error {
	if s.temporary { // nobody will read what an orderly stop would write
		return s.end(syscall.SIGQUIT)
	}
	return s.end(syscall.SIGINT)
}

// Kill ends the server as a crash does: nothing more is written, connections break,
// and the next start recovers from the log. All processes are gone when Kill returns,
// so Start can follow at once. Killing only the first process would leave the others
// holding the folder for a while.
func (s *Server) Kill() error { return s.end(syscall.SIGQUIT) }

func (s *Server) end(how os.Signal) error {
	if s.ended {
		return nil
	}
	s.ended = true
	var err error
	if s.cmd != nil {
		err = endProcess(s.cmd, how)
	}
	if s.watch != nil {
		err = errors.Join(err, s.watch.dismiss())
	}
	if s.temporary {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

func endProcess(cmd *exec.Cmd, how os.Signal) error {
	if err := cmd.Process.Signal(how); err != nil {
		return fmt.Errorf("the PostgreSQL server was not running any more: %w", err)
	}
	late := time.AfterFunc(stopLimit, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("the PostgreSQL server did not stop in order: %w", err)
	}
	return nil
}

// abandon cleans up after a start that failed with err.
func (s *Server) abandon(err error) error {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // err is what matters, not how this ends
		_ = s.cmd.Wait()
	}
	s.cmd = nil
	return errors.Join(err, s.end(syscall.SIGQUIT))
}

// prepare creates the server's folder and gives it to the account.
func (s *Server) prepare(as *account) error {
	if s.temporary {
		dir, err := temporaryDir(as)
		s.dir = dir
		return err
	}
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return err
	}
	s.dir = dir
	if len(dir) > maxSocketDir {
		return fmt.Errorf("the path %s is too long for a Unix socket; choose one of at most %d bytes", dir, maxSocketDir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 && !s.initialised() {
		return fmt.Errorf("%s is not empty and holds no PostgreSQL server of ours", dir)
	}
	return as.take(dir)
}

// temporaryDir creates a folder that the account can reach. It cannot reach root's
// own folders.
func temporaryDir(as *account) (string, error) {
	var problems error
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(parent, "parley-pg-")
		if err != nil {
			problems = errors.Join(problems, err)
			continue
		}
		if len(dir) > maxSocketDir {
			err = fmt.Errorf("the path %s is too long for a Unix socket", dir)
		} else {
			err = as.take(dir)
		}
		if err == nil {
			return dir, nil
		}
		problems = errors.Join(problems, err, os.Remove(dir))
	}
	return "", problems
}

func (s *Server) dataDir() string { return filepath.Join(s.dir, "data") }

func (s *Server) initialised() bool {
	_, err := os.Stat(filepath.Join(s.dataDir(), "PG_VERSION"))
	return err == nil
}

func (s *Server) initialise(bin string, as *account, o Options) error {
	if s.initialised() {
		return nil
	}
	args := []string{"-D", s.dataDir(), "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-locale"}
	if !o.Durable {
		args = append(args, "-N")
	}
	cmd := s.command(filepath.Join(bin, "initdb"), as, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// run starts the server process and waits until it answers.
func (s *Server) run(bin string, as *account, o Options) error {
	log, err := os.OpenFile(s.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own copy
	args := []string{"-D", s.dataDir(), "-k", s.dir, "-p", "5432"}
	for _, setting := range o.settings() {
		args = append(args, "-c", setting)
	}
	cmd := s.command(filepath.Join(bin, "postgres"), as, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	return s.waitUntilReady()
}

func (o Options) settings() []string {
	connections := o.MaxConnections
	if connections == 0 {
		connections = 200
	}
	list := []string{
		"listen_addresses=",
		"max_connections=" + strconv.Itoa(connections),
		"timezone=UTC",
	}
	if !o.Durable {
		list = append(list, "fsync=off", "full_page_writes=off")
	}
	extra := make([]string, 0, len(o.Settings))
	for name, value := range o.Settings {
		extra = append(extra, name+"="+value)
	}
	slices.Sort(extra)
	return append(list, extra...)
}

func (s *Server) waitUntilReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.DSN("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if exited(s.cmd.Process) {
			s.cmd = nil
			return fmt.Errorf("the PostgreSQL server did not start:\n%s", s.lastMessages())
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("the PostgreSQL server does not answer after %v: %w\n%s", startLimit, err, s.lastMessages())
		}
	}
}

func (s *Server) lastMessages() string {
	text, err := os.ReadFile(s.LogFile())
	if errors.Is(err, fs.ErrNotExist) {
		return "(no messages)"
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// command prepares a program of PostgreSQL: as the account, in a folder that the
// account can enter, without the settings of the user who runs the tests, and in its
// own process group, so that Ctrl-C reaches us and not the server.
func (s *Server) command(path string, as *account, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"LC_ALL=C"}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "LC_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	as.apply(cmd)
	return cmd
}
