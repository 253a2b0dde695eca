package change

import (
	"fmt"
	"slices"
	"strings"

	"parley"
)

// byListing is what has to be known of the changes of commands.
const byListing = "What commands changed was found by looking before and after: it may hold what somebody else wrote at that time."

// notes say whose changes these are, and what is not among them.
func (w work) notes() (list []string) {
	for _, id := range w.from {
		list = append(list, fmt.Sprintf("This includes what %s changed, which failed and was resumed.", id))
	}
	for _, h := range w.heirs {
		list = append(list, fmt.Sprintf("%s went on where %s failed. What both changed is shown by: parley task diff %s", h.last.ID, h.of, h.last.ID))
	}
	if len(w.ignored) == 0 {
		return list
	}
	var names []string
	for _, c := range w.ignored {
		if name := QuotePath(c.Path); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	what := strings.Join(names[:min(len(names), mostNamed)], ", ")
	if more := len(names) - mostNamed; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	} else if slices.ContainsFunc(w.ignored, func(c parley.Change) bool { return c.Doubt != "" }) {
		what += " and more"
	}
	return append(list, "Commands changed what git ignores, which is neither shown nor undone: "+what+".")
}

// byCommand reports whether a command had a part in what was done at a path.
func (f *file) byCommand() bool {
	return slices.ContainsFunc(f.segments, func(s segment) bool {
		return slices.ContainsFunc(s, func(c parley.Change) bool { return c.Command })
	})
}
