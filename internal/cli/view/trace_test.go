package view_test

import (
	"testing"

	"parley/api"
	"parley/internal/cli/view"
)

func TestTrace(t *testing.T) {
	for name, screen := range screens() {
		t.Run(name, func(t *testing.T) {
			got := screen.Trace(arrows())
			golden(t, "trace-"+name, got)
			if screen.Width > 0 && !screen.Color {
				fits(t, screen, got)
			}
		})
	}
}

func arrows() []api.Arrow {
	arrow := func(seconds float64, from, to, kind, task, label string) api.Arrow {
		return api.Arrow{At: at(seconds), From: from, To: to, Kind: kind, Task: task, Label: label}
	}
	return []api.Arrow{
		arrow(0, "ada", "CoordinatorBot", "ask", "task-101", "Prepare the report on the third quarter"),
		arrow(0.2, "CoordinatorBot", "DataBot", "ask", "task-102", "What was the revenue?"),
		arrow(1.1, "DataBot", "CoordinatorBot", "reply", "task-102", "42 million."),
		arrow(1.5, "CoordinatorBot", "WriterBot", "delegate", "task-103", "Write a summary"),
		arrow(1.5, "CoordinatorBot", "ChartBot", "delegate", "task-104", "Draw the chart"),
		arrow(1.6, "CoordinatorBot", "CoordinatorBot", "waiting", "task-101", "2 open"),
		arrow(1.9, "ChartBot", "CoordinatorBot", "failed", "task-104", "Rate limit exceeded."),
		arrow(2.2, "CoordinatorBot", "データ係", "retry", "task-105", "Draw the chart"),
		arrow(2.9, "データ係", "CoordinatorBot", "result", "task-105", "▁▃▅▇ 四半期ごとの売上"),
		arrow(3, "CoordinatorBot", "DataBot", "notify", "", "The report is complete."),
		arrow(95, "CoordinatorBot", "ada", "reply", "task-101", "The report:\nRevenue was 42 million."),
	}
}

func TestTraceOfTwo(t *testing.T) {
	for _, name := range []string{"usual", "narrow"} {
		screen := screens()[name]
		got := screen.Trace(arrows()[:1])
		golden(t, "trace-two-"+name, got)
		fits(t, screen, got)
	}
}

func TestTraceOfNothing(t *testing.T) {
	if got := (view.Screen{Width: 80}).Trace(nil); got != "" {
		t.Errorf("got %q", got)
	}
}
