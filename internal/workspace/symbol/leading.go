package symbol

import (
	"bytes"
	"slices"
	"strings"
)

// leading is where a definition begins together with the comments right above it.
// Several may share a line: they count once the first of it does, and a comment
// behind something else belongs to that. Where blocks are told by their indent, one
// that is indented otherwise belongs to another block.
func (s *source) leading(from int) int {
	begin, indent := from, ""
	if s.byIndent {
		indent = s.indent(from)
	}
	for i := s.commentsBefore(from) - 1; i >= 0; i-- {
		c := s.comments[i]
		if !s.adjacent(c, from) || s.inner(c) || s.byIndent && s.indent(c.from) != indent {
			break
		}
		if from = c.from; s.beginsLine(from) {
			begin = from
		}
	}
	return begin
}

// commentsBefore is how many comments begin before an offset.
func (s *source) commentsBefore(offset int) int {
	n, _ := slices.BinarySearchFunc(s.comments, offset, func(c span, at int) int { return c.from - at })
	return n
}

// adjacent reports whether a comment ends on the line above the offset, or on the
// same one, with nothing between.
func (s *source) adjacent(c span, below int) bool {
	between := s.src[min(c.to, below):below]
	return len(bytes.TrimSpace(between)) == 0 && bytes.Count(between, []byte("\n")) <= 1
}

// beginsLine reports whether nothing but space stands before an offset.
func (s *source) beginsLine(offset int) bool {
	line := s.src[bytes.LastIndexByte(s.src[:offset], '\n')+1 : offset]
	return len(bytes.TrimSpace(line)) == 0
}

// inner reports whether a comment is about what it stands in, or about how the
// file is run.
func (s *source) inner(c span) bool {
	text := s.src[c.from:c.to]
	return bytes.HasPrefix(text, []byte("//!")) || bytes.HasPrefix(text, []byte("/*!")) || bytes.HasPrefix(text, []byte("#!"))
}

// indent is the space before a line's first token. A form feed begins it anew.
func (s *source) indent(offset int) string {
	start := bytes.LastIndexByte(s.src[:offset], '\n') + 1
	space := strings.TrimPrefix(string(s.src[start:offset]), "\uFEFF")
	return space[strings.LastIndexByte(space, '\f')+1:]
}
