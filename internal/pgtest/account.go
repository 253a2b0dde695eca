package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the account that a server runs as when we are root; nil is our own.
type account struct {
	name     string
	uid, gid uint32
}

// serverAccount finds an unprivileged account for the server.
func serverAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			return nil, err
		}
		return &account{name: name, uid: uint32(uid), gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no account postgres or nobody to run it as")
}

// take makes the account the owner of dir. The account must be able to reach it.
func (a *account) take(dir string) error {
	if a == nil {
		return os.Chmod(dir, 0o700)
	}
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o001 == 0 {
			return fmt.Errorf("the account %s, as which PostgreSQL runs, cannot pass through %s to reach %s", a.name, parent, dir)
		}
		if parent == filepath.Dir(parent) {
			break
		}
	}
	return errors.Join(os.Chmod(dir, 0o700), os.Chown(dir, int(a.uid), int(a.gid)))
}

// apply makes cmd run as the account and in its own process group.
func (a *account) apply(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
}

// exited reports whether the process is gone, and reaps it. A waiting goroutine would
// live as long as the server, and tests that look for leaked goroutines would find
// it.
func exited(p *os.Process) bool {
	pid, err := syscall.Wait4(p.Pid, nil, syscall.WNOHANG, nil)
	return err != nil || pid == p.Pid
}
