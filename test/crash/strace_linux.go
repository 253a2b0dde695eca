package crash

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// straceCommand has the calls that matter written to a file. With -D the hub is
// our own child, and strace only looks on; -y writes the name of each file, and
// a page of the database fits into -s. Of the signals only the kill is written,
// which is then the last line.
func straceCommand(trace string) []string {
	return []string{"strace", "-D", "-f", "-q", "-y", "-s", "5000", "-e", "signal=kill",
		"-e", "trace=read,write,pwrite64,fsync,fdatasync", "-o", trace}
}

// systemCall is one call as strace saw it. It took place between two lines of the
// trace.
type systemCall struct {
	name, file, data string
	begun, done      int // lines
	failed           bool
}

var (
	// 123 fsync(12</data/parley.db-wal>) = 0
	// 123 read(9<socket:[77]>, "POST …"..., 4096) = 310
	wholeCall = regexp.MustCompile(`^(\d+) +(\w+)\(\d+<([^>]*)>(.*?)\) *= (-?\d+)`)
	// 123 fsync(12</data/parley.db-wal> <unfinished ...>
	begunCall = regexp.MustCompile(`^(\d+) +(\w+)\(\d+<([^>]*)>(.*) <unfinished \.\.\.>$`)
	// 123 <... fsync resumed>) = 0
	doneCall = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*?)\) *= (-?\d+)`)
)

// parseTrace reads what strace wrote. A call that never returned, since the
// process was killed, is left out.
func parseTrace(r io.Reader) ([]systemCall, error) {
	var calls []systemCall
	pending := map[string]systemCall{} // by thread
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if m := begunCall.FindStringSubmatch(line); m != nil {
			pending[m[1]] = systemCall{name: m[2], file: m[3], data: m[4], begun: n}
			continue
		}
		if m := doneCall.FindStringSubmatch(line); m != nil {
			c, ok := pending[m[1]]
			if !ok || c.name != m[2] {
				continue // of a kind that is not looked at
			}
			delete(pending, m[1])
			c.data += m[3]
			c.done, c.failed = n, strings.HasPrefix(m[4], "-")
			calls = append(calls, c)
			continue
		}
		if m := wholeCall.FindStringSubmatch(line); m != nil {
			calls = append(calls, systemCall{name: m[2], file: m[3], data: m[4], begun: n, done: n, failed: strings.HasPrefix(m[5], "-")})
		}
	}
	return calls, lines.Err()
}

// unsynced returns, for each marker, why the contact whose text holds it was
// not on stable storage when it was acknowledged. The order must be: the
// request is read, the text is written to the database's log, that log is
// synced, the request is answered.
func unsynced(calls []systemCall, markers []string) map[string]string {
	wrong := map[string]string{}
	for _, marker := range markers {
		if err := syncedBeforeAnswer(calls, marker); err != nil {
			wrong[marker] = err.Error()
		}
	}
	return wrong
}

func syncedBeforeAnswer(calls []systemCall, marker string) error {
	// A server that waits for the next request reads its first letter alone.
	request, ok := first(calls, func(c systemCall) bool {
		return c.name == "read" && strings.Contains(c.data, `OST /v1/contacts `) && strings.Contains(c.data, marker)
	})
	if !ok {
		return fmt.Errorf("the request was never read")
	}
	answer, ok := first(calls, func(c systemCall) bool {
		return c.name == "write" && c.file == request.file && c.begun > request.done && strings.Contains(c.data, `"HTTP/1.1 2`)
	})
	if !ok {
		return fmt.Errorf("the request was never answered")
	}
	// Later transactions write the same page again, so only the first counts.
	written, ok := first(calls, func(c systemCall) bool {
		return c.name == "pwrite64" && strings.HasSuffix(c.file, "-wal") && c.begun > request.done && strings.Contains(c.data, marker)
	})
	if !ok || written.done > answer.begun {
		return fmt.Errorf("it was answered before it was written")
	}
	_, ok = first(calls, func(c systemCall) bool {
		return (c.name == "fsync" || c.name == "fdatasync") && c.file == written.file && !c.failed &&
			c.begun > written.done && c.done < answer.begun
	})
	if !ok {
		return fmt.Errorf("it was answered without a sync after it was written")
	}
	return nil
}

func first(calls []systemCall, fits func(systemCall) bool) (systemCall, bool) {
	for _, c := range calls {
		if fits(c) {
			return c, true
		}
	}
	return systemCall{}, false
}
