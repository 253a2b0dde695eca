package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley"
)

// kind is a kind of job that a client gives to the team, with its expected outcome.
type kind struct {
	name   string
	agent  string
	action string
	// tree is who worked for whom: children in alphabetical order, "!" after who
	// failed, "~" before who was only notified, "@" before who was mentioned in a
	// channel.
	tree string
	// result has a line for each text that the result must contain exactly once. Only
	// the order of the parts may differ.
	result string
	// fails says that the job itself fails, with result as its error.
	fails bool
	// cancel says that the client cancels it half-way.
	cancel bool
}

// kinds are what clients choose from. # stands for the number of the job.
var kinds = []kind{
	{name: "note", agent: "Ledger", action: "notify"},
	{name: "part", agent: "Ann", action: "ask", tree: "Ann", result: "part # by Ann"},
	{name: "part", agent: "Cid", action: "delegate", tree: "Cid", result: "part # by Cid"},
	{name: "part", agent: "Solo", action: "ask", tree: "Solo", result: "part # by Solo"},
	{name: "chain", agent: "Lead", action: "ask", tree: "Lead(Data(Ledger))", result: "chain #: sum of book #"},
	{name: "fan", agent: "Lead", action: "delegate", tree: "Lead(Ann Backup Bob(Cid) Flaky!)",
		result: "all of #:\nAnn: part # by Ann\nBob: Bob got part # by Cid\nBackup: part # by Backup"},
	{name: "mix", agent: "Lead", action: "delegate", tree: "Lead(Data(Ledger) Solo ~Ledger)",
		result: "all of #:\nSolo: part # by Solo"},
	{name: "wide", agent: "Lead", action: "ask", tree: "Lead(Ann Backup Bob Cid Solo)",
		result: "all of #:\nAnn: part # by Ann\nBob: part # by Bob\nCid: part # by Cid\nSolo: part # by Solo\nBackup: part # by Backup"},
	{name: "deep", agent: "Lead", action: "delegate", tree: "Lead(Ann(Bob(Cid)))",
		result: "all of #:\nAnn: Ann got Bob heard part # by Cid"},
	{name: "want", agent: "Intern", action: "delegate", tree: "Intern(Ann)", result: "want #: Response from Ann: part # by Ann"},
	{name: "dare", agent: "Intern", action: "ask", tree: "Intern", result: "dare #: Error: Approval denied for contacting Ann. " + refused},
	{name: "talk", agent: "Lead", action: "delegate", tree: "Lead(@Ann @Bob)", result: "posted #"},
	{name: "query", agent: "Quiz", action: "delegate", tree: "Quiz", result: "asked #"},
	{name: "hold", agent: "Ann", action: "ask", tree: "Ann", result: "held #"},
	{name: "hold", agent: "Cid", action: "delegate", tree: "Cid", result: "held #"},
	{name: "fail", agent: "Lead", action: "delegate", tree: "Lead!", result: "no ink for #", fails: true},
	{name: "slow", agent: "Lead", action: "delegate", cancel: true},
}

// job is one contact that a client makes, possibly several times under one
// key.
type job struct {
	kind
	id string
}

func (j job) key() string  { return "key-" + j.id }
func (j job) text() string { return j.name + " #" + j.id }

// pickJob chooses any but the first kind, a notification.
func pickJob(random *rand.Rand, id string) job {
	return job{kind: kinds[1+random.IntN(len(kinds)-1)], id: id}
}

// checkResult says what is wrong with how the job ended, or "".
func (j job) checkResult(state, result, failure string) string {
	switch {
	case spent(failure):
		return "" // counted elsewhere
	case j.cancel && state == parley.Cancelled.String():
		return ""
	case j.cancel: // it may have ended before
		return ""
	case j.fails:
		if state != parley.TaskFailed.String() || failure != j.fill(j.result) {
			return fmt.Sprintf("is %s with the error %q; it should have failed with %q", state, failure, j.fill(j.result))
		}
		return ""
	case state != parley.Completed.String():
		return fmt.Sprintf("is %s: %s", state, failure)
	case !sameLines(result, j.fill(j.result)):
		return fmt.Sprintf("has the result\n%s\nand should have, in any order,\n%s", result, j.fill(j.result))
	}
	return ""
}

func (j job) fill(text string) string { return strings.ReplaceAll(text, "#", "#"+j.id) }

// sameLines compares texts whose lines may come in any order.
func sameLines(a, b string) bool {
	return slices.Equal(sortedLines(a), sortedLines(b))
}

func sortedLines(s string) []string {
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return lines
}

// spent reports whether a task failed because it was interrupted more often
// than the limit of rescues allows.
func spent(failure string) bool { return strings.Contains(failure, "limit of rescues") }
