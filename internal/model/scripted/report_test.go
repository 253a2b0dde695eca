package scripted

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/model"
)

// report is a coordinator at work on testdata/report.yaml, with others whose
// results arrive at moments that the seed decides.
type report struct {
	*conversation
	random  *rand.Rand
	pending []string // callbacks under way
	tasks   parley.TaskID
	made    []string // the calls made
}

func TestReportWhateverTheTiming(t *testing.T) {
	source := readFile(t, "testdata/report.yaml")
	for seed := range uint64(50) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := &report{conversation: talk(t, "CoordinatorBot", source), random: rand.New(rand.NewPCG(seed, 1))}
			r.hears(parley.RequestText("alice", parley.Ask, parley.Normal, 0, "", "Prepare the Q3 report"))
			r.check(r.run())
		})
	}
}

// run goes on until nothing is under way and returns the last closing text.
func (r *report) run() string {
	for {
		reply := r.steps()
		for _, c := range reply.Calls {
			r.req.Messages = append(r.req.Messages, model.Message{Role: model.ToolResult, CallID: c.ID, Text: r.contact(c)})
		}
		if len(reply.Calls) == 0 && len(r.pending) == 0 {
			return reply.Text
		}
		least := 0
		if len(reply.Calls) == 0 { // the turn has ended: only a callback wakes it
			least = 1
		}
		r.arrive(least)
	}
}

func (r *report) contact(c model.Call) string {
	var args struct{ Action, AgentID, Message string }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		r.t.Fatal(err)
	}
	r.made = append(r.made, fmt.Sprintf("%s %s: %s", args.Action, args.AgentID, args.Message))
	switch args.Action {
	case "ask":
		return parley.ResponseText(args.AgentID, "42 million")
	case "notify":
		return parley.NotifiedText(args.AgentID)
	}
	r.tasks++
	callback := parley.ResultText(args.AgentID, r.tasks, "done")
	if args.AgentID == "LegalBot" {
		callback = parley.FailureText(args.AgentID, r.tasks, "Rate limit exceeded.")
	}
	r.pending = append(r.pending, callback)
	return parley.DelegatedText(args.AgentID, r.tasks)
}

// arrive delivers some of the callbacks under way, in any order.
func (r *report) arrive(least int) {
	n := least + r.random.IntN(len(r.pending)+1-least)
	for range n {
		i := r.random.IntN(len(r.pending))
		r.hears(r.pending[i])
		r.pending = slices.Delete(r.pending, i, i+1)
	}
}

func (r *report) check(last string) {
	r.t.Helper()
	lines := strings.Split(last, "\n")
	slices.Sort(lines)
	want := []string{"BackupBot: done", "ChartBot: done", "The report is complete.", "WriterBot: done"}
	if diff := cmp.Diff(want, lines); diff != "" {
		r.t.Errorf("summary differs (-want +got):\n%s", diff)
	}
	calls := []string{
		"ask DataBot: What was the Q3 revenue?",
		"delegate WriterBot: Write the Q3 summary.",
		"delegate ChartBot: Draw the Q3 chart.",
		"delegate LegalBot: Check the Q3 report.",
		"delegate BackupBot: Check the Q3 report.",
		"notify ArchiveBot: A report is complete.",
	}
	if diff := cmp.Diff(calls, r.made); diff != "" {
		r.t.Errorf("calls differ (-want +got):\n%s", diff)
	}
}

func TestReportStopsWhenTheAskFails(t *testing.T) {
	c := talk(t, "CoordinatorBot", readFile(t, "testdata/report.yaml"))
	c.hears("Prepare the Q3 report")
	c.calls(`contact_agent {"action":"ask","agentId":"DataBot","message":"What was the Q3 revenue?"}`)
	c.returns("Error: DataBot is not available.")
	c.says("I could not begin. Error: DataBot is not available.")
}

// The example in the documentation is the one tested here, and every other
// piece of script in it can be loaded too.
func TestDocumentation(t *testing.T) {
	const fence = "```"
	doc := readFile(t, "../../../docs/scripted-model.md")
	if !strings.Contains(doc, readFile(t, "testdata/report.yaml")) {
		t.Error("docs/scripted-model.md does not contain testdata/report.yaml as it is")
	}
	blocks := strings.Split(doc, fence+"yaml\n")[1:]
	if len(blocks) == 0 {
		t.Error("docs/scripted-model.md has no examples")
	}
	for i, b := range blocks {
		script, _, _ := strings.Cut(b, fence)
		if !strings.HasPrefix(script, "agents:") { // rules without their agent
			script = "agents:\n  A:\n    " + strings.ReplaceAll(script, "\n", "\n    ")
		}
		if _, err := Parse(fmt.Sprintf("example-%d", i+1), []byte(script)); err != nil {
			t.Error(err)
		}
	}
}
