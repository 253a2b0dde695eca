package page

import (
	"cmp"
	"slices"
	"strings"

	"parley"
	"parley/internal/page/markup"
	"parley/internal/session"
)

// You is the visitor: where they have signed in, and what their browser is allowed.
type You struct {
	Here   session.Listed   // this browser
	Mine   []session.Listed // the visitor's others
	Others []session.Listed // those of other people
	Zone   string
}

func (y You) Titled() (title, here string) { return "You", "/you" }

func (v *visit) you() (y You, err error) {
	y.Zone = v.zoneName()
	list, err := v.Sessions.List(v.ctx, v.Caller)
	if err != nil {
		return y, err
	}
	slices.SortStableFunc(list, func(a, b session.Listed) int { return cmp.Compare(b.UsedAt, a.UsedAt) })
	for _, s := range list {
		switch {
		case s.ID == v.session.ID:
			y.Here = s
		case s.Agent == v.Agent:
			y.Mine = append(y.Mine, s)
		default:
			y.Others = append(y.Others, s)
		}
	}
	return y, nil
}

// zoneName is the zone in which times are shown.
func (v *visit) zoneName() string {
	if name := v.zone.String(); name != "Local" {
		return name
	}
	name, _ := v.now.Zone()
	return name
}

func (v *visit) endSession() (Done, error) {
	id, err := parley.ParseSessionID(v.r.PostFormValue("session"))
	if err != nil {
		return Done{}, err
	}
	ended, err := v.Sessions.End(v.ctx, v.Caller, id)
	return Done{Said: "Signed out: " + browserName(ended.Browser) + "."}, err
}

func (v *visit) endOthers() (Done, error) {
	ended, err := v.Sessions.EndAll(v.ctx, v.Caller, v.session.ID)
	return Done{Said: "Signed out: " + plural(len(ended), "other browser", "other browsers") + "."}, err
}

// browserName is a browser and its system, as far as it says what they are; otherwise what
// it does say.
func browserName(says string) string {
	find := func(names ...string) string {
		for i := 0; i < len(names); i += 2 {
			if strings.Contains(says, names[i]) {
				return names[i+1]
			}
		}
		return ""
	}
	program := find("Edg/", "Edge", "OPR/", "Opera", "Firefox/", "Firefox", "Headless", "Chrome without a window", "Chrome/", "Chrome", "Safari/", "Safari")
	system := find("Android", "Android", "iPhone", "iPhone", "iPad", "iPad", "Windows", "Windows", "Mac OS", "macOS", "CrOS", "ChromeOS", "Linux", "Linux")
	if !strings.HasPrefix(says, "Mozilla/") || program == "" || system == "" {
		return cmp.Or(markup.Line(says, 80), "A browser without a name")
	}
	return program + " on " + system
}
