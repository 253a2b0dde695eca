package page

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/reading"
)

func (d *Door) registerAgents() {
	d.show("/agents", "agents", func(v *visit) (any, error) { return v.agentList("") })
	d.show("/agents/{name}", "agent", func(v *visit) (any, error) { return v.agentPage("card") })
	d.show("/agents/{name}/{tab}", "agent", func(v *visit) (any, error) { return v.agentPage(v.r.PathValue("tab")) })
	d.act("/agents/{name}/sleep", (*visit).sleepAgent)
	d.act("/agents/{name}/wake", (*visit).wakeAgent)
	d.act("/agents/{name}/offline", (*visit).offlineAgent)
	d.act("/agents/{name}/online", (*visit).onlineAgent)
	d.act("/agents/{name}/fresh", (*visit).freshAgent)
	d.act("/agents/{name}/rules", (*visit).writeRule)
}

// AgentList is a page of the team, as far as the filter lets through.
type AgentList struct {
	Rows           []AgentRow
	All, Work      int // of the whole team
	Idle           int
	Found          int // by the filter
	Query, State   string
	States         []Mark
	Previous, Next string
	Who            string // whose page stands beside it
	Wide           bool   // it has the width to itself
	Sum            Sum    // what each has spent today, if it is wide
}

func (AgentList) Titled() (title, here string) { return "Agents", "/agents" }

// AgentRow is one of them.
type AgentRow struct {
	Seat
	Model   string
	Current bool
	Open    string // tasks
	Cost    string // today
}

// DayOf is the date of a moment.
func (f Frame) DayOf(m parley.Micros) template.HTML { return f.v.moment(m, "2 Jan") }

const agentRows = 50

// agentStates are those that one can filter by, with the statuses that they stand for.
var agentStates = []struct {
	Mark
	of []parley.Status
}{
	{Mark{"run", "working"}, []parley.Status{parley.StatusWorking}},
	{Mark{"wait", "waiting"}, []parley.Status{parley.StatusAwaitingApproval, parley.StatusAwaitingDelegation}},
	{Mark{"idle", "idle"}, []parley.Status{parley.StatusIdle}},
	{Mark{"sleep", "sleeping"}, []parley.Status{parley.StatusSleeping}},
	{Mark{"off", "offline"}, []parley.Status{parley.StatusOffline}},
}

// agentList reads the team and picks the page that is asked for. who is the agent whose
// page it stands beside.
func (v *visit) agentList(who string) (AgentList, error) {
	q := v.r.URL.Query()
	l := AgentList{Query: strings.TrimSpace(q.Get("q")), State: q.Get("state"), Who: who}
	var wanted []parley.Status
	for _, s := range agentStates {
		l.States = append(l.States, s.Mark)
		if s.Word == l.State {
			wanted = s.of
		}
	}
	list, err := v.Reading.Agents(v.ctx, v.Caller)
	if err != nil {
		return l, err
	}
	var rows []AgentRow
	for _, a := range list {
		if a.Kind == parley.Person {
			continue
		}
		l.count(a)
		if wanted != nil && !slices.Contains(wanted, a.Status) || !strings.Contains(parley.FoldName(a.Name), parley.FoldName(l.Query)) {
			continue
		}
		rows = append(rows, v.agentRow(a, who))
	}
	slices.SortStableFunc(rows, func(a, b AgentRow) int { return a.rank - b.rank })
	l.paged(rows, q)
	if l.Wide = who == ""; l.Wide && v.wants("agent-list") {
		err = v.fillCosts(&l)
	}
	return l, err
}

// fillCosts adds what those on the page have spent today.
func (v *visit) fillCosts(l *AgentList) (err error) {
	if l.Sum, err = v.costToday(); err != nil {
		return err
	}
	spent := make(map[string]string, len(l.Sum.Lines))
	for _, line := range l.Sum.Lines {
		spent[line.Name] = money(line.Spent.Money)
	}
	for i := range l.Rows {
		l.Rows[i].Cost = spent[l.Rows[i].Name]
	}
	return nil
}

// openWords says how many tasks an agent has; empty if none.
func openWords(o parley.OpenTasks) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{o.Running, "running"}, {o.Waiting, "waiting"}, {o.Queued, "queued"}} {
		if p.n > 0 {
			parts = append(parts, count(p.n)+thin+p.word)
		}
	}
	return strings.Join(parts, ", ")
}

func (l *AgentList) count(a reading.Agent) {
	l.All++
	switch a.Status {
	case parley.StatusWorking:
		l.Work++
	case parley.StatusIdle:
		l.Idle++
	}
}

func (v *visit) agentRow(a reading.Agent, who string) AgentRow {
	row := AgentRow{Seat: v.seat(a), Model: a.Model, Current: a.Name == who, Open: openWords(a.Open)}
	row.Now = waitingFor(a, row.Now)
	if row.Model == "" {
		row.Model = string(a.Kind)
	}
	return row
}

// waitingFor says what an agent waits for, where its status says it better than a number.
func waitingFor(a reading.Agent, now string) string {
	if a.Status == parley.StatusAwaitingApproval && (now == "" || now == a.Reason) {
		return stateOf(a.Status).Word
	}
	return now
}

// paged keeps the page that is asked for.
func (l *AgentList) paged(rows []AgentRow, q url.Values) {
	l.Found = len(rows)
	page, err := strconv.Atoi(q.Get("page"))
	if last := (len(rows) - 1) / agentRows; err != nil || page < 0 || page > last {
		page = 0
	}
	at := func(n int) string {
		to := url.Values{"page": {strconv.Itoa(n)}}
		if l.Query != "" {
			to.Set("q", l.Query)
		}
		if l.State != "" {
			to.Set("state", l.State)
		}
		return "/agents?" + to.Encode()
	}
	if page > 0 {
		l.Previous = at(page - 1)
	}
	if (page+1)*agentRows < len(rows) {
		l.Next = at(page + 1)
	}
	l.Rows = rows[page*agentRows : min(len(rows), (page+1)*agentRows)]
}
