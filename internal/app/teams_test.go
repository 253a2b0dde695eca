package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/hubfile"
	"parley/internal/pgtest"
)

// further writes the folder of a team that says who it is. Its agents have the names of
// those in other teams.
func further(t *testing.T, person, more string) string {
	t.Helper()
	return folder(t, fmt.Sprintf(`
-- parley.yaml --
person: %s
model: scripted:script.yaml
-- script.yaml --
agents:
  DataBot:
    - steps: [{say: 'The figures of %[1]s.'}]
  SlowBot:
    - steps: [{wait: 10m, say: 'At last.'}]
`, person)+more)
}

// add adds a team to the list of the hub and has the hub read the list.
func (r *running) add(dir, name string) api.HubTeam {
	r.t.Helper()
	if err := addTo(r.t, r.Data, dir, name); err != nil {
		r.t.Fatal(err)
	}
	return r.listed(name)
}

// addTo adds a team to the list in a data folder of the usual place.
func addTo(t *testing.T, data, dir, name string) error {
	t.Helper()
	own, _, err := config.Load(filepath.Dir(data))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = app.AddTeam(app.Addition{Hub: own, Folder: dir, Name: name})
	return err
}

// listed has the hub read its list and returns one of the teams.
func (r *running) listed(name string) api.HubTeam {
	r.t.Helper()
	list, err := r.client().RereadTeams(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(t api.HubTeam) bool { return t.Name == name })
	if i < 0 {
		return api.HubTeam{}
	}
	return list[i]
}

// in acts as the person of another team.
func (r *running) in(team string) *client.Client {
	r.t.Helper()
	c, err := client.DiscoverTeam(r.Data, team)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

func ask(t *testing.T, c *client.Client, agent string) string {
	t.Helper()
	made, err := c.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: agent, Message: "What was the revenue?"})
	if err != nil {
		t.Fatal(err)
	}
	task, err := c.WaitTask(t.Context(), made.Task.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return task.Result
}

func TestAHubServesTeamsApart(t *testing.T) {
	r := up(t, configure(t, folder(t, "")))
	blog, shop := further(t, "Bea", ""), further(t, "Cyd", "")
	for name, dir := range map[string]string{"blog": blog, "shop": shop} {
		if got := r.add(dir, name); !got.Served || len(got.Problems) > 0 || !slices.Equal(got.Agents, []string{"DataBot", "SlowBot"}) {
			t.Fatalf("%+v\n%s", got, r.log)
		}
	}
	for team, want := range map[string][3]string{"main": {"Ada", "42 million.", r.Data}, "blog": {"Bea", "The figures of Bea.", filepath.Join(blog, ".parley")}, "Shop": {"Cyd", "The figures of Cyd.", filepath.Join(shop, ".parley")}} {
		c := r.in(team)
		if hub, err := c.Hub(t.Context()); err != nil || hub.You != want[0] || !strings.EqualFold(hub.Team, team) {
			t.Errorf("%s: %+v, %v", team, hub, err)
		}
		if got := ask(t, c, "DataBot"); got != want[1] {
			t.Errorf("%s: %q", team, got)
		}
		here, err := client.Discover(want[2]) // by the team's own folder
		if err != nil {
			t.Fatal(err)
		}
		defer here.Close()
		if tasks, err := here.Tasks(t.Context(), client.TaskFilter{}); err != nil || len(tasks) != 1 {
			t.Errorf("%s has the tasks %+v, %v", team, tasks, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(r.Data, "teams", "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range append(files, filepath.Join(r.Data, "teams.json")) {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v, %v", file, info.Mode(), err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(blog, ".parley", "joined.json")); err != nil || strings.Contains(string(text), "parley_") {
		t.Errorf("the pointer is %s, %v", text, err)
	}
	if list, err := r.in("blog").Teams(t.Context()); err != nil || len(list) != 1 || list[0].Name != "blog" || list[0].Folder != "" {
		t.Errorf("people of another team see %+v, %v", list, err)
	}
	if _, err := r.in("blog").RereadTeams(t.Context()); parley.KindOf(err) != parley.Denied {
		t.Errorf("people of another team look after the hub: %v", err)
	}
}

// Each team has rules of its own, in its own files, and takes its own files over.
func TestEachTeamHasItsFiles(t *testing.T) {
	r := up(t, configure(t, folder(t, "")))
	blog := further(t, "Bea", "")
	r.add(blog, "blog")
	c := r.in("blog")
	if _, err := c.SetRule(t.Context(), "DataBot", "mode", []string{"read"}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(blog, "agents", "DataBot.md")); err != nil || !strings.Contains(string(text), "mode: read") {
		t.Errorf("the rule went elsewhere: %s, %v", text, err)
	}
	write(t, blog, "agents/NewBot.md", "---\ndescription: New.\n---\n")
	write(t, blog, "parley.yaml", "team: renamed\nlisten: 127.0.0.1:1\nstore: elsewhere.db\nperson: Bea\nmodel: scripted:script.yaml\nretention: {events: 30d}\n")
	change, err := c.Reload(t.Context())
	if err != nil || !slices.Equal(change.Joined, []string{"NewBot"}) || !slices.Equal(change.Restart, []string{"retention"}) {
		t.Errorf("%+v, %v", change, err)
	}
	if change, err := r.client().Reload(t.Context()); err != nil || len(change.Joined) > 0 {
		t.Errorf("the hub's own team took over %+v, %v", change, err)
	}
	if rules, err := r.client().Rules(t.Context(), "DataBot"); err != nil || slices.ContainsFunc(rules.Rules, func(rule api.AgentRule) bool { return rule.Key == "mode" && rule.Line > 0 }) {
		t.Errorf("the rules of the hub's own team: %+v, %v", rules, err)
	}
}

// What is wrong with one team disturbs no other, and the team joins when it is corrected.
func TestAMistakeStopsOneTeamOnly(t *testing.T) {
	dir := folder(t, "")
	data := filepath.Join(dir, ".parley")
	good, bad, gone := further(t, "Bea", ""), further(t, "Cyd", ""), further(t, "Dan", "")
	for name, at := range map[string]string{"good": good, "bad": bad, "gone": gone} {
		if err := addTo(t, data, at, name); err != nil {
			t.Fatal(err)
		}
	}
	write(t, bad, "parley.yaml", "person: [")
	if err := os.Rename(gone, gone+"-away"); err != nil {
		t.Fatal(err)
	}
	r := up(t, looking(t, dir))
	if got := ask(t, r.in("good"), "DataBot"); got != "The figures of Bea." {
		t.Errorf("the good team: %q", got)
	}
	for name, want := range map[string]string{"bad": "parley.yaml:1", "gone": "There is no folder"} {
		if got := r.listed(name); got.Served || len(got.Problems) != 1 || !strings.Contains(got.Problems[0], want) {
			t.Errorf("%s: %+v", name, got)
		}
		if _, err := client.DiscoverTeam(r.Data, name); parley.KindOf(err) != parley.NotFound {
			t.Errorf("%s is found: %v", name, err)
		}
	}
	write(t, bad, "new.yaml", "person: Cyd\nmodel: scripted:script.yaml\n")
	if err := errors.Join(os.Rename(filepath.Join(bad, "new.yaml"), filepath.Join(bad, "parley.yaml")), os.Rename(gone+"-away", gone)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"bad": "The figures of Cyd.", "gone": "The figures of Dan."} {
		for !r.served(name) { // the hub notices by itself
			if t.Context().Err() != nil {
				return
			}
		}
		if got := ask(t, r.in(name), "DataBot"); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Whoever is in a team that the hub cannot serve stays outside until it can.
func TestTokensOfATeamThatIsNotServedAreRefused(t *testing.T) {
	dir, blog := folder(t, ""), further(t, "Bea", "")
	r := up(t, configure(t, dir))
	r.add(blog, "blog")
	token, err := os.ReadFile(filepath.Join(r.Data, "teams", "blog.token"))
	if err != nil {
		t.Fatal(err)
	}
	r.down()
	write(t, blog, "parley.yaml", "person: [")
	r = up(t, configure(t, dir))
	bea := client.New(r.URL, strings.TrimSpace(string(token)))
	defer bea.Close()
	if _, err := bea.Agents(t.Context()); parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("got %v", err)
	}
	write(t, blog, "parley.yaml", "person: Bea\nmodel: scripted:script.yaml\n")
	if got := r.listed("blog"); !got.Served {
		t.Errorf("it is not served again: %+v", got)
	}
	if got := ask(t, bea, "DataBot"); got != "The figures of Bea." {
		t.Errorf("its token is not what it was: %q", got)
	}
}

// served looks without making the hub look.
func (r *running) served(name string) bool {
	r.t.Helper()
	list, err := r.client().Teams(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.ContainsFunc(list, func(t api.HubTeam) bool { return t.Name == name && t.Served })
}

func TestARemovedTeamStopsItsWork(t *testing.T) {
	for _, running := range []bool{true, false} {
		t.Run(fmt.Sprintf("while the hub runs %t", running), func(t *testing.T) {
			dir := folder(t, "")
			r := up(t, configure(t, dir))
			blog := further(t, "Bea", "")
			r.add(blog, "blog")
			bea := r.in("blog")
			token, err := os.ReadFile(filepath.Join(r.Data, "teams", "blog.token"))
			if err != nil {
				t.Fatal(err)
			}
			slow, err := bea.Contact(t.Context(), api.ContactRequest{Action: "delegate", Agent: "SlowBot", Message: "Go."})
			if err != nil {
				t.Fatal(err)
			}
			if !running {
				r.down()
			}
			if _, err := app.RemoveTeam(filepath.Join(dir, ".parley"), "BLOG"); err != nil {
				t.Fatal(err)
			}
			if !running {
				r = up(t, configure(t, dir))
			}
			if got := r.listed("blog"); got.Name != "" {
				t.Errorf("it is still listed: %+v", got)
			}
			bea = client.New(r.URL, strings.TrimSpace(string(token)))
			defer bea.Close()
			if _, err := bea.Agents(t.Context()); parley.KindOf(err) != parley.Unauthentic {
				t.Errorf("its token is accepted: %v", err)
			}
			if _, err := os.Stat(filepath.Join(r.Data, "teams", "blog.token")); err == nil {
				t.Error("its token is left")
			}
			if hubfile.Held(filepath.Join(blog, ".parley")) {
				t.Error("its folder is still held")
			}
			if got := ask(t, r.client(), "DataBot"); got != "42 million." {
				t.Errorf("the hub's own team: %q", got)
			}
			r.add(blog, "blog")
			task, err := r.in("blog").Task(t.Context(), slow.Task.ID)
			if err != nil || task.State != "failed" || !strings.Contains(task.Error, "SlowBot is no longer in the team") {
				t.Errorf("its task is %+v, %v", task, err)
			}
			if got := ask(t, r.in("blog"), "DataBot"); got != "The figures of Bea." {
				t.Errorf("it does not work again: %q", got)
			}
		})
	}
}

// worker writes a team whose agent reads a file of its workspace.
func worker(t *testing.T, person, more string) string {
	t.Helper()
	return further(t, person, `
-- note.txt --
The note of `+person+`.
-- agents/Worker.md --
---
description: Reads.
toolsets: [contact, workspace]
profile: open
---
-- script.yaml --
agents:
  DataBot:
    - steps: [{say: 'The figures.'}]
  Worker:
    - steps:
      - call: read_file
        args: {path: note.txt}
      - say: '{{result}}'
`+more)
}

func TestAgentsSeeTheWorkspaceOfTheirTeam(t *testing.T) {
	r := up(t, configure(t, folder(t, "")))
	for name, person := range map[string]string{"blog": "Bea", "shop": "Cyd"} {
		if got := r.add(worker(t, person, ""), name); !got.Served {
			t.Fatalf("%+v", got)
		}
	}
	for name, person := range map[string]string{"blog": "Bea", "shop": "Cyd"} {
		if got := ask(t, r.in(name), "Worker"); !strings.Contains(got, "The note of "+person) {
			t.Errorf("%s reads %q", name, got)
		}
	}
}

// Agents of one team never get to the files of another, nor to those of the hub.
func TestTeamsThatOverlapAreRefused(t *testing.T) {
	const works = "-- agents/Worker.md --\n---\ntoolsets: [workspace]\n---\n"
	const serves = "-- agents/Server.md --\n---\nmcp_servers: {x: {command: /bin/true}}\n---\n"
	for name, c := range map[string]struct {
		main, blog string // further files of each
		at         string // where the blog is; ROOT is the folder above both
		refused    string
	}{
		"beside each other":               {main: works, blog: works, at: "ROOT/blog"},
		"below, and nobody works":         {at: "ROOT/main/blog"},
		"below, and only the lower works": {blog: works, at: "ROOT/main/blog"},
		"below a workspace":               {main: works, at: "ROOT/main/blog", refused: "could reach"},
		"below the folder of a server":    {main: serves, at: "ROOT/main/blog", refused: "could reach"},
		"the same workspace":              {main: works, blog: works + "-- parley.yaml --\nmodel: scripted:script.yaml\nworkspace: ../main\n", at: "ROOT/blog", refused: "overlap"},
		"a workspace around the hub":      {blog: works + "-- parley.yaml --\nmodel: scripted:script.yaml\nworkspace: ..\n", at: "ROOT/blog", refused: "overlap"},
		"the hub's data":                  {blog: works + "-- parley.yaml --\nmodel: scripted:script.yaml\nworkspace: ../main/.parley\n", at: "ROOT/blog", refused: "overlap"},
		"readable files":                  {blog: works + "-- parley.yaml --\nmodel: scripted:script.yaml\nworkspace: {folder: ., readable: [../main]}\n", at: "ROOT/blog", refused: "could reach"},
		"by a link":                       {blog: works + "-- parley.yaml --\nmodel: scripted:script.yaml\nworkspace: ../link\n", at: "ROOT/blog", refused: "overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			main, blog := filepath.Join(root, "main"), strings.Replace(c.at, "ROOT", root, 1)
			for at, from := range map[string]string{main: folder(t, c.main), blog: further(t, "Bea", c.blog)} {
				if err := os.CopyFS(at, os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(main, filepath.Join(root, "link")); err != nil {
				t.Fatal(err)
			}
			err := addTo(t, filepath.Join(main, ".parley"), blog, "blog")
			if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
				t.Errorf("got %v", err)
			}
			list, failed := hubfile.Teams(filepath.Join(main, ".parley"))
			if (len(list) == 1) != (err == nil) || failed != nil {
				t.Errorf("the list is %+v, %v", list, failed)
			}
		})
	}
}

// A workspace that opens later is checked then, on either side; both teams stay as they
// were.
func TestAWorkspaceThatOpensLaterIsRefused(t *testing.T) {
	dir := folder(t, "")
	r := up(t, configure(t, dir))
	blog := filepath.Join(dir, "blog")
	if err := os.CopyFS(blog, os.DirFS(further(t, "Bea", ""))); err != nil {
		t.Fatal(err)
	}
	r.add(blog, "blog")
	const worker = "---\ntoolsets: [workspace]\n---\n"
	write(t, dir, "agents/Worker.md", worker)
	if _, err := r.client().Reload(t.Context()); parley.KindOf(err) != parley.Conflict {
		t.Errorf("the hub's own team works in the folder of another: %v", err)
	}
	write(t, blog, "agents/Worker.md", worker)
	if change, err := r.in("blog").Reload(t.Context()); err != nil || !slices.Equal(change.Joined, []string{"Worker"}) {
		t.Errorf("the other works in its own folder: %+v, %v", change, err)
	}
}

// Reloads of several teams at once neither block each other nor race.
func TestTeamsReloadBesideEachOther(t *testing.T) {
	r := up(t, looking(t, worker(t, "Ada", "-- parley.yaml --\nperson: Ada\nlisten: 127.0.0.1:0\nmodel: scripted:script.yaml\n")))
	names := []string{"", "blog", "shop"}
	for _, name := range names[1:] {
		r.add(worker(t, "Bea", ""), name)
	}
	var all sync.WaitGroup
	for _, name := range names {
		c := r.client()
		if name != "" {
			c = r.in(name)
		}
		for range 4 {
			all.Go(func() {
				for range 5 {
					if _, err := c.Reload(context.Background()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Go(func() {
		for range 5 {
			r.listed("blog")
		}
	})
	all.Wait()
}

// Each of two hubs on one database has further teams of its own. What one of them
// removes, the other does not lose.
func TestTwoHubsWithFurtherTeams(t *testing.T) {
	dsn := pgtest.DSN(t)
	start := func(person string) *running {
		t.Helper()
		dir := folder(t, "")
		write(t, dir, "parley.yaml", "team: "+person+"\nperson: "+person+"\nlisten: 127.0.0.1:0\nmodel: scripted:script.yaml\nstore: "+dsn+"\n")
		return up(t, configure(t, dir))
	}
	first, second := start("Ada"), start("Eva")
	first.add(further(t, "Bea", ""), "blog")
	second.add(further(t, "Cyd", ""), "shop")
	if got := ask(t, first.in("blog"), "DataBot"); got != "The figures of Bea." {
		t.Errorf("at the first hub: %q", got)
	}
	if _, err := app.RemoveTeam(first.Data, "blog"); err != nil {
		t.Fatal(err)
	}
	if got := first.listed("blog"); got.Name != "" {
		t.Errorf("it is still listed: %+v", got)
	}
	if got := ask(t, second.in("shop"), "DataBot"); got != "The figures of Cyd." {
		t.Errorf("at the second hub: %q", got)
	}
}
