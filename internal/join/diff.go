package join

import (
	"fmt"
	"slices"
	"strings"
)

// Diff shows what a change does, line by line, with a few lines around it.
func (c Change) Diff() string {
	before, after := splitLines(string(c.Before)), splitLines(string(c.After))
	old := c.Path
	if c.Before == nil {
		old = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", old, c.Path)
	for _, h := range hunks(compare(before, after)) {
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", h.span(' ', '-'), h.span(' ', '+'))
		for _, l := range h.lines {
			b.WriteString(string(l.mark) + strings.TrimRight(l.text, "\r\n") + "\n")
		}
	}
	return b.String()
}

type diffLine struct {
	mark     byte // space, - or +
	text     string
	old, new int // how many lines of each file come before it
}

// compare is the longest common run of lines, and what is besides. The files are
// small.
func compare(a, b []string) []diffLine {
	prefix := 0
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	midA, midB := a[prefix:len(a)-suffix], b[prefix:len(b)-suffix]
	length := make([][]int, len(midA)+1)
	for i := range length {
		length[i] = make([]int, len(midB)+1)
	}
	for i := range slices.Backward(midA) {
		for j := range slices.Backward(midB) {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if midA[i] == midB[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	var lines []diffLine
	add := func(mark byte, text string) {
		l := diffLine{mark: mark, text: text}
		for _, earlier := range lines[max(0, len(lines)-1):] {
			l.old, l.new = earlier.after()
		}
		lines = append(lines, l)
	}
	for _, l := range a[:prefix] {
		add(' ', l)
	}
	i, j := 0, 0
	for i < len(midA) || j < len(midB) {
		switch {
		case i < len(midA) && j < len(midB) && midA[i] == midB[j]:
			add(' ', midA[i])
			i, j = i+1, j+1
		case j == len(midB) || i < len(midA) && length[i+1][j] >= length[i][j+1]:
			add('-', midA[i])
			i++
		default:
			add('+', midB[j])
			j++
		}
	}
	for _, l := range a[len(a)-suffix:] {
		add(' ', l)
	}
	return lines
}

func (l diffLine) after() (old, new int) {
	old, new = l.old, l.new
	if l.mark != '+' {
		old++
	}
	if l.mark != '-' {
		new++
	}
	return old, new
}

type hunk struct{ lines []diffLine }

// hunks keeps three lines around what changes.
func hunks(lines []diffLine) []hunk {
	const around = 3
	var all []hunk
	last := -1 // the last line that is shown
	for i, l := range lines {
		if l.mark == ' ' {
			continue
		}
		from, to := max(i-around, last+1), min(i+around, len(lines)-1)
		if i > last && from > last+1 || len(all) == 0 {
			all = append(all, hunk{})
		}
		h := &all[len(all)-1]
		for k := max(from, last+1); k <= to; k++ {
			h.lines = append(h.lines, lines[k])
		}
		last = max(last, to)
	}
	return all
}

// span is where a hunk begins in one of the files, and how many lines it has there.
func (h hunk) span(marks ...byte) string {
	count, begin := 0, 0
	for _, l := range h.lines {
		if slices.Contains(marks, l.mark) {
			if count == 0 {
				begin = 1 + l.old
				if marks[len(marks)-1] == '+' {
					begin = 1 + l.new
				}
			}
			count++
		}
	}
	return fmt.Sprintf("%d,%d", begin, count)
}
