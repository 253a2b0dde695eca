package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/api"
)

// Approvals is a table of approvals, pending or decided. Below it stands what it
// leaves out of them, with the command that shows the whole.
func (s Screen) Approvals(list []api.Approval, show func(id string) string) string {
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
	room, more := t.widths(s)[t.elastic], ""
	for _, a := range list {
		line := Line(a.Wants)
		if left := a.Left + utf8.RuneCountInString(line) - utf8.RuneCountInString(strings.TrimSuffix(s.fit(line, room), s.Ellipsis())); left > 0 {
			more += s.leftOut(a, left, show)
		}
	}
	return t.text(s) + more
}

// leftOut says how much of an approval is not shown, and how to see it.
func (s Screen) leftOut(a api.Approval, left int, show func(id string) string) string {
	return s.Paint(Yellow, fmt.Sprintf("Not shown of %s: %d characters. See them with: %s", a.ID, left, show(a.ID))) + "\n"
}

// Deciding shows the approvals that the reader may decide, each with the commands
// for it, and with how to see what is left out of it here.
func (s Screen) Deciding(list []api.Approval, decide func(id string) []string, show func(id string) string) string {
	palette := &Palette{}
	var parts []string
	for _, a := range list {
		aside := "  wants approval" + s.Dot() + a.ID + s.Dot() + "expires " + s.Clock(a.Expires)
		text := s.Paint(palette.Of(a.Agent), a.Agent) + s.Paint(Dim, aside) + "\n" + s.Indent(Line(a.Wants), "  ")
		if a.Left > 0 {
			text += "  " + s.leftOut(a, a.Left, show)
		}
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
		s.section("Why", a.Why) + s.verbatim("Arguments", indented(a.Arguments)) + s.section("Reason", a.Reason) + s.section("Not made", a.Failure)
}

// verbatim is a section whose text is broken to fit, and otherwise stays as it is,
// with every space.
func (s Screen) verbatim(name, text string) string {
	var b strings.Builder
	b.WriteString("\n" + s.Paint(Bold, name) + "\n")
	for line := range strings.SplitSeq(text, "\n") {
		for head := ""; ; {
			head, line = line, ""
			if s.Width > 0 {
				head, line = cut(head, max(20, s.Width-2))
			}
			b.WriteString("  " + head + "\n")
			if line == "" {
				break
			}
		}
	}
	return b.String()
}

// indented shows the arguments of a call. What has no shape is shown as an escape.
func indented(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(parley.ReadableArgs(string(args))), "", "  ") != nil {
		return parley.ReadableArgs(string(args))
	}
	return b.String()
}

// Covers says what a rule allows beyond the call that it is offered for.
func Covers(rule *api.AlwaysRule) string {
	if rule.Covers == "" {
		return ""
	}
	return ", " + Line(rule.Covers)
}
