package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// atLeast is how many faults the lists have to hold.
const atLeast = 120

// A change to a line must move its fault along.
func TestEveryFaultCanBePlanted(t *testing.T) {
	root, faults := lists(t)
	if err := checkAll(root, faults); err != nil {
		t.Error(err)
	}
	if len(faults) < atLeast {
		t.Errorf("%d faults, want %d at least", len(faults), atLeast)
	}
}

// Every test that is named for a fault exists: renaming it there means renaming it
// here.
func TestEveryNamedTestIsThere(t *testing.T) {
	root, faults := lists(t)
	for _, f := range faults {
		for _, p := range f.places {
			files, err := filepath.Glob(filepath.Join(root, p.pkg, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			there := p.test == "" && len(files) > 0
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				there = there || strings.Contains(string(text), "\nfunc "+p.test+"(")
			}
			if !there {
				t.Errorf("%s.txt: there is no %s (%s)", f.list, p, f)
			}
		}
	}
}

// Six faults, different ones each day, so that all are tried again and again.
func TestTodaysFaultsAreFound(t *testing.T) {
	root, faults := lists(t)
	lookAtEverything(t, root)
	day := today(time.Now())
	if text := os.Getenv("PARLEY_DAY"); text != "" { // which also tells yesterday's result from today's
		var err error
		if day, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range ofDay(faults, day, aDay) {
		v := try(t.Context(), root, f, patience)
		o, why := f.judge(v)
		if o == survived || o == wrong {
			t.Errorf("%s.txt: %s: %s: %s; go run ./test/mutants -day %d tries it again", f.list, o, f, why, day)
		}
		t.Logf("%s %s: %s (%s)", o, f, why, v.took.Round(time.Second/10))
	}
}

// lookAtEverything tells go test that the result depends on every file.
func lookAtEverything(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
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
	f := fault{places: got, found: &place{"./b", "TestThree"}}
	if noted := f.noted(); noted != "./b TestThree; ./a TestOne; ./c TestTwo" {
		t.Errorf("noted %q", noted)
	}
}

// What the tool says of a fault, on a module of one function and one test.
func TestVerdicts(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module sum\n\ngo 1.26\n",
		"sum.go":         "package sum\n\nfunc Sum(a, b int) int {\n\tif a > 100 {\n\t\treturn 0\n\t}\n\treturn a + b\n}\n",
		"sum_test.go":    "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Error(Sum(1, 2))\n\t}\n}\n",
		"broken_test.go": "package sum\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestBroken(t *testing.T) {\n\tif os.Getenv(\"BROKEN\") != \"\" {\n\t\tt.Error(\"always\")\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(old, new, test string) *fault {
		return &fault{title: "x", file: "sum.go", old: old + "\n", new: new + "\n", places: []place{{".", test}}}
	}
	const brokenTest = "a test that fails by itself"
	excused := sum("\tif a > 100 {", "\tif a > 200 {", "TestSum")
	excused.harmless = "nobody sums so much"
	noticed := sum("\treturn a + b", "\treturn a - b", "TestSum")
	noticed.harmless = "it is not"
	for _, c := range []struct {
		name  string
		fault *fault
		want  outcome
		why   string
	}{
		{"found", sum("\treturn a + b", "\treturn a - b", "TestSum"), found, ". TestSum"},
		{"survived", sum("\tif a > 100 {", "\tif a > 200 {", "TestSum"), survived, "nobody noticed"},
		{"harmless", excused, harmless, "nobody sums so much"},
		{"harmless and found", noticed, wrong, "listed as harmless"},
		{brokenTest, sum("\tif a > 100 {", "\tif a > 200 {", "TestBroken"), wrong, "fails without the fault too"},
		{"a test that is gone", sum("\treturn a + b", "\treturn a - b", "TestGone"), wrong, "there is no . TestGone"},
		{"does not compile", sum("\treturn a + b", "\treturn a +", "TestSum"), wrong, "does not compile"},
		{"not there", sum("\treturn a * b", "\treturn a", "TestSum"), wrong, "0 times"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == brokenTest {
				t.Setenv("BROKEN", "yes")
			}
			v := try(context.Background(), root, c.fault, time.Minute)
			if got, why := c.fault.judge(v); got != c.want || !strings.Contains(why, c.why) {
				t.Errorf("%s: %s\n%s", got, why, v.output)
			}
		})
	}
	if before, _ := os.ReadFile(filepath.Join(root, "sum.go")); !strings.Contains(string(before), "a + b") {
		t.Error("the file was changed")
	}
}
