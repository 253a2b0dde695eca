package workspace

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreRules are the lines of .gitignore files, outer ones first; the last line that
// matches decides.
type ignoreRules []ignoreRule

type ignoreRule struct {
	pattern string
	keep    bool // the line begins with !
	folders bool // the line ends in /
}

// maxIgnore is the largest .gitignore that is read.
const maxIgnore = 64 << 10

// with adds the .gitignore of an entered folder.
func (i ignoreRules) with(at *place) ignoreRules {
	p := &place{dir: at.dir, name: ".gitignore", path: path.Join(at.path, ".gitignore")}
	info, err := at.dir.Lstat(p.name)
	if err != nil || info.Size() > maxIgnore {
		return i
	}
	p.info = info
	f, err := p.read()
	if err != nil {
		return i
	}
	rules := i[:len(i):len(i)]
	for line := range strings.Lines(string(f.data)) {
		if rule, ok := ignoreLine(at.path, strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

// ignoreLine reads a line of a folder's .gitignore. A pattern without a slash matches
// at every depth.
func ignoreLine(folder, line string) (r ignoreRule, ok bool) {
	line = strings.TrimRight(line, " \t")
	if line == "" || line[0] == '#' {
		return r, false
	}
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.folders = strings.CutSuffix(line, "/")
	if rest, rooted := strings.CutPrefix(line, "/"); rooted {
		line = rest
	} else if !strings.Contains(line, "/") {
		line = "**/" + line
	}
	r.pattern = path.Join(escape(folder), line)
	return r, line != "" && doublestar.ValidatePattern(r.pattern)
}

// escape makes a folder's name match literally.
func escape(folder string) string {
	if folder == "." {
		return ""
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(folder)
}

func (i ignoreRules) ignores(name string, isDir bool) bool {
	for n := len(i) - 1; n >= 0; n-- {
		if i[n].folders && !isDir {
			continue
		}
		if ok, _ := doublestar.Match(i[n].pattern, name); ok {
			return !i[n].keep
		}
	}
	return false
}

// ignoredAbove are the rules of the folders above a folder.
func (w *Workspace) ignoredAbove(folder string) (rules ignoreRules, err error) {
	if folder == "." {
		return nil, nil
	}
	at, parts := ".", strings.Split(folder, "/")
	for _, part := range parts {
		p, err := w.find(at)
		if err != nil {
			return nil, err
		}
		if at == "." || p.enter() == nil {
			rules = rules.with(p)
		}
		p.close()
		at = path.Join(at, part)
	}
	return rules, nil
}
