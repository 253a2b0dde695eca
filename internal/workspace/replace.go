package workspace

import (
	"bytes"
	"fmt"
	"strings"

	"parley"
	"parley/internal/workspace/symbol"
)

// Replacement is a block of a file to be replaced: a symbol, or an exact text.
type Replacement struct {
	Path, Digest string
	Symbol       symbol.Query
	Old          string
	New          string
	// Force accepts a file that does not parse afterwards, except in Go.
	Force bool
	// Record stores the change; nil if nobody wants to know.
	Record Record
}

// Symbols lists what a file defines.
func (w *Workspace) Symbols(name string) (digest string, list []symbol.Symbol, err error) {
	f, err := w.load(name)
	if err != nil {
		return "", nil, err
	}
	list, err = symbol.List(f.path, f.data)
	return f.digest(), list, err
}

// ReplaceBlock replaces one block. If the file parsed before, it must parse
// afterwards, or nothing is changed.
func (w *Workspace) ReplaceBlock(a Access, r Replacement) (Changed, error) {
	if (r.Symbol.Name == "") == (r.Old == "") {
		return Changed{}, parley.Errorf(parley.Invalid, "Say what to replace: either name, a symbol, or old_text, an exact text.")
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	p, err := w.find(r.Path)
	if err != nil {
		return Changed{}, err
	}
	defer p.close()
	if err := w.mayWrite(p, a); err != nil {
		return Changed{}, err
	}
	f, err := p.read()
	if err != nil {
		return Changed{}, err
	}
	changed, out, err := r.apply(f)
	if err != nil {
		return Changed{}, err
	}
	mode := p.info.Mode()
	change := parley.Change{Path: p.path, Before: contentOf(f.data, mode), After: contentOf(changed.data, mode.Perm())}
	if err := w.makeChange(p, []parley.Change{change}, r.Record); err != nil {
		return Changed{}, err
	}
	return out, nil
}

// apply returns the changed file.
func (r Replacement) apply(f file) (file, Changed, error) {
	if strings.TrimSpace(r.Digest) == "" {
		return f, Changed{}, parley.Errorf(parley.Invalid, "The digest is missing.").WithHint("Read the file first and give the digest that is shown.")
	}
	if f.digest() != strings.TrimSpace(r.Digest) {
		return f, Changed{}, stale(f.path, "its digest is now "+f.digest())
	}
	from, to, err := r.target(f)
	if err != nil {
		return f, Changed{}, err
	}
	text := r.text(f)
	made := file{path: f.path, data: bytes.Join([][]byte{f.data[:from], []byte(text), f.data[to:]}, nil)}
	if len(made.data) > maxFile || !isText(made.data) {
		return f, Changed{}, parley.Errorf(parley.Invalid, "The file would be larger than 4 MiB, or no text.")
	}
	note, err := r.check(f, made)
	first := 1 + bytes.Count(made.data[:from], []byte("\n"))
	return made, Changed{Path: f.path, Digest: made.digest(), From: first,
		To: first + strings.Count(strings.TrimSuffix(text, "\n"), "\n"), Note: note}, err
}

// target is the byte range of the block.
func (r Replacement) target(f file) (from, to int, err error) {
	if r.Old != "" {
		return findText(f, withLineEnds(r.Old, lineEnd(f.data)), r.Symbol.Line)
	}
	list, err := symbol.List(f.path, f.data)
	if err != nil {
		return 0, 0, err
	}
	s, err := symbol.Find(list, r.Symbol)
	if err != nil {
		return 0, 0, err
	}
	return s.Block(f.data)
}

// text is the new text with the line ends of the file. The range of a symbol does not
// include its last line end, so the text must not end in one.
func (r Replacement) text(f file) string {
	text := withLineEnds(r.New, lineEnd(f.data))
	if r.Old == "" {
		text = strings.TrimRight(text, "\r\n")
	}
	return text
}

// findText finds the only occurrence of a text, or the one that begins at a line.
func findText(f file, old string, line int) (from, to int, err error) {
	var lines []string
	for at := 0; ; at++ {
		i := bytes.Index(f.data[at:], []byte(old))
		if i < 0 {
			break
		}
		at += i
		n := 1 + bytes.Count(f.data[:at], []byte("\n"))
		if line == 0 || line == n {
			from = at
			lines = append(lines, fmt.Sprint(n))
		}
	}
	switch len(lines) {
	case 1:
		return from, from + len(old), nil
	case 0:
		return 0, 0, parley.Errorf(parley.NotFound, "not found: %s does not contain this text.", show(f.path)).
			WithHint("It has to be exact, with its spaces and without line numbers. %s", nearText(f, old))
	}
	if len(lines) > 8 {
		lines = append(lines[:8], fmt.Sprintf("%d more", len(lines)-8))
	}
	return 0, 0, parley.Errorf(parley.Conflict, "ambiguous target: the text begins on lines %s.", strings.Join(lines, ", ")).
		WithHint("Give more of the text around it, or the line where it begins as line.")
}

// nearText names a line that equals the first line of the text except for spaces.
func nearText(f file, old string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(old), "\n")
	if first = strings.TrimSpace(first); first == "" {
		return ""
	}
	for i, line := range f.lines() {
		if strings.TrimSpace(string(line)) == first {
			return fmt.Sprintf("Line %d is like its first line.", i+1)
		}
	}
	return ""
}

// check refuses a change after which a file no longer parses.
func (r Replacement) check(before, after file) (note string, err error) {
	wrong := symbol.Check(after.path, after.data)
	if wrong == nil {
		return "", nil
	}
	if symbol.Check(before.path, before.data) != nil {
		return "The file did not parse before and does not now. " + wrong.Error(), nil
	}
	isGo := symbol.Language(after.path) == "Go"
	if r.Force && !isGo {
		return "The file does not parse now. " + wrong.Error(), nil
	}
	refusal := parley.Errorf(parley.Invalid, "Nothing was changed: afterwards the file would not parse. %s", reasonOf(wrong))
	if isGo {
		return "", refusal.WithHint("Correct the new text.")
	}
	return "", refusal.WithHint("Correct the new text, or set force if the parser is wrong.")
}

// reasonOf is an error's message without its hint.
func reasonOf(err error) string {
	if e, ok := err.(*parley.Error); ok {
		return e.Message
	}
	return err.Error()
}
