package hubfile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/hubfile"
)

func list(t *testing.T, dir string, teams ...hubfile.Team) {
	t.Helper()
	err := hubfile.ChangeTeams(dir, func([]hubfile.Team) ([]hubfile.Team, error) { return teams, nil })
	if err != nil {
		t.Fatal(err)
	}
}

// Whoever adds teams at the same time loses none.
func TestTheListTakesOneChangeAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			err := hubfile.ChangeTeams(dir, func(teams []hubfile.Team) ([]hubfile.Team, error) {
				return append(teams, hubfile.Team{Name: fmt.Sprint("team ", i)}), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if teams, err := hubfile.Teams(dir); len(teams) != 20 || err != nil {
		t.Errorf("%d teams, %v", len(teams), err)
	}
}

func TestAListThatCannotBeReadStays(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "teams.json")
	if err := os.WriteFile(file, []byte(`{"teams": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	err := hubfile.ChangeTeams(dir, func([]hubfile.Team) ([]hubfile.Team, error) { return nil, nil })
	if parley.KindOf(err) != parley.Internal || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(file); string(text) != `{"teams": [` || err != nil {
		t.Errorf("it was changed to %q, %v", text, err)
	}
}

// The folder of a further team leads to the hub and to the token of that team.
func TestAFolderPointsToItsHub(t *testing.T) {
	top := t.TempDir()
	data, blog := filepath.Join(top, "hub"), filepath.Join(top, "blog")
	l := acquire(t, data)
	own := hub
	own.Team = "main"
	if err := l.Publish(own); err != nil {
		t.Fatal(err)
	}
	if err := hubfile.Point(blog, hubfile.Pointer{Hub: data, Folder: top, Team: "blog"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := hubfile.Pointed(blog); ok {
		t.Error("a pointer that the hub's list does not confirm is believed")
	}
	if _, err := hubfile.Find(blog); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("it leads to %v", err)
	}
	list(t, data, hubfile.Team{Name: "Blog", Folder: top, Data: blog})
	if _, err := hubfile.Find(blog); parley.KindOf(err) != parley.NotFound {
		t.Errorf("before the hub serves it: %v", err)
	}
	if err := l.PublishTeam("blog", "parley_blog"); err != nil {
		t.Fatal(err)
	}
	if got, err := hubfile.Find(blog); got.Token != "parley_blog" || got.URL != hub.URL || err != nil {
		t.Errorf("found %+v, %v", got, err)
	}
	for team, want := range map[string]string{"": "parley_secret", "MAIN": "parley_secret", "BLOG": "parley_blog"} {
		if got, err := hubfile.FindTeam(data, team); got.Token != want || err != nil {
			t.Errorf("%q: %+v, %v", team, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(data, "teams", "blog.token")); err != nil || info.Mode() != 0o600 {
		t.Errorf("the token has the mode %v, %v", info.Mode(), err)
	}
	list(t, data, hubfile.Team{Name: "Blog", Folder: top, Data: filepath.Join(top, "other")})
	if _, ok := hubfile.Pointed(blog); ok {
		t.Error("the pointer of another folder is believed")
	}
	list(t, data, hubfile.Team{Name: "Blog", Folder: top, Data: blog, Leaving: true})
	if _, ok := hubfile.Pointed(blog); ok {
		t.Error("the pointer of a team that leaves is believed")
	}
	if err := hubfile.Unpoint(blog, "elsewhere"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(blog, "joined.json")); err != nil {
		t.Errorf("the pointer to another hub was removed: %v", err)
	}
}

// A folder that comes from elsewhere may have any files. They lead nowhere.
func TestPointersInACircleLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]any{
		"joined.json": hubfile.Pointer{Hub: dir, Team: "blog"},
		"teams.json":  map[string]any{"teams": []hubfile.Team{{Name: "blog", Data: dir}}},
	} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := hubfile.Find(dir); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestNamesThatFitIntoAFile(t *testing.T) {
	for name, ok := range map[string]bool{"blog": true, "My blog": true, "..": false, "a/b": false, "": false, strings.Repeat("a", 64): true, strings.Repeat("𝕏", 64): false} {
		if err := hubfile.CheckTeamName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
