package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxBodyBytes bounds a reply in one piece, and one line of a stream: the longest
// that providers send holds a whole reply.
const maxBodyBytes = 32 << 20

var errLongLine = errors.New("a line of the stream is too long")

// events reads server-sent events. Only their data is of use: every format says
// in it what kind of event it is. Lines end with a line feed, with or without a
// carriage return before it.
type events struct{ from *bufio.Reader }

func newEvents(r io.Reader) *events { return &events{bufio.NewReader(r)} }

// next returns the data of the next event, and io.EOF after the last. An event
// counts also if the stream ends without the blank line after it: data that was
// cut is no JSON.
func (e *events) next() ([]byte, error) {
	var data []byte
	found := false
	for {
		line, err := e.line()
		if err != nil && (err != io.EOF || len(line) == 0) {
			if err == io.EOF && found {
				return data, nil
			}
			return nil, err
		}
		if len(line) == 0 {
			if found {
				return data, nil
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "data" {
			continue // a comment, or a field that says nothing new
		}
		if found {
			data = append(data, '\n')
		}
		found = true
		data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		if len(data) > maxBodyBytes {
			return nil, errLongLine
		}
	}
}

// line reads a line without its end. At the end of the stream it comes with
// io.EOF.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		piece, err := e.from.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > maxBodyBytes:
			return nil, errLongLine
		case err == bufio.ErrBufferFull:
			continue
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
	}
}
