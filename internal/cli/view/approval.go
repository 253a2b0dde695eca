package view

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/internal/api"
)

// Approvals is a table of approvals, pending or decided.
func (s Screen) Approvals(list []api.Approval) string {
	t := table{elastic: 2, least: 24, rows: [][]cell{heads("APPROVAL", "AGENT", "WANTS", "WHY", "SINCE", "EXPIRES")}}
	for _, a := range list {
		t.rows = append(t.rows, []cell{
			{text: a.ID, color: Bold},
			{text: a.Agent},
			{text: Line(a.Wants)},
			{text: Line(a.Rule), color: Dim},
			{text: s.Clock(a.Created)},
			s.expires(a),
		})
	}
	return t.text(s)
}

// Deciding shows the approvals that the reader may decide, each with the commands
// for it.
func (s Screen) Deciding(list []api.Approval, decide func(id string) []string) string {
	palette := &Palette{}
	var parts []string
	for _, a := range list {
		aside := "  wants approval" + s.Dot() + a.ID + s.Dot() + "expires " + s.Clock(a.Expires)
		text := s.Paint(palette.Of(a.Agent), a.Agent) + s.Paint(Dim, aside) + "\n" + s.Indent(Line(a.Wants), "  ")
		for _, command := range decide(a.ID) {
			text += s.Paint(Bold, "  "+s.Arrow()+" "+command) + "\n"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

// expires says when an approval expires, or what was decided.
func (s Screen) expires(a api.Approval) cell {
	if a.State != "pending" {
		return cell{text: s.decision(a), color: approvalColor(a.State)}
	}
	return cell{text: s.Clock(a.Expires), color: Yellow}
}

// decision says what was decided, when, by whom and why.
func (s Screen) decision(a api.Approval) string {
	text := a.State
	if a.Decided != nil {
		text += " " + s.Clock(*a.Decided)
	}
	if a.DecidedBy != "" {
		text += " by " + a.DecidedBy
	}
	if a.Reason != "" {
		text += ": " + Line(a.Reason)
	}
	return text
}

func approvalColor(state string) Color {
	switch state {
	case "approved":
		return Green
	case "pending":
		return Yellow
	default:
		return Red
	}
}

// Approval shows everything about an approval.
func (s Screen) Approval(a api.Approval) string {
	f := facts{elastic: 1, least: 10}
	f.add("agent", a.Agent)
	f.add("contacts", a.Target)
	f.add("task", a.Task)
	f.add("rule", Line(a.Rule))
	if a.People {
		f.add("decided by", "people only")
	}
	f.add("since", s.When(a.Created))
	if a.Decided == nil {
		f.add("expires", s.When(a.Expires))
	} else {
		decided := s.When(*a.Decided)
		if a.DecidedBy != "" {
			decided += ", by " + a.DecidedBy
		}
		f.add("decided", decided)
	}
	f.add("tool", Line(a.Tool))
	f.add("came of it", a.Made)
	return s.Paint(Bold, a.ID) + " " + s.Paint(approvalColor(a.State), a.State) + "\n" + table(f).text(s) +
		s.section("Why", a.Why) + s.section("Arguments", indented(a.Arguments)) + s.section("Reason", a.Reason) + s.section("Not made", a.Failure)
}

func indented(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, args, "", "  ") != nil {
		return string(args)
	}
	return b.String()
}
