package view

import (
	"strings"

	"parley/api"
)

// Explanation shows a decision: the verdict and its rule, then every rule that was
// looked at.
func (s Screen) Explanation(e api.Explanation) string {
	what := e.From + ": " + e.Action
	text := s.Paint(verdictColor(e.Verdict), verdict(e.Verdict)) + s.Dot() + Line(what) + "\n" +
		s.Text(e.Reason) + "Rule: " + Line(e.Rule) + "\n\n"
	t := table{elastic: 2, least: 24, rows: [][]cell{heads("  RULE", "SAYS", "WHY")}}
	for _, step := range e.Path {
		t.rows = append(t.rows, s.ruleStep(step))
	}
	return text + t.text(s)
}

func (s Screen) ruleStep(step api.RuleStep) []cell {
	name := cell{text: Line(step.Rule), sign: "  "}
	if step.Decides {
		name.sign, name.color = s.glyph("▸ ", "> "), Bold
	}
	says := cell{text: "-", color: Dim}
	if step.Verdict != "" {
		says = cell{text: verdict(step.Verdict), color: verdictColor(step.Verdict)}
	}
	return []cell{name, says, {text: Line(step.Why), color: Dim}}
}

func verdict(v string) string { return strings.ReplaceAll(v, "_", " ") }

func verdictColor(v string) Color {
	switch v {
	case "allowed":
		return Green
	case "denied":
		return Red
	default:
		return Yellow
	}
}
