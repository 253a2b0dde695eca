package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// atLeast is how many faults the lists have to hold.
const atLeast = 120

// Somebody who changes a line moves its fault along.
func TestEveryFaultCanBePlanted(t *testing.T) {
	root, faults := lists(t)
	if err := checkAll(root, faults); err != nil {
		t.Error(err)
	}
	if len(faults) < atLeast {
		t.Errorf("%d faults, want %d at least", len(faults), atLeast)
	}
}

// Ten faults, others on every day, so that all are tried again and again.
func TestTodaysFaultsAreFound(t *testing.T) {
	root, faults := lists(t)
	day := today(time.Now())
	for _, f := range ofDay(faults, day, aDay) {
		v := try(t.Context(), root, f)
		switch {
		case v.err != nil:
			t.Errorf("%s: %v", f, v.err)
		case v.found == "" && f.harmless == "":
			t.Errorf("nobody noticed this fault of %s.txt; go run ./test/mutants -day %d tries it again: %s", f.list, day, f)
		default:
			t.Logf("%s: %s%s (%s)", f, v.found, f.harmless, v.took.Round(time.Second/10))
		}
	}
}

func lists(t *testing.T) (root string, faults []*fault) {
	t.Helper()
	root, err := findRoot()
	if err == nil {
		faults, err = readLists(filepath.Join(root, "test", "mutants"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return root, faults
}

func TestOfDayComesToEveryFault(t *testing.T) {
	faults := make([]*fault, 23)
	for i := range faults {
		faults[i] = &fault{}
	}
	seen := map[*fault]int{}
	for day := range 23 {
		chosen := ofDay(faults, day, 10)
		if len(chosen) != 10 {
			t.Errorf("%d on day %d", len(chosen), day)
		}
		for _, f := range chosen {
			seen[f]++
		}
	}
	for i, f := range faults {
		if seen[f] != 10 {
			t.Errorf("fault %d was tried %d times in 23 days", i, seen[f])
		}
	}
}

func TestAListThatCannotBeReadIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"it needs a title":      "a title\nfile.go\nfound by ./x",
		"changes nothing":       "a title\nfile.go\n-a\n+a\nfound by ./x",
		"no line says what":     "a title\nfile.go\n-a\n+b",
		"what is \"elsewhere\"": "a title\nfile.go\n-a\n+b\nelsewhere\nfound by ./x",
	} {
		if _, err := parseList("x", text); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPlacesNamePackagesAndTests(t *testing.T) {
	got := parsePlaces("./a TestOne; ./b; ./c TestTwo")
	want := []place{{"./a", "TestOne"}, {"./b", ""}, {"./c", "TestTwo"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%v", got)
	}
	f := fault{places: got, found: "./b TestThree"}
	if noted := f.noted(); noted != "./b TestThree; ./a; ./c" {
		t.Errorf("noted %q", noted)
	}
}

// What the tool says of a fault, on a module of one function and one test.
func TestVerdicts(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module sum\n\ngo 1.26\n",
		"sum.go": "package sum\n\nfunc Sum(a, b int) int {\n\tif a > 100 {\n\t\treturn 0\n\t}\n\treturn a + b\n}\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Error(Sum(1, 2))\n\t}\n}\n" +
			"\nfunc TestBroken(t *testing.T) {\n\tif Sum(1, 1) == 2 {\n\t\tt.Error(\"always\")\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(old, new, test string) *fault {
		return &fault{title: "x", file: "sum.go", old: old + "\n", new: new + "\n", places: []place{{".", test}}}
	}
	for _, c := range []struct {
		name  string
		fault *fault
		found string
		err   string
	}{
		{"found", sum("\treturn a + b", "\treturn a - b", "TestSum"), ". TestSum", ""},
		{"a test that fails by itself", sum("\tif a > 100 {", "\tif a > 200 {", "TestBroken"), "", "fails without the fault too"},
		{"does not compile", sum("\treturn a + b", "\treturn a +", "TestSum"), "", "does not compile"},
		{"not there", sum("\treturn a * b", "\treturn a", "TestSum"), "", "0 times"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := try(context.Background(), root, c.fault)
			if c.err != "" {
				if v.err == nil || !strings.Contains(v.err.Error(), c.err) {
					t.Errorf("%v, want %s", v.err, c.err)
				}
				return
			}
			if v.err != nil || v.found != c.found {
				t.Errorf("%q, %v\n%s", v.found, v.err, v.output)
			}
		})
	}
	if before, _ := os.ReadFile(filepath.Join(root, "sum.go")); !strings.Contains(string(before), "a + b") {
		t.Error("the file was changed")
	}
}
