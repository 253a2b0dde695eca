// Package catalogue knows models by name: how much they can read and write,
// and what they cost. It works offline, from a list that comes with the
// program, and a team's files can add to it and correct it.
package catalogue

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"parley"
)

// Entry is one model.
type Entry struct {
	Provider string
	// Name is what the provider calls it.
	Name string
	// Window is how many tokens a request and its reply may have together, and
	// MaxOutput how many the reply may have; 0 is unknown.
	Window, MaxOutput int
	// Exact means that MaxOutput is what somebody wants, not what is possible.
	Exact bool
	// Price is nil if it is unknown.
	Price *Price
	// NoTools means that the model cannot call tools.
	NoTools bool
}

// ID is the name that a team's files use.
func (e Entry) ID() string { return e.Provider + "/" + e.Name }

// Catalogue is a list of models. It does not change once it is in use.
type Catalogue struct {
	entries map[string]Entry // by ID
	// order holds the names of each provider in the order of the list, usually
	// the newest first.
	order map[string][]string
}

// New makes a catalogue of the given entries.
func New(list ...Entry) *Catalogue {
	c := &Catalogue{entries: map[string]Entry{}, order: map[string][]string{}}
	for _, e := range list {
		c.Put(e)
	}
	return c
}

// Builtin is the list that comes with the program.
func Builtin() *Catalogue {
	c := New()
	for _, p := range embedded.GetAll() {
		for _, m := range p.Models {
			c.Put(known(string(p.ID), m))
		}
	}
	return c
}

func known(provider string, m catwalk.Model) Entry {
	return Entry{
		Provider: provider, Name: m.ID,
		Window: int(m.ContextWindow), MaxOutput: int(m.DefaultMaxTokens),
		Price: priceOf(m),
	}
}

// Put adds a model, or replaces its entry.
func (c *Catalogue) Put(e Entry) {
	if _, there := c.entries[e.ID()]; !there {
		c.order[e.Provider] = append(c.order[e.Provider], e.Name)
	}
	c.entries[e.ID()] = e
}

// Find looks a model up by its provider's name for it. A name with a date at
// its end (claude-haiku-4-5-20251001) is also found without it.
func (c *Catalogue) Find(provider, name string) (Entry, bool) {
	if e, ok := c.entries[provider+"/"+name]; ok {
		return e, true
	}
	for _, full := range c.order[provider] {
		if rest, ok := strings.CutPrefix(full, name+"-"); ok && isDate(rest) {
			return c.entries[provider+"/"+full], true
		}
	}
	return Entry{}, false
}

// undated is a name without the date at its end.
func undated(name string) string {
	if at := strings.LastIndexByte(name, '-'); at >= 0 && isDate(name[at+1:]) {
		return name[:at]
	}
	return name
}

func isDate(s string) bool {
	return len(s) == 8 && strings.Trim(s, "0123456789") == ""
}

// Newest is a provider's newest model of a family, such as sonnet.
func (c *Catalogue) Newest(provider, family string) (Entry, bool) {
	var newest Entry
	var version []int
	for _, name := range c.order[provider] {
		v, ok := versionOf(name, family)
		if ok && slices.Compare(v, version) > 0 {
			newest, version = c.entries[provider+"/"+name], v
		}
	}
	return newest, version != nil
}

// versionOf reads the numbers that follow the family in a name: those of
// claude-opus-4-1-20250805 are 4 and 1. A date is not part of the version.
func versionOf(name, family string) ([]int, bool) {
	_, rest, ok := strings.Cut(name, "-"+family+"-")
	if !ok {
		return nil, false
	}
	var version []int
	for part := range strings.SplitSeq(rest, "-") {
		n := 0
		for _, r := range part {
			if r < '0' || r > '9' {
				return nil, false // a variant of the model
			}
			n = 10*n + int(r-'0')
		}
		if isDate(part) {
			break
		}
		version = append(version, n)
	}
	return version, len(version) > 0
}

// Near are the names that were probably meant by a name that the provider does
// not have. Dates are left out, as people leave them out.
func (c *Catalogue) Near(provider, name string) []string {
	var known []string
	for _, full := range c.order[provider] {
		if short := undated(full); !slices.Contains(known, short) {
			known = append(known, short)
		}
	}
	near := parley.Nearest(name, known, 3)
	for i := range near {
		near[i] = provider + "/" + near[i]
	}
	return near
}

// Providers are the providers in the list.
func (c *Catalogue) Providers() []string { return slices.Sorted(maps.Keys(c.order)) }

// List returns all models whose id contains the text, sorted by provider and
// then in the order of the list.
func (c *Catalogue) List(containing string) []Entry {
	var list []Entry
	for _, p := range c.Providers() {
		for _, name := range c.order[p] {
			if e := c.entries[p+"/"+name]; strings.Contains(strings.ToLower(e.ID()), strings.ToLower(containing)) {
				list = append(list, e)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return cmp.Compare(a.Provider, b.Provider) })
	return list
}
