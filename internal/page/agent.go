package page

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/reading"
)

// AgentPage is one participant: its card, and what else is known of it, by tabs.
type AgentPage struct {
	reading.Agent
	Who  Who
	Seat Seat
	Tab  string
	Tabs []Tab
	List AgentList

	Rate     reading.Rate
	Manager  string
	Channels []string
	Tasks    []Row
	More     bool // tasks beyond those
	Text     string
	Guides   []reading.Guide
	Docs     reading.Docs
	Tools    []ToolView
	Servers  []reading.ToolServer
	Rules    RulesView
	Cost     CostView
	Names    []string // to choose from; empty if they are too many
}

// Tab is one of the tabs.
type Tab struct {
	Name, Title, URL string
	Here             bool
}

func (a AgentPage) Titled() (title, here string) { return a.Name, "/agents" }

// Person reports whether it is a human, of whom the hub knows less.
func (a AgentPage) Person() bool { return a.Kind == parley.Person }

// Asleep reports whether it sleeps.
func (a AgentPage) Asleep() bool { return a.Status == parley.StatusSleeping }

// tabs are those of an agent; people have fewer.
var tabs = []struct {
	name, title string
	people      bool
	gone        bool // also of one who has left
	fill        func(*visit, *AgentPage) error
}{
	{"card", "Card", true, true, (*visit).fillCard},
	{"instructions", "Instructions", false, false, (*visit).fillInstructions},
	{"docs", "Docs", false, false, (*visit).fillDocs},
	{"tools", "Tools", false, false, (*visit).fillTools},
	{"rules", "Rules", true, false, (*visit).fillRules},
	{"history", "History", true, true, (*visit).fillHistory},
	{"cost", "Cost", false, true, (*visit).fillCost},
}

func (v *visit) agentPage(tab string) (AgentPage, error) {
	found, err := v.Reading.Anyone(v.ctx, v.Caller, v.r.PathValue("name"))
	if err != nil {
		return AgentPage{}, err
	}
	a := AgentPage{Agent: found, Who: Who{Name: found.Name, Kind: string(found.Kind), You: found.ID == v.Agent}, Tab: tab}
	a.Seat = v.seat(found)
	a.Seat.Now = waitingFor(found, a.Seat.Now)
	if doing, err := v.Reading.Tasks(v.ctx, v.Caller, reading.TaskFilter{Agent: found.Name, Open: true, Limit: 20}); err == nil {
		a.Seat.Now = v.doingNow(doing, a.Seat.Now)
	}
	var fill func(*visit, *AgentPage) error
	for _, t := range tabs {
		if a.Person() && !t.people || a.Removed && !t.gone {
			continue
		}
		to := a.Who.URL()
		if t.name != "card" {
			to += "/" + t.name
		}
		a.Tabs = append(a.Tabs, Tab{t.name, t.title, to, t.name == tab})
		if t.name == tab {
			fill = t.fill
		}
	}
	if fill == nil {
		return a, parley.Errorf(parley.NotFound, "There is no such page of %s.", found.Name)
	}
	if v.wants("agent-list") {
		if a.List, err = v.agentList(found.Name); err != nil {
			return a, err
		}
	}
	return a, fill(v, &a)
}

// doingNow says what an agent does in the first of its tasks that runs.
func (v *visit) doingNow(tasks []parley.Task, otherwise string) string {
	doing, err := v.Reading.Doing(v.ctx, v.Caller, tasks)
	if err != nil {
		return otherwise // the status says enough
	}
	for _, t := range tasks {
		if line := doing[t.ID].Line; line != "" {
			return line
		}
	}
	return otherwise
}

const (
	recentTasks  = 8
	historyTasks = 200
)

func (v *visit) fillCard(a *AgentPage) (err error) {
	if !a.Removed { // who has left contacts nobody
		if a.Rate, err = v.Reading.Rate(v.ctx, v.Caller, a.Name); err != nil {
			return err
		}
	}
	groups, err := v.Reading.Groups(v.ctx, v.Caller)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if slices.Contains(g.Members, a.ID) {
			a.Channels = append(a.Channels, g.Name)
		}
	}
	if rules := v.rules(); rules != nil {
		if shown, err := rules.Show(v.Caller, a.Name); err == nil {
			for _, r := range shown.Rules {
				if r.Key == "manager" && len(r.Words) > 0 {
					a.Manager = r.Words[0]
				}
			}
		}
	}
	return v.tasksOf(a, recentTasks)
}

func (v *visit) fillHistory(a *AgentPage) error { return v.tasksOf(a, historyTasks) }

func (v *visit) tasksOf(a *AgentPage, most int) error {
	list, err := v.Reading.Tasks(v.ctx, v.Caller, reading.TaskFilter{Agent: a.Name, Limit: most + 1})
	if err != nil {
		return err
	}
	if a.More = len(list) > most; a.More {
		list = list[:most]
	}
	doing, err := v.Reading.Doing(v.ctx, v.Caller, list)
	for _, t := range list {
		a.Tasks = append(a.Tasks, Row{Task: t, Mark: stateOf(t.State), Now: nowOf(t, doing[t.ID].Line, v.now), Note: t.Error})
	}
	return err
}

func (v *visit) fillInstructions(a *AgentPage) (err error) {
	if a.Text, err = v.Config.Tools.Instructions(v.ctx, v.Caller, a.Name); err != nil {
		return err
	}
	box, err := v.Config.Tools.Of(v.Caller, a.Name)
	a.Guides = box.Guides
	return err
}

func (v *visit) fillDocs(a *AgentPage) (err error) {
	a.Docs, err = v.Reading.Docs(v.ctx, v.Caller, a.Name)
	return err
}

// ToolView is a tool as the model sees it.
type ToolView struct {
	reading.Tool
	Fields []ToolField
	JSON   string
}

// ToolField is an argument of a tool.
type ToolField struct {
	Name, Type, Doc string
	Required        bool
}

func (v *visit) fillTools(a *AgentPage) error {
	box, err := v.Config.Tools.Of(v.Caller, a.Name)
	a.Servers, a.Guides = box.Servers, box.Guides
	for _, t := range box.Tools {
		a.Tools = append(a.Tools, toolView(t))
	}
	return err
}

func toolView(t reading.Tool) ToolView {
	view := ToolView{Tool: t, JSON: jsonField("", t.Schema).Text}
	var schema struct {
		Properties map[string]struct {
			Type        any    `json:"type"`
			Description string `json:"description"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(t.Schema, &schema) != nil {
		return view // it is shown as it is
	}
	for name, p := range schema.Properties {
		kind, _ := p.Type.(string)
		view.Fields = append(view.Fields, ToolField{Name: name, Type: kind, Doc: p.Description, Required: slices.Contains(schema.Required, name)})
	}
	slices.SortFunc(view.Fields, func(a, b ToolField) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return view
}

// CostView is what an agent has spent.
type CostView struct {
	Today, Week, All parley.Money
	Calls            int64
	Days             []CostBar
	Models           []reading.CostLine
}

// CostBar is what was spent on a day.
type CostBar struct {
	At    parley.Micros
	Money parley.Money
	Share int // of the largest, in per cent
}

const agentDays = 14

func (v *visit) fillCost(a *AgentPage) error {
	all, err := v.Reading.CostOf(v.ctx, v.Caller, a.Name, reading.CostQuery{By: parley.CostByModel, Zone: v.zone, Limit: 20})
	if err != nil {
		return err
	}
	a.Cost = CostView{All: all.Total.Spent.Money, Calls: all.Total.Calls, Models: all.Lines}
	year, month, day := v.now.In(v.zone).Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, v.zone)
	since := today.AddDate(0, 0, 1-agentDays)
	days, err := v.Reading.CostOf(v.ctx, v.Caller, a.Name, reading.CostQuery{By: parley.CostByDay, Since: since, Zone: v.zone, Limit: agentDays})
	if err != nil {
		return err
	}
	most := parley.Money(1)
	for _, d := range days.Lines {
		most = max(most, d.Spent.Money)
	}
	for _, d := range days.Lines {
		at := d.At.Time().In(v.zone)
		if sameDay(at, today) {
			a.Cost.Today += d.Spent.Money
		}
		if !at.Before(today.AddDate(0, 0, -6)) {
			a.Cost.Week += d.Spent.Money
		}
		a.Cost.Days = append(a.Cost.Days, CostBar{At: d.At, Money: d.Spent.Money, Share: int(100 * d.Spent.Money / most)})
	}
	return nil
}

// What a person does with an agent. Each goes back to where the form was.

func (v *visit) sleepAgent() (Done, error) {
	until, err := v.until()
	if err != nil {
		return Done{}, err
	}
	return Done{}, v.Contacts.Sleep(v.ctx, v.Caller, v.r.PathValue("name"), until)
}

// until reads how long something is meant to be: a span, or a time by the visitor's clock.
func (v *visit) until() (time.Time, error) {
	if text := v.r.PostFormValue("until"); text != "" {
		t, err := time.ParseInLocation("2006-01-02T15:04", text, v.zone)
		if err != nil {
			return t, parley.Errorf(parley.Invalid, "%q is not a time.", parley.Clip(text, 40)).WithHint("Write it as 2026-11-16T18:00.")
		}
		return t, nil
	}
	d, err := time.ParseDuration(v.r.PostFormValue("for"))
	if err != nil || d <= 0 {
		return time.Time{}, parley.Errorf(parley.Invalid, "It is not said until when.").WithHint("Choose how long, or a time.")
	}
	return v.now.Add(d), nil
}

func (v *visit) wakeAgent() (Done, error) {
	return Done{}, v.Contacts.Wake(v.ctx, v.Caller, v.r.PathValue("name"))
}

func (v *visit) offlineAgent() (Done, error) {
	return Done{}, v.Contacts.Offline(v.ctx, v.Caller, v.r.PathValue("name"))
}

func (v *visit) onlineAgent() (Done, error) {
	return Done{}, v.Contacts.Online(v.ctx, v.Caller, v.r.PathValue("name"))
}

// freshAgent begins a new conversation, with the visitor or with somebody else.
func (v *visit) freshAgent() (Done, error) {
	name, with := v.r.PathValue("name"), v.r.PostFormValue("with")
	now, before, err := v.Contacts.Fresh(v.ctx, v.Caller, name, with)
	if err != nil {
		return Done{}, err
	}
	said := "What is said from now on begins without what was said before."
	if now == before {
		said = "Nothing has been said in it yet: it is fresh already."
	}
	to := "/dm/" + url.PathEscape(name)
	if with != "" {
		to += "/" + url.PathEscape(with)
	}
	return Done{Go: to, Said: said}, nil
}
