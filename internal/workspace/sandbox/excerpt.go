package sandbox

import (
	"fmt"
	"strings"
)

// keptBytes is how much is kept of an output's beginning, and as much of its end.
const keptBytes = 16 << 10

// excerpt keeps the beginning and the end of what is written to it, however much that
// is.
type excerpt struct {
	head, tail []byte
	total      int
}

func (e *excerpt) Write(p []byte) (int, error) {
	n := len(p)
	e.total += n
	if room := keptBytes - len(e.head); room > 0 {
		part := p[:min(room, len(p))]
		e.head, p = append(e.head, part...), p[len(part):]
	}
	e.tail = append(e.tail, p...)
	if len(e.tail) > 4*keptBytes {
		e.tail = append(e.tail[:0], e.tail[len(e.tail)-keptBytes:]...)
	}
	return n, nil
}

// String is the output as text, with a line about what was left out.
func (e *excerpt) String() string {
	tail := e.tail[max(0, len(e.tail)-keptBytes):]
	left := e.total - len(e.head) - len(tail)
	text := string(e.head)
	if left > 0 {
		text += fmt.Sprintf("\n[… %d bytes left out …]\n", left)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text+string(tail), "\uFFFD"), "\x00", "\uFFFD")
}
