package directory_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/directory"
)

func team() *directory.Directory {
	limits := parley.DefaultLimits()
	limits.Turns = 1
	return directory.New(
		directory.Entry{ID: 1, Team: 1, Name: "DataBot", Kind: parley.Native, Limits: &limits},
		directory.Entry{ID: 2, Team: 1, Name: "DateBot", Kind: parley.Native},
		directory.Entry{ID: 3, Team: 1, Name: "Data Analyst", Kind: parley.Native},
		directory.Entry{ID: 4, Team: 1, Name: "rutger", Kind: parley.Person},
		directory.Entry{ID: 5, Team: 2, Name: "DatBot", Kind: parley.Native},
		directory.Entry{ID: 6, Team: 1, Name: "Jürgen", Kind: parley.Person},
	)
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name string
		want parley.AgentID
		err  string
	}{
		{"DataBot", 1, ""}, {"databot", 1, ""}, {" DATABOT ", 1, ""}, {"data analyst", 3, ""}, {"JÜRGEN", 6, ""},
		{"DatBot", 0, "Agent 'DatBot' not found. Did you mean DataBot, DateBot?"}, // DatBot is of another team
		{"dat", 0, "Agent 'dat' not found. Did you mean Data Analyst, DataBot, DateBot?"},
		{"rutgr", 0, "Agent 'rutgr' not found. Did you mean rutger?"},
		{"Xylophone", 0, "Agent 'Xylophone' not found. Look at the list of agents to see who is there."},
		{"", 0, "Agent '' not found. Look at the list of agents to see who is there."},
		{"../../etc/passwd", 0, "Agent '../../etc/passwd' not found. Look at the list of agents to see who is there."},
	} {
		e, err := team().Find(1, c.name)
		if e.ID != c.want {
			t.Errorf("%q is %d", c.name, e.ID)
		}
		if c.err != "" && (err == nil || err.Error() != c.err || parley.KindOf(err) != parley.NotFound) {
			t.Errorf("%q: %v", c.name, err)
		}
	}
}

func TestALongNameIsNotRepeatedWhole(t *testing.T) {
	_, err := team().Find(1, strings.Repeat("x\n", 10_000))
	if err == nil || len(err.Error()) > 200 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%d bytes: %.100q", len(err.Error()), err)
	}
}

func TestNobodyIsFoundInAnotherTeam(t *testing.T) {
	if e, err := team().Find(2, "DataBot"); err == nil {
		t.Errorf("found %+v", e)
	}
}

func TestLimitsAreTheAgentsOrTheDefaults(t *testing.T) {
	d := team()
	if got := d.Limits(1).Turns; got != 1 {
		t.Errorf("turns of DataBot: %d", got)
	}
	for _, id := range []parley.AgentID{2, 99} {
		if got := d.Limits(id); got != parley.DefaultLimits() {
			t.Errorf("limits of %d: %+v", id, got)
		}
	}
}

func TestARetiredAgentKeepsItsNameAndIsNotFound(t *testing.T) {
	d := team()
	d.Retire(parley.Agent{ID: 1, Team: 1, Name: "DataBot", Kind: parley.Native})
	if _, err := d.Find(1, "DataBot"); err == nil || strings.Contains(err.Error(), "mean DataBot") {
		t.Errorf("found, or offered: %v", err)
	}
	if e, ok := d.Entry(1); !ok || e.Name != "DataBot" {
		t.Errorf("%+v, %v", e, ok)
	}
	if d.Native(1) {
		t.Error("the hub would run it")
	}
}

func TestOnlyNativeAgentsAreRunByTheHub(t *testing.T) {
	d := team()
	for id, want := range map[parley.AgentID]bool{1: true, 4: false, 99: false} {
		if d.Native(id) != want {
			t.Errorf("%d: %v", id, !want)
		}
	}
}
