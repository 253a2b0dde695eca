package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/keeper"
)

func (d *Door) registerKeepers() {
	d.show("/keepers", "keepers", func(v *visit) (any, error) { return v.keepers() })
	d.show("/keepers/{id}", "keeper", func(v *visit) (any, error) { return v.keeper() })
	d.act("/keepers/{id}/share", (*visit).shareKeeper)
}

// Keepers lists what was put away, the newest first.
type Keepers struct {
	List []Put
	More string // the address of a longer list
}

func (Keepers) Titled() (title, here string) { return "Keepers", "/keepers" }

// Put is a keeper and where its messages were said.
type Put struct {
	parley.Keeper
	Place, PlaceURL string
}

// Characters is how much it holds.
func (p Put) Characters() string { return plural(p.Size, "character", "characters") }

func (v *visit) put(k parley.Keeper) Put {
	p := Put{Keeper: k}
	ch, ok := v.Keepers.Channel(v.ctx, k)
	if !ok {
		return p
	}
	if ch.Kind == parley.Group {
		p.Place, p.PlaceURL = ch.Place(), "/c/"+url.PathEscape(ch.Name)
		return p
	}
	a, b := v.whois(ch.A), v.whois(ch.B)
	p.Place, p.PlaceURL = a.Name+" and "+b.Name, v.dmURL(ch.A, ch.B)
	return p
}

// dmURL is the address of the dm of two.
func (v *visit) dmURL(a, b parley.AgentID) string {
	if a == v.Agent || b == v.Agent {
		if b != v.Agent {
			a = b
		}
		return "/dm/" + url.PathEscape(v.whois(a).Name)
	}
	return "/dm/" + url.PathEscape(v.whois(a).Name) + "/" + url.PathEscape(v.whois(b).Name)
}

const keeperList = 50

func (v *visit) keepers() (out Keepers, err error) {
	most := v.number("n", keeperList, longestList)
	list, err := v.Keepers.List(v.ctx, v.Caller, most+1)
	if err != nil {
		return out, err
	}
	if len(list) > most {
		list = list[:most]
		if most < longestList {
			out.More = v.here("n", strconv.Itoa(2*most))
		}
	}
	for _, k := range list {
		out.List = append(out.List, v.put(k))
	}
	return out, nil
}

// Kept is a keeper with what it holds, or what of it was looked for.
type Kept struct {
	Put
	Query string
	Texts []KeptText
	All   int    // messages that the visitor may read
	Next  string // the address of the next page
	Prev  string
	From  int // number of the first text shown, from 1
}

func (k Kept) Titled() (title, here string) { return k.ID.String(), "/keepers" }

// KeptText is one message of a keeper.
type KeptText struct {
	parley.KeptMessage
	Who  Who
	Head string // its beginning, if the text is folded
}

const (
	keptPage  = 100
	keptFound = 30
	// keptText is how many characters are shown unfolded; of what is longer, keptHead are.
	keptText = 1200
	keptHead = 600
)

func (v *visit) keeper() (out Kept, err error) {
	id, err := parley.ParseKeeperID(v.r.PathValue("id"))
	if err != nil {
		return out, err
	}
	k, list, err := v.Keepers.Show(v.ctx, v.Caller, id)
	if err != nil {
		return out, err
	}
	out = Kept{Put: v.put(k), Query: strings.TrimSpace(v.r.URL.Query().Get("q")), All: len(list), From: 1}
	if out.Query != "" {
		list, err = v.Keepers.Find(v.ctx, v.Caller, keeper.Query{Text: out.Query, Keeper: id}, keptFound)
		if err != nil {
			return out, err
		}
	} else {
		list = v.keptPage(&out, list)
	}
	for _, m := range list {
		out.Texts = append(out.Texts, v.keptText(k, m))
	}
	return out, nil
}

// keptPage is the page of a keeper that the address asks for.
func (v *visit) keptPage(out *Kept, list []parley.KeptMessage) []parley.KeptMessage {
	out.From = v.number("at", 1, max(1, len(list)))
	if out.From > 1 {
		out.Prev = v.here("at", strconv.Itoa(max(1, out.From-keptPage)))
	}
	if end := out.From - 1 + keptPage; end < len(list) {
		out.Next = v.here("at", strconv.Itoa(end+1))
	}
	return slices.Clip(list[out.From-1 : min(len(list), out.From-1+keptPage)])
}

func (v *visit) keptText(k parley.Keeper, m parley.KeptMessage) KeptText {
	m.Text = withoutHeader(m)
	t := KeptText{KeptMessage: m}
	if m.Author != 0 {
		t.Who = v.whois(m.Author)
	} else {
		t.Who = v.whois(k.Owner)
	}
	if runes := []rune(m.Text); len(runes) > keptText {
		t.Head = string(runes[:keptHead])
	}
	return t
}

func (v *visit) shareKeeper() (Done, error) {
	id, err := parley.ParseKeeperID(v.r.PathValue("id"))
	if err != nil {
		return Done{}, err
	}
	_, err = v.Keepers.Share(v.ctx, v.Caller, id)
	return Done{Go: "/keepers/" + id.String()}, err
}
