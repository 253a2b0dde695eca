package workspace

import (
	"bytes"
	"strings"

	"parley"
)

// Reading says which part of a file to read.
type Reading struct {
	Path string
	// From is the first line, counted from 1, and Lines their number; 0 is the
	// default.
	From, Lines int
}

// Page is a part of a file.
type Page struct {
	Path, Digest string
	// Text is lines From to To of Total, without line ends.
	Text            []string
	From, To, Total int
	// Cut says that some lines were too long and were shortened.
	Cut bool
}

const (
	defaultLines = 1000
	maxLines     = 5000
	// maxPage is how much is shown at once, maxLine how much of a line.
	maxPage = 128 << 10
	maxLine = 2000
)

// ReadFile reads a range of lines.
func (w *Workspace) ReadFile(r Reading) (Page, error) {
	if r.From < 0 || r.Lines < 0 {
		return Page{}, parley.Errorf(parley.Invalid, "Lines are counted from 1.")
	}
	f, err := w.load(r.Path)
	if err != nil {
		return Page{}, err
	}
	return f.page(max(r.From, 1), r.Lines)
}

// load finds a file and reads it.
func (w *Workspace) load(name string) (file, error) {
	p, err := w.find(name)
	if err != nil {
		return file{}, err
	}
	defer p.close()
	return p.read()
}

func (f file) page(from, count int) (Page, error) {
	all := f.lines()
	page := Page{Path: f.path, Digest: f.digest(), From: from, To: from - 1, Total: len(all)}
	if from > max(len(all), 1) {
		return page, parley.Errorf(parley.Invalid, "%s has %d lines; line %d is past its end.", show(f.path), len(all), from)
	}
	if count == 0 {
		count = defaultLines
	}
	size := 0
	for _, line := range all[from-1 : min(len(all), from-1+min(count, maxLines))] {
		text, cut := clip(line, maxLine)
		page.Cut = page.Cut || cut
		if size += len(text); size > maxPage {
			break
		}
		page.Text = append(page.Text, text)
		page.To++
	}
	return page, nil
}

// clip shortens a line to so many bytes. It leaves the spaces of code as they are,
// since models write them back.
func clip(line []byte, size int) (text string, cut bool) {
	if len(line) <= size {
		return string(line), false
	}
	return strings.ToValidUTF8(string(line[:size]), "") + "…", true
}

// lines returns the lines of a file without their ends. A line end at the very end
// starts no further line.
func (f file) lines() [][]byte {
	data := bytes.TrimSuffix(f.data, []byte("\n"))
	if len(f.data) == 0 {
		return nil
	}
	list := bytes.Split(data, []byte("\n"))
	for i := range list {
		list[i] = bytes.TrimSuffix(list[i], []byte("\r"))
	}
	return list
}
