package view_test

import (
	"fmt"
	"testing"

	"parley/api"
)

func TestTree(t *testing.T) {
	for name, screen := range screens() {
		t.Run(name, func(t *testing.T) {
			got := screen.Tree(report())
			golden(t, "tree-"+name, got)
			if screen.Width > 0 && !screen.Color {
				fits(t, screen, got)
			}
		})
	}
}

// report is a tree with a task in each state.
func report() []api.TaskTree {
	failed := task("task-104", "CoordinatorBot", "ChartBot", "delegate", "Draw the chart of the third quarter", "failed", 1.5, 1.9)
	failed.Error = "Rate limit exceeded."
	retried := task("task-106", "CoordinatorBot", "BackupBot", "delegate", "Draw the chart of the third quarter", "running", 2.2, 0)
	retried.RetryOf = "task-104"
	asleep := task("task-107", "CoordinatorBot", "NightBot", "delegate", "Archive everything", "queued", 3, 0)
	due := at(3600)
	asleep.Due = &due
	cancelled := task("task-108", "CoordinatorBot", "LegalBot", "delegate", "Check the wording,\nline by line", "cancelled", 3, 4)
	cancelled.Error = "cancelled by ada."
	return []api.TaskTree{
		tree(task("task-101", "ada", "CoordinatorBot", "ask", "Prepare the report on the third quarter, with figures, a summary and a chart", "waiting", 0, 0),
			tree(task("task-102", "CoordinatorBot", "DataBot", "ask", "What was the revenue?", "completed", 0.2, 1.1)),
			tree(task("task-103", "CoordinatorBot", "AnalystBot", "delegate", "Explain the difference", "waiting", 1.5, 0),
				tree(task("task-105", "AnalystBot", "DataBot", "ask", "What was the revenue the year before?", "completed", 1.8, 2.0))),
			tree(failed), tree(retried), tree(asleep), tree(cancelled),
		),
		tree(task("task-120", "Grüße 世界", "データ係", "delegate", "売上を教えてください。前の四半期と比べて、どうでしたか。詳しくお願いします。", "completed", 0, 42)),
	}
}

func TestDeepTree(t *testing.T) {
	var deep api.TaskTree
	for i := 33; i >= 1; i-- {
		next := task(fmt.Sprintf("task-%d", 100+i), fmt.Sprintf("Agent %d", i-1), fmt.Sprintf("Agent %d", i), "delegate", "Pass it on", "waiting", 0, 0)
		if i < 33 {
			deep = tree(next, deep)
		} else {
			next.State, next.Error = "failed", "Nobody is left."
			deep = tree(next)
		}
	}
	for _, name := range []string{"usual", "narrow"} {
		screen := screens()[name]
		got := screen.Tree([]api.TaskTree{deep})
		golden(t, "tree-deep-"+name, got)
		fits(t, screen, got)
	}
}
