package workspace

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"parley"
)

// Search says what to look for.
type Search struct {
	// Pattern is a regular expression (RE2) that is matched against each line.
	Pattern string
	// Path is the file or folder to search; empty for the whole workspace.
	Path string
	// Include is a pattern for paths or names, such as *.go.
	Include    string
	IgnoreCase bool
	// Context is how many lines around a match are shown.
	Context int
	// All also searches what git ignores.
	All bool
}

// Hits are the matches in one file.
type Hits struct {
	Path, Digest string
	Lines        []Hit
}

// Hit is a matching line, or one near it.
type Hit struct {
	N     int
	Text  string
	Match bool
}

// Found is the outcome of a search.
type Found struct {
	Files   []Hits
	Matches int
	// Cut says that there are more matches, Skipped how many files were not searched
	// because they are binary or too large.
	Cut     bool
	Skipped int
}

const (
	maxMatches    = 200
	maxSearchFile = 1 << 20
	maxHitLine    = 300
	maxContext    = 20
)

// Grep searches files for a pattern.
func (w *Workspace) Grep(ctx context.Context, s Search) (Found, error) {
	expr, err := s.compile()
	if err != nil {
		return Found{}, err
	}
	base := "."
	if s.Path != "" {
		if base, err = cleanPath(s.Path); err != nil {
			return Found{}, err
		}
		if err := w.exists(base); err != nil {
			return Found{}, err
		}
	}
	if s.Include != "" {
		if s.Include, err = cleanPattern(s.Include); err != nil {
			return Found{}, err
		}
	}
	var found Found
	err = w.visit(ctx, visit{base: base, all: s.All}, func(name string, p *place) bool {
		if p.info.Mode().IsRegular() && s.includes(name) {
			found.search(p, expr, min(max(s.Context, 0), maxContext))
		}
		return !found.Cut
	})
	return found, err
}

func (s Search) compile() (*regexp.Regexp, error) {
	flags := ""
	if s.IgnoreCase {
		flags = "(?i)"
	}
	expr, err := regexp.Compile(flags + s.Pattern)
	if s.Pattern == "" || err != nil {
		refusal := parley.Errorf(parley.Invalid, "%s is not a regular expression.", show(s.Pattern))
		if wrong, ok := err.(*syntax.Error); ok {
			refusal = parley.Errorf(parley.Invalid, "%s is not a regular expression: %s.", show(s.Pattern), wrong.Code)
		}
		return nil, refusal.WithHint("The syntax is RE2's; put a backslash before ( [ { . * + ? that stand for themselves.")
	}
	return expr, nil
}

// exists returns an error if there is nothing at a path.
func (w *Workspace) exists(name string) error {
	p, err := w.find(name)
	if err != nil {
		return err
	}
	defer p.close()
	if p.info == nil {
		return parley.Errorf(parley.NotFound, "There is no %s.", show(name)).WithHint("Look with glob.")
	}
	return nil
}

// includes applies Include. A pattern without a slash is compared with the name
// alone.
func (s Search) includes(name string) bool {
	if s.Include == "" {
		return true
	}
	if !strings.Contains(s.Include, "/") {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	ok, _ := doublestar.Match(s.Include, name)
	return ok
}

// search adds the matches of one file.
func (f *Found) search(p *place, expr *regexp.Regexp, around int) {
	if p.info.Size() > maxSearchFile {
		f.Skipped++
		return
	}
	opened, err := p.open()
	if err != nil {
		return // gone, or replaced: nothing to find
	}
	defer func() { _ = opened.Close() }()
	data, err := io.ReadAll(io.LimitReader(opened, maxSearchFile+1))
	if err != nil || len(data) > maxSearchFile || !isText(data) {
		f.Skipped++
		return
	}
	text := file{path: p.path, data: data}
	if hits := f.matches(text.lines(), expr, around); len(hits) > 0 {
		f.Files = append(f.Files, Hits{Path: text.path, Digest: text.digest(), Lines: hits})
	}
}

// matches are the matching lines and those around them.
func (f *Found) matches(lines [][]byte, expr *regexp.Regexp, around int) (hits []Hit) {
	shown := 0 // lines before this one are in hits or were passed over
	for i, line := range lines {
		if !expr.Match(line) {
			continue
		}
		if f.Matches == maxMatches {
			f.Cut = true
			return hits
		}
		f.Matches++
		for n := max(shown, i-around); n <= min(i+around, len(lines)-1); n++ {
			text, _ := clip(lines[n], maxHitLine)
			hits = append(hits, Hit{N: n + 1, Text: text})
		}
		shown = max(shown, min(i+around, len(lines)-1)+1)
		mark(hits, i+1)
	}
	return hits
}

func mark(hits []Hit, n int) {
	for i := len(hits) - 1; i >= 0; i-- {
		if hits[i].N == n {
			hits[i].Match = true
			return
		}
	}
}
