package config

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/model"
	"parley/internal/model/scripted"
)

func writeStarter(dir string) ([]string, error) {
	t, err := FindTemplate(DefaultTemplate)
	if err != nil {
		return nil, err
	}
	return t.Write(dir)
}

func TestStarterIsATeam(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "team")
	files, err := writeStarter(dir)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "files", []string{
		"agents/_shared/house-rules.md", "agents/coordinator.md", "agents/researcher.md", "agents/writer.md",
		"parley.yaml", "script.yaml",
	}, files)
	team, found := load(t, dir)
	diff(t, "problems", []string(nil), found)
	diff(t, "warnings", []string(nil), texts(team.Warnings))
	diff(t, "agents", []string{"coordinator", "researcher", "writer"}, names(team))
	for _, a := range team.Agents {
		if a.Description == "" || a.Instructions == "" || !strings.HasSuffix(a.Knowledge(), "say so.") || a.Model != team.Model {
			t.Errorf("incomplete: %+v", a)
		}
	}
}

func TestEveryTemplateIsATeamWithoutMistakes(t *testing.T) {
	for _, template := range Templates() {
		dir := t.TempDir()
		files, err := template.Write(dir)
		if err != nil {
			t.Fatal(err)
		}
		team, found := load(t, dir)
		diff(t, template.Name+": problems", []string(nil), found)
		diff(t, template.Name+": warnings", []string(nil), texts(team.Warnings))
		if !slices.Contains(files, "script.yaml") || !slices.Contains(names(team), template.Try[0]) {
			t.Errorf("%s cannot be tried: %v, %v", template.Name, files, names(team))
		}
		if _, err := scripted.Load(filepath.Join(dir, team.Model.Name)); err != nil {
			t.Errorf("%s: %v", template.Name, err)
		}
	}
}

// The team that works on code is one of peers: who may call whom is a list, and
// whoever only looks cannot write.
func TestTheCodingTeamHasTheRightsOfItsRoles(t *testing.T) {
	dir := t.TempDir()
	if _, err := (Template{Name: "coding"}).Write(dir); err != nil {
		t.Fatal(err)
	}
	team, _ := load(t, dir)
	got := map[string]string{}
	for _, a := range team.Agents {
		got[a.Name] = a.Mode + ": " + strings.Join(a.CanInvoke, " ")
	}
	diff(t, "rights", map[string]string{
		"planner": "read: reader writer reviewer scribe", "reader": "read: ", "writer": "write: reader",
		"reviewer": "read: writer", "scribe": "write: reader", "docs": "write: ",
	}, got)
	if l := team.Limits; l.AskTimeout < l.CallTimeout {
		t.Errorf("whoever asks the planner waits %s, and the planner %s for one call of many", l.AskTimeout, l.CallTimeout)
	}
}

func TestATemplateThatDoesNotExistIsAnsweredWithThoseThatDo(t *testing.T) {
	_, err := FindTemplate("codng")
	if parley.KindOf(err) != parley.NotFound || !strings.Contains(parley.ToolError(err), "coding") {
		t.Errorf("err = %v", err)
	}
}

func TestAgentsOfClaudeCodeAreATeamAsTheyAre(t *testing.T) {
	from := teamDir(t, `-- code-reviewer.md --
---
name: code-reviewer
description: Reviews code. Use it after changes.
tools: Read, Grep, Glob, Bash
model: sonnet
color: blue
permissionMode: plan
---

You review code.
-- team/debugger.md --
---
name: debugger
description: Finds the cause.
model: inherit
---
You find causes.
-- planner.md --
---
name: planner
description: Plans what's next. Examples: <example>user: "How?" assistant: 'I ask the planner'</example>
color: red
---
You plan.
-- README.md --
Notes.
-- run.sh --
exit 0
`)
	dir := t.TempDir()
	files, left, err := Adopt(from, dir)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "left out", []string{"README.md", "run.sh"}, []string{left[0].File, left[1].File})
	diff(t, "files", []string{"agents/code-reviewer.md", "agents/debugger.md", "agents/planner.md", "parley.yaml"}, files)
	before, after := tree(t, from), tree(t, dir)
	diff(t, "a file", before["code-reviewer.md"], after["agents/code-reviewer.md"])
	team, found := load(t, dir)
	diff(t, "problems", []string(nil), found)
	diff(t, "agents", []string{"code-reviewer", "debugger", "planner"}, names(team))
	diff(t, "a description with colons", `Plans what's next. Examples: <example>user: "How?" assistant: 'I ask the planner'</example>`, team.Agents[2].Description)
	diff(t, "the model", Model{Provider: "anthropic", Name: "claude-sonnet-4-5"}, team.Model)
	if !strings.Contains(strings.Join(texts(team.Warnings), "\n"), "permissionMode is a key of Claude Code") {
		t.Errorf("nothing is said of permissionMode: %v", texts(team.Warnings))
	}
	if _, _, err := Adopt(from, dir); parley.KindOf(err) != parley.Conflict {
		t.Errorf("a second time: %v", err)
	}
	diff(t, "after the refusal", after, tree(t, dir))
}

func TestAFolderWithoutAgentsIsNotATeam(t *testing.T) {
	from, dir := teamDir(t, "-- notes.md --\nNotes.\n"), t.TempDir()
	if _, _, err := Adopt(from, dir); parley.KindOf(err) != parley.NotFound {
		t.Errorf("err = %v", err)
	}
	if _, _, err := Adopt(filepath.Join(from, "nowhere"), dir); parley.KindOf(err) != parley.NotFound {
		t.Errorf("err = %v", err)
	}
	diff(t, "folder", map[string]string{}, tree(t, dir))
}

func TestStarterOverwritesNothing(t *testing.T) {
	dir := teamDir(t, "-- agents/writer.md --\nMine.\n-- notes.txt --\n")
	before := tree(t, dir)
	_, err := writeStarter(dir)
	if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "agents/writer.md") {
		t.Errorf("err = %v", err)
	}
	diff(t, "folder", before, tree(t, dir))
}

func TestStarterNamesTheFolderThatIsHere(t *testing.T) {
	dir := teamDir(t, "-- parley.yaml --\n-- below/notes.txt --\n")
	for here, folder := range map[string]string{dir: ".", filepath.Join(dir, "below"): ".."} {
		t.Chdir(here)
		whole, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		_, err = writeStarter(folder)
		if err == nil || !strings.HasPrefix(err.Error(), "There is already parley.yaml in "+whole+".") {
			t.Errorf("%s: %v", folder, err)
		}
	}
}

func TestStarterThatFailsIsUndone(t *testing.T) {
	dir := teamDir(t, "-- notes.txt --\nMine.\n")
	before := tree(t, dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	files, err := Template{Name: DefaultTemplate}.files()
	if err != nil {
		t.Fatal(err)
	}
	w := writer{files: files, root: root}
	for _, name := range []string{"agents/_shared/house-rules.md", "parley.yaml"} {
		if err := w.writeFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.writeFile("parley.yaml"); parley.KindOf(err) != parley.Invalid {
		t.Errorf("wrote a file over another: %v", err)
	}
	w.undo()
	diff(t, "folder", before, tree(t, dir))
}

func TestStarterFollowsNoLink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "agents")); err != nil {
		t.Fatal(err)
	}
	if _, err := writeStarter(dir); err == nil {
		t.Error("no error")
	}
	diff(t, "outside", map[string]string{}, tree(t, outside))
}

// tree is a folder as a map from path to content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		data, _ := os.ReadFile(path)
		out[filepath.ToSlash(rel)] = string(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// starterScript is the script of a team that was just made.
func starterScript(t *testing.T) *scripted.Script {
	t.Helper()
	dir := t.TempDir()
	if _, err := writeStarter(dir); err != nil {
		t.Fatal(err)
	}
	team, _ := load(t, dir)
	script, err := scripted.Load(filepath.Join(dir, team.Model.Name))
	if err != nil {
		t.Fatal(err)
	}
	return script
}

func TestStarterPlaysItsScript(t *testing.T) {
	script := starterScript(t)
	const want = `The plan for a launch

What to do, in this order:
- Say in one sentence whom it helps and how.
- Try it with five people before everyone sees it.
- Decide beforehand what number would make it a success.

What to watch out for:
- Nobody is named who answers questions on the day.`
	for _, input := range []string{"Plan a launch", "[Agent Request from ada | Pattern: ask]\n\nplan a launch."} {
		bubbletest.Test(t, func(t *testing.T) { // the script's pauses take no time here
			p := play{t: t, script: script}
			diff(t, "answer", want, p.task("coordinator", input))
			diff(t, "contacts", []string{
				"coordinator ask researcher", "coordinator delegate writer", "writer ask researcher", "coordinator notify researcher",
			}, p.contacts)
		})
	}
}

func TestStarterWritesThePlanWithoutTheAnswerItIsDenied(t *testing.T) {
	script := starterScript(t)
	bubbletest.Test(t, func(t *testing.T) {
		p := play{t: t, script: script, denied: "writer ask researcher"}
		got := p.task("coordinator", "Plan a launch")
		if !strings.HasPrefix(got, "The plan for a launch\n") || !strings.HasSuffix(got, "watch out for. Error: Approval denied for contacting researcher.") {
			t.Errorf("the plan is %q", got)
		}
	})
}

// play stands in for the hub: it runs each contact at once and brings the
// results of delegations after the turn.
type play struct {
	t        *testing.T
	script   *scripted.Script
	contacts []string
	denied   string // a contact that is refused
}

// task runs the turns of one task and returns the last closing text.
func (p *play) task(agent, input string) string {
	p.t.Helper()
	req := model.Request{Agent: agent}
	inbox := []string{input}
	closing := ""
	for len(inbox) > 0 {
		req.Messages = append(req.Messages, model.Message{Role: model.User, Text: inbox[0]})
		inbox = inbox[1:]
		for {
			reply, err := p.script.Step(p.t.Context(), req, nil)
			if err != nil {
				p.t.Fatalf("%s: %v", agent, err)
			}
			req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Text: reply.Text, Calls: reply.Calls})
			if closing = reply.Text; len(reply.Calls) == 0 {
				break
			}
			for _, c := range reply.Calls {
				result, callback := p.contact(agent, c)
				req.Messages = append(req.Messages, model.Message{Role: model.ToolResult, CallID: c.ID, Text: result})
				inbox = append(inbox, callback...)
			}
		}
	}
	return closing
}

// contact returns the tool's result and, for a delegation, the callback.
func (p *play) contact(from string, c model.Call) (string, []string) {
	p.t.Helper()
	var args struct{ Action, AgentID, Message, Context, Priority string }
	if err := json.Unmarshal(c.Args, &args); err != nil || c.Name != "contact_agent" {
		p.t.Fatalf("%s calls %s %s: %v", from, c.Name, c.Args, err)
	}
	p.contacts = append(p.contacts, fmt.Sprintf("%s %s %s", from, args.Action, args.AgentID))
	if p.denied == p.contacts[len(p.contacts)-1] {
		return "Error: Approval denied for contacting " + args.AgentID + ".", nil
	}
	input := fmt.Sprintf("[Agent Request from %s | Pattern: %s]\n\n", from, args.Action)
	if args.Context != "" {
		input += "Context: " + args.Context + "\n\n"
	}
	input += args.Message
	switch args.Action {
	case "ask":
		return "Response from " + args.AgentID + ": " + p.task(args.AgentID, input), nil
	case "delegate":
		return "Delegated to " + args.AgentID + ".",
			[]string{"[Delegation Result from " + args.AgentID + " | task-2]\n\n" + p.task(args.AgentID, input)}
	}
	return "Notification sent to " + args.AgentID + ".", nil
}

// What agents of Claude Code have that is nothing here gets a word of what is done with
// it.
func TestOddAgentsOfClaudeCodeGetAWord(t *testing.T) {
	dir := teamDir(t, "-- parley.yaml --\nteam: main\nmodel: sonnet\n-- agents/long.md --\n---\nname: long\nmodel: sonnet[1m]\ntools: Read, Bash(git *), mcp__git\n---\nYou read.\n"+
		"-- agents/deploy.md --\n---\nname: 🚀 Deployer\n---\nYou deploy.\n-- agents/own.md --\n---\ntools: Read, contact_agent\n---\nYou ask.\n")
	team, found := load(t, dir)
	diff(t, "problems", []string{`agents/deploy.md:2: name: The name "🚀 Deployer" contains '🚀'; letters, digits, space and -_. are allowed. Write Deployer, for example.`}, found)
	diff(t, "model", Model{Provider: "anthropic", Name: "sonnet"}, team.Agents[0].Model)
	if warned := strings.Join(texts(team.Warnings), "\n"); !strings.Contains(warned, "agents/long.md:3: sonnet[1m] is read as sonnet.") {
		t.Errorf("warned of %s", warned)
	}
	diff(t, "lists of Claude Code's tools alone", []bool{true, false}, []bool{team.Agents[0].ForeignTools(), team.Agents[1].ForeignTools()})
}

// A model is spelt in one way, wherever somebody may copy it from.
func TestModelsAreSpeltInOneWay(t *testing.T) {
	odd := regexp.MustCompile(`\b(anthropic|openai|gemini|ollama|openrouter):[a-z]`)
	for _, at := range []string{"template", "../../docs", "../../README.md", "../../examples"} {
		err := filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			data, err := os.ReadFile(name)
			if found := odd.Find(data); found != nil {
				t.Errorf("%s has a model %s…", name, found)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// A new team is called like its folder, so that services and copies of two teams differ.
func TestANewTeamIsCalledLikeItsFolder(t *testing.T) {
	for folder, want := range map[string]string{"my-team": "my-team", "Blue 2": "Blue 2", "no": "no", "42": "42", "a:b": "main", "x+y": "main"} {
		for _, template := range Templates() {
			dir := filepath.Join(t.TempDir(), folder)
			if _, err := template.Write(dir); err != nil {
				t.Fatal(err)
			}
			team, found := load(t, dir)
			diff(t, template.Name+": problems", []string(nil), found)
			diff(t, template.Name+" in "+folder, want, team.Name)
		}
	}
	from, dir := t.TempDir(), filepath.Join(t.TempDir(), "adopted")
	if err := os.WriteFile(filepath.Join(from, "a.md"), []byte("---\nname: a\ndescription: Reads.\n---\nYou read.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Adopt(from, dir); err != nil {
		t.Fatal(err)
	}
	team, _ := load(t, dir)
	diff(t, "adopted", "adopted", team.Name)
}
