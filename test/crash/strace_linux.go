package crash

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// straceCommand has the calls that matter written to a file. With -D the hub is
// our own child, and strace only looks on; -y writes the name of each file, and
// what is written of a commit at once fits into -s. Of the signals only the kill is written,
// which is then the last line.
func straceCommand(trace string) []string {
	return []string{"strace", "-D", "-f", "-q", "-y", "-s", "140000", "-e", "signal=kill",
		"-e", "trace=read,write,pwrite64,fsync,fdatasync", "-o", trace}
}

// systemCall is one call as strace saw it. It took place between two lines of the
// trace.
type systemCall struct {
	name, file, data string
	begun, done      int // lines
	failed           bool
}

// parseTrace reads what strace wrote. A call that never returned, since the
// process was killed, is left out.
func parseTrace(r io.Reader) ([]systemCall, error) {
	var calls []systemCall
	pending := map[string]systemCall{} // by thread
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		thread, rest, _ := strings.Cut(lines.Text(), " ")
		rest = strings.TrimLeft(rest, " ")
		if data, resumed := strings.CutPrefix(rest, "<... "); resumed {
			if c, ok := pending[thread]; ok {
				c.data += data
				calls = append(calls, c.end(n, data))
			}
			delete(pending, thread)
			continue
		}
		c, ok := parseCall(rest, n)
		switch {
		case !ok:
		case strings.HasSuffix(rest, " <unfinished ...>"):
			pending[thread] = c
		default:
			calls = append(calls, c.end(n, rest))
		}
	}
	return calls, lines.Err()
}

// parseCall reads the beginning of a line such as
//
//	fsync(12</data/parley.db-wal>) = 0
//	read(9<socket:[77]>, "POST …"..., 4096) = 310
func parseCall(line string, n int) (systemCall, bool) {
	name, rest, ok := strings.Cut(line, "(")
	if !ok || strings.ContainsAny(name, " <+") {
		return systemCall{}, false
	}
	_, rest, _ = strings.Cut(rest, "<")
	file, data, ok := strings.Cut(rest, ">")
	return systemCall{name: name, file: file, data: data, begun: n}, ok
}

// end takes the result from the end of a line.
func (c systemCall) end(n int, line string) systemCall {
	result := line[strings.LastIndex(line, "= ")+1:]
	c.done, c.failed = n, strings.HasPrefix(result, " -")
	return c
}

// unsynced returns, for each marker, why the contact whose text holds it was
// not on stable storage when it was acknowledged. The order must be: the
// request is read, the text is written to the database's log, that log is
// synced, the request is answered.
func unsynced(calls []systemCall, markers []string) map[string]string {
	wrong := map[string]string{}
	for _, marker := range markers {
		if err := syncedBeforeAnswer(calls, marker, marker); err != nil {
			wrong[marker] = err.Error()
		}
	}
	return wrong
}

// syncedBeforeAnswer finds the request with the marker, and whether a text that came of it was
// on stable storage when the request was answered.
func syncedBeforeAnswer(calls []systemCall, marker, text string) error {
	// A server that waits for the next request reads its first letter alone.
	request, ok := first(calls, func(c systemCall) bool {
		return c.name == "read" && strings.Contains(c.data, `OST /v1/contacts `) && strings.Contains(c.data, marker)
	})
	if !ok {
		return fmt.Errorf("the request was never read")
	}
	answer, ok := first(calls, func(c systemCall) bool {
		return c.name == "write" && c.file == request.file && c.begun > request.done && strings.HasPrefix(c.data, `, "HTTP/1.1 2`)
	})
	if !ok {
		return fmt.Errorf("the request was never answered")
	}
	// Later transactions write the same page again, so only the first counts.
	written, ok := first(calls, func(c systemCall) bool {
		return c.name == "pwrite64" && strings.HasSuffix(c.file, "-wal") && c.begun > request.done && strings.Contains(c.data, text)
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
