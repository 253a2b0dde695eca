package page

import (
	"testing"

	"parley"
	"parley/internal/reading"
	"parley/internal/search"
)

func TestMoneyAtAGlance(t *testing.T) {
	for m, want := range map[parley.Money]string{
		0: "$0.00", 1: "<$0.001", 999: "<$0.001", 7_100: "$0.007", 43_800: "$0.044", 50_000: "$0.05", 157_020: "$0.157", 2_500_000: "$2.50", 12_345_678: "$12.35",
	} {
		if got := money(m); got != want {
			t.Errorf("money(%d) = %q, want %q", m, got, want)
		}
	}
}

// What is said in a few words is never less than the name of what is touched.
func TestWants(t *testing.T) {
	for _, test := range []struct{ tool, args, want string }{
		{"write_file", `{"path":"public/Q3.md","content":"# Q3"}`, "write public/Q3.md"},
		{"replace_block", `{"path":"a.go","old":"x","new":"y"}`, "change a.go"},
		{"shell", `{"command":"make test"}`, "run make test"},
		{"write_file", `{"path":"a","path":"b"}`, "all of it"},
		{"write_file", `{"content":"# Q3"}`, "all of it"},
		{"send_mail", `{"path":"a"}`, "all of it"},
	} {
		a := reading.Approval{Wants: "all of it"}
		a.Tool, a.Args = test.tool, test.args
		if got := wants(a); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.tool, test.args, got, test.want)
		}
	}
}

// Where it was found, a kept message has no header either; white space is not what it was.
func TestNoHeaderWhereItWasFound(t *testing.T) {
	m := parley.KeptMessage{Message: 7, Text: "[Agent Request from A | Pattern: ask]\n\nHow many\ncustomers?"}
	said := []search.Part{{Text: "[Agent Request from A | Pattern: ask] How many "}, {Text: "customers", Found: true}, {Text: "?"}}
	if got := partsWithoutHeader(m, said); got[0].Text != "How many " || len(got) != 3 {
		t.Errorf("%v", got)
	}
	later := []search.Part{{Text: "… many "}, {Text: "customers", Found: true}}
	if got := partsWithoutHeader(m, later); got[0].Text != "… many " {
		t.Errorf("%v", got)
	}
}
