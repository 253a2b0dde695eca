package page

import (
	"strconv"
	"strings"

	"parley"
	"parley/internal/reading"
)

// feedPage is how many events a page of the feed has.
const feedPage = 60

// everything fills the feed of all that happened, the newest first, up to the time that
// the address names.
func (v *visit) everything(out *Search) error {
	r := reading.Record{Last: feedPage + 1, Agent: out.By, Since: micros(out.Span.Since), Until: micros(out.Span.Until)}
	if before, err := strconv.ParseInt(v.r.URL.Query().Get("before"), 10, 64); err == nil && before > 0 {
		r.Until = parley.Micros(before)
		if micros(out.Span.Until) != 0 {
			r.Until = min(r.Until, micros(out.Span.Until))
		}
		out.Newest = v.here("before", "")
	}
	var list []parley.Event
	take := func(e parley.Event) error { list = append(list, e); return nil }
	if err := v.Reading.Events(v.ctx, v.Caller, r, take, func() error { return nil }); err != nil {
		return err
	}
	if len(list) > feedPage {
		list = wholeMoments(list)
		out.Older = v.here("before", strconv.FormatInt(int64(list[0].At), 10))
	}
	for i := len(list) - 1; i >= 0; i-- {
		t := v.toldWhole(list[i])
		v.quote(&t)
		out.Feed = append(out.Feed, t)
	}
	return nil
}

// wholeMoments drops the oldest events if more of the same moment may come before them:
// the next page begins before a moment, and so loses none and shows none twice.
func wholeMoments(list []parley.Event) []parley.Event {
	for i, e := range list {
		if e.At != list[0].At {
			return list[i:]
		}
	}
	return list
}

// toldWhole puts every event into words, also those that home leaves out.
func (v *visit) toldWhole(e parley.Event) Told {
	t, ok := v.told(e)
	if ok {
		return t
	}
	kind, what, _ := strings.Cut(string(e.Kind), ".")
	t.Icon, t.State, t.Verb, t.Text = "idle", true, strings.ReplaceAll(kind+" "+what, "_", " "), parley.Clip(e.Detail, 300)
	return t
}
