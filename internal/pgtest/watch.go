package pgtest

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// watcher is a small shell process that outlives us. It waits on a pipe whose other
// end only we hold. When we end, by whatever signal, the pipe closes, and the watcher
// stops the server and removes its folder if that is temporary. A handler of ours
// would not run after SIGKILL or a test's time-out, and a signal on the parent's
// death exists only on Linux, where it is tied to a thread.
type watcher struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

const watcherScript = `
trap '' INT TERM HUP
read -r word
[ "$word" = done ] && exit 0
pidfile="$1/data/postmaster.pid"
if [ -e "$pidfile" ]; then
	kill -QUIT "$(head -n 1 "$pidfile")"
	n=0
	while [ -e "$pidfile" ] && [ $n -lt 100 ]; do
		n=$((n + 1))
		sleep 0.1
	done
fi
[ "$2" = true ] && cd / && rm -rf "$1"
`

func startWatcher(dir string, temporary bool, as *account) (*watcher, error) {
	cmd := exec.Command("/bin/sh", "-c", watcherScript, "parley-pg-watcher", dir, fmt.Sprint(temporary))
	cmd.Dir = "/"
	as.apply(cmd)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &watcher{cmd: cmd, pipe: pipe}, nil
}

// dismiss ends the watcher without letting it touch the server.
func (w *watcher) dismiss() error {
	_, err := io.WriteString(w.pipe, "done\n")
	return errors.Join(err, w.cmd.Wait()) // Wait closes the pipe
}
