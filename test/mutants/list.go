package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// fault is one mistake. In a list it is a paragraph:
//
//	an expired approval is accepted until the clock comes by
//	internal/contact/approve.go
//	-		if a.ExpiresAt <= d.tx.Now {
//	+		if a.ExpiresAt < 0 {
//	found by ./internal/contact TestDecide; ./test/scenario
//
// The first line says what is wrong, the second in which file. Then the lines as
// they are (-) and as they would be (+), with lines around them that stay, led by
// a space, where those alone do not stand just once in the file. The last line
// names the packages whose tests should notice, the quickest first; behind a
// package may stand the one test that is run before all. A further line, led by
// "harmless", gives the reason why no test can notice.
type fault struct {
	list     string // the name of the file that it is listed in
	title    string
	file     string
	old, new string
	places   []place
	harmless string // why it need not be found

	found *place // once it was tried
}

// place is where a fault should be found.
type place struct {
	pkg  string
	test string // the one that is run; all of the package's if empty
}

func (p place) String() string { return strings.TrimSpace(p.pkg + " " + p.test) }

func (f *fault) String() string { return f.file + ": " + f.title }

// readLists reads the lists with these names, or all.
func readLists(dir string, names ...string) ([]*fault, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var all []*fault
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		list, err := parseList(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no faults in %s", dir)
	}
	return all, nil
}

func parseList(name, text string) (list []*fault, err error) {
	for n, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		f, err := parseFault(strings.Split(strings.Trim(paragraph, "\n"), "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s.txt, fault %d (%.40q): %w", name, n+1, paragraph, err)
		}
		f.list = name
		list = append(list, f)
	}
	return list, nil
}

func parseFault(lines []string) (*fault, error) {
	if len(lines) < 4 {
		return nil, errors.New("it needs a title, a file, lines and who finds it")
	}
	f := &fault{title: lines[0], file: lines[1]}
	for _, line := range lines[2:] {
		if err := f.take(line); err != nil {
			return nil, err
		}
	}
	switch {
	case f.old == "" || f.old == f.new:
		return nil, errors.New("it changes nothing")
	case len(f.places) == 0:
		return nil, errors.New("no line says what it is found by")
	}
	return f, nil
}

// take parses a line of a paragraph after the second.
func (f *fault) take(line string) error {
	if rest, ok := strings.CutPrefix(line, "found by "); ok {
		f.places = parsePlaces(rest)
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "harmless "); ok {
		f.harmless = rest
		return nil
	}
	text := line[min(1, len(line)):] + "\n"
	switch {
	case strings.HasPrefix(line, "-"):
		f.old += text
	case strings.HasPrefix(line, "+"):
		f.new += text
	case strings.HasPrefix(line, " "):
		f.old += text
		f.new += text
	default:
		return fmt.Errorf("what is %q?", line)
	}
	return nil
}

// parsePlaces reads packages, each with a test or without.
func parsePlaces(text string) (list []place) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' }) {
		if last := len(list) - 1; last >= 0 && !strings.HasPrefix(part, "./") {
			list[last].test = part
			continue
		}
		list = append(list, place{pkg: part})
	}
	return list
}

// writeNotes puts the test that found a fault before what is listed for it, so
// that the next look is quick.
func writeNotes(dir string, faults []*fault) error {
	for _, f := range faults {
		if f.found == nil || f.places[0] == *f.found {
			continue
		}
		path := filepath.Join(dir, f.list+".txt")
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		paragraphs := strings.Split(strings.Trim(string(text), "\n"), "\n\n")
		for i, p := range paragraphs {
			if !strings.HasPrefix(p, f.title+"\n"+f.file+"\n") {
				continue
			}
			before, after, _ := strings.Cut(p, "\nfound by ")
			_, rest, more := strings.Cut(after, "\n")
			if more {
				rest = "\n" + rest
			}
			paragraphs[i] = before + "\nfound by " + f.noted() + rest
		}
		if err := os.WriteFile(path, []byte(strings.Join(paragraphs, "\n\n")+"\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// noted is what a fault is found by, the test that found it first.
func (f *fault) noted() string {
	all := []string{f.found.String()}
	for _, p := range f.places {
		if p.pkg != f.found.pkg {
			all = append(all, p.String())
		}
	}
	return strings.Join(all, "; ")
}
