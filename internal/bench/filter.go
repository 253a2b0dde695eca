package bench

import (
	"regexp"
	"slices"
	"strings"

	"parley"
)

// filter picks lines by name. An empty one picks all.
type filter []*regexp.Regexp

// parseFilter reads a list such as "sqlite.ask,restart". A plain name is a
// regular expression too, and finds every name that contains it.
func parseFilter(s string) (filter, error) {
	var f filter
	for _, item := range strings.Split(s, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		re, err := regexp.Compile(item)
		if err != nil {
			return nil, parley.Errorf(parley.Invalid, "%q is not a name or a regular expression: %v.", item, err)
		}
		f = append(f, re)
	}
	return f, nil
}

func (f filter) has(name string) bool {
	return len(f) == 0 || slices.ContainsFunc(f, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

// of are the names that are wanted.
func (f filter) of(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !f.has(name) })
}

func (f filter) any(names []string) bool { return slices.ContainsFunc(names, f.has) }
