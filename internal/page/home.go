package page

import (
	"cmp"
	"slices"
	"strconv"

	"parley"
	"parley/internal/reading"
)

// Home is what waits for the visitor, who is at work, and what has just happened.
type Home struct {
	Needs  []Need // what somebody stands still for
	News   []News // what is new to read
	Mail   int    // messages that are new to read
	Later  int    // conversations with news beyond those
	Trees  []Tree
	More   int  // open trees beyond those
	Beyond bool // and there are more than these
	Agents []Seat
	Idle   int // agents that are left out, since they do nothing
	All    int // agents
	AtWork int
	Feed   []Told
	Spent  Spent
	Lead   string // whom people talk to first
}

func (h Home) Titled() (title, here string) { return "Home", "/" }

// Heading is the one line that matters. Its number is the one in the title and in the
// badge: what waits for a decision or an answer. What is only to be read stands beside it.
func (h Home) Heading() string {
	switch n := len(h.Needs); {
	case n == 1:
		return "One matter waits for you"
	case n > 1:
		return inWords(n) + " matters wait for you"
	case len(h.News) > 0:
		return "There is news for you"
	}
	return "Nothing waits for you."
}

// Beside says what the heading leaves out.
func (h Home) Beside() string {
	switch mail := plural(h.Mail, "new message", "new messages"); {
	case h.Mail > 0 && len(h.Needs) > 0:
		return "and " + mail
	case h.Mail > 0:
		return mail
	case len(h.Needs) > 0:
		return "Everything else goes on without you."
	case h.AtWork > 0:
		return plural(h.AtWork, "agent is", "agents are") + " at work."
	case h.All == 0:
		return "There is nobody here yet."
	}
	return ""
}

// Waits reports whether anything does.
func (h Home) Waits() bool { return len(h.Needs)+len(h.News) > 0 }

// News is what is new in one conversation.
type News struct {
	Who        Who // who wrote last
	Place, URL string
	Count      int
	What       string // the last message
	Since      parley.Micros
	IDs        []string // of all of them
}

// newsOf gathers messages by conversation, the newest first.
func newsOf(list []Need) (out []News) {
	at := map[string]int{}
	for _, n := range list {
		i, known := at[n.Place]
		if !known {
			i = len(out)
			at[n.Place], out = i, append(out, News{Place: n.Place, URL: n.URL}) // its first new message
		}
		one := &out[i]
		one.Who, one.What, one.Since = n.Who, n.What, n.Since
		one.Count++
		one.IDs = append(one.IDs, n.ID)
	}
	slices.SortStableFunc(out, func(a, b News) int { return cmp.Compare(b.Since, a.Since) })
	return out
}

func (v *visit) fillNeeds(h *Home) error {
	all, err := v.waits()
	if err != nil {
		return err
	}
	asks := standing(all)
	if err := v.nameTasks(all[:asks]); err != nil {
		return err
	}
	h.Needs, h.News, h.Mail = all[:asks], newsOf(all[asks:]), len(all)-asks
	if len(h.News) > homeNews {
		h.Later, h.News = len(h.News)-homeNews, h.News[:homeNews]
	}
	return nil
}

const (
	homeNews   = 3
	homeTrees  = 8
	homeAgents = 12
	homeFeed   = 12
)

func (d *Door) registerHome() {
	d.show("/{$}", "home", func(v *visit) (any, error) { return v.home() })
	d.act("/say", (*visit).say)
	d.act("/seen", (*visit).seen)
}

func (v *visit) home() (h Home, err error) {
	for _, part := range []struct {
		names []string
		fill  func(*Home) error
	}{
		{[]string{"needs"}, v.fillNeeds},
		{[]string{"work"}, v.fillTrees},
		{[]string{"agents", "needs", "compose"}, v.fillAgents},
		{[]string{"feed"}, func(h *Home) (err error) { h.Feed, err = v.feed(homeFeed); return err }},
		{[]string{"spent"}, func(h *Home) (err error) { h.Spent, err = v.spentToday(); return err }},
	} {
		if !v.wants(part.names...) {
			continue
		}
		if err := part.fill(&h); err != nil {
			return h, err
		}
	}
	return h, nil
}

// Seat is an agent and what it does.
type Seat struct {
	Who
	Mark  Mark
	Now   string
	Since parley.Micros
	Lead  bool
	rank  int
}

// rank orders agents: those who wait for people first, then who works, who waits, who is
// away, and last who does nothing.
func rank(a reading.Agent) int {
	switch a.Status {
	case parley.StatusAwaitingApproval:
		return 0
	case parley.StatusWorking:
		return 1
	case parley.StatusAwaitingDelegation:
		return 2
	case parley.StatusOffline, parley.StatusSleeping:
		return 3
	}
	return 4
}

func (v *visit) fillAgents(h *Home) error {
	list, err := v.Reading.Agents(v.ctx, v.Caller)
	if err != nil {
		return err
	}
	for _, a := range list {
		if a.Kind == parley.Person {
			continue
		}
		h.All++
		if a.Lead {
			h.Lead = a.Name
		}
		if a.Status == parley.StatusWorking {
			h.AtWork++
		}
		h.Agents = append(h.Agents, v.seat(a))
	}
	slices.SortStableFunc(h.Agents, func(a, b Seat) int { return a.rank - b.rank })
	if len(h.Agents) > homeAgents {
		h.Idle, h.Agents = len(h.Agents)-homeAgents, h.Agents[:homeAgents]
	}
	return nil
}

func (v *visit) seat(a reading.Agent) Seat {
	s := Seat{Who: Who{Name: a.Name, Kind: string(a.Kind)}, Mark: stateOf(a.Status), Now: a.Now, Lead: a.Lead, rank: rank(a)}
	switch {
	case s.Now != "":
	case a.Status == parley.StatusAwaitingDelegation && a.Reason == strconv.Itoa(a.Open.Children)+" open":
		s.Now = "waits for " + plural(a.Open.Children, "task", "tasks")
	case a.Status == parley.StatusSleeping && a.Reason != parley.NotConnected:
		s.Now = "sleeps until " + v.soon(a.SleepingUntil)
	case a.Reason != "":
		s.Now = a.Reason
	default:
		s.Now = s.Mark.Word
	}
	s.Now = waitingFor(a, s.Now)
	return s
}

// Spent is what was spent today, by the visitor's clock, and what is counted against the
// cap, whose day is the hub's.
type Spent struct {
	Cap reading.Spending
	Sum
	Lines []SpentLine
	Share int // of the cap, in per cent
}

// Figure is what was spent in all, the sum of the lines below it; empty as long as that is
// not known.
func (s Spent) Figure() string {
	if s.Known {
		return money(s.Total.Spent.Money)
	}
	return ""
}

// SpentLine is the share of one agent.
type SpentLine struct {
	Name  string
	Money parley.Money
	Share int // of the largest, in per cent
}

const spentLines = 7

// spentToday is the budget of the day and what each has spent.
func (v *visit) spentToday() (s Spent, err error) {
	if s, err = v.dailyCap(); err != nil {
		return s, err
	}
	if s.Sum, err = v.costToday(); err != nil || len(s.Cost.Lines) == 0 {
		return s, err
	}
	most := max(1, s.Cost.Lines[0].Spent.Money)
	for _, l := range s.Cost.Lines[:min(spentLines, len(s.Cost.Lines))] {
		s.Lines = append(s.Lines, SpentLine{Name: l.Name, Money: l.Spent.Money, Share: int(100 * l.Spent.Money / most)})
	}
	return s, nil
}

// dailyCap is how much of the day's cap is spent.
func (v *visit) dailyCap() (s Spent, err error) {
	s.Cap, err = v.Reading.Today(v.ctx, v.Caller)
	if limit := s.Cap.Limit.Money; limit > 0 {
		s.Share = int(min(100, 100*s.Cap.Spent.Money/limit))
	}
	return s, err
}
