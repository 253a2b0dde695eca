package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley"
	"parley/internal/policy"
	"parley/internal/tool"
)

// sample has an argument of every kind.
type sample struct {
	Name  string          `json:"name" alias:"called,label" required:"true" doc:"Its name."`
	Count int             `json:"count" doc:"How many."`
	Most  *int            `json:"most_of_them" doc:"At most how many."`
	Share float64         `json:"share" doc:"How much."`
	Loud  bool            `json:"loud" enum:"true" doc:"Whether it can be heard."`
	Words []string        `json:"words" doc:"What it says."`
	Rest  json.RawMessage `json:"rest" type:"object" doc:"Anything else."`
}

// read is what a tool with these arguments makes of a call: what the rules are
// asked about, and what is run.
func read(t *testing.T, args string) (asked, run sample, err error) {
	t.Helper()
	p := tool.New(tool.Spec[sample]{
		Name:     "sample",
		Defaults: sample{Count: 20, Words: []string{"as", "ever"}},
		Ignores:  []string{"team_id"},
		Action:   func(a sample) string { asked = a; return policy.Action(policy.FileRead, a.Name) },
		Run: func(_ context.Context, _ tool.Call, a sample) (tool.Result, error) {
			run = a
			return tool.Result{}, nil
		},
	}).Prepare(json.RawMessage(args))
	_, err = p.Run(t.Context(), tool.Call{})
	if p.Err != err || p.Action != "tool:file_read:"+asked.Name {
		t.Errorf("%s: prepared as %+v, and then %v", args, p, err)
	}
	return asked, run, err
}

func TestArgumentsAreReadOnceForTheRulesAndForTheRun(t *testing.T) {
	seven := 7
	words := []string{"as", "ever"}
	for args, want := range map[string]sample{
		``:                               {Count: 20, Words: words},
		`null`:                           {Count: 20, Words: words},
		` {} `:                           {Count: 20, Words: words},
		`{"name": "x", "count": 2}`:      {Name: "x", Count: 2, Words: words},
		`{"count": 0, "most_of_them":7}`: {Most: &seven, Words: words},
		`{"count": null, "name": null, "words": null, "rest": null}`: {Count: 20, Words: words},
		`{"words": ["a"], "loud": true, "share": 0.5}`:               {Count: 20, Words: []string{"a"}, Loud: true, Share: 0.5},
		`{"words": []}`:                          {Count: 20, Words: []string{}},
		`{"rest": {"a": [1, {"a": 1, "a": 2}]}}`: {Count: 20, Words: words, Rest: json.RawMessage(`{"a": [1, {"a": 1, "a": 2}]}`)},
		`{"called": "x"}`:                        {Name: "x", Count: 20, Words: words},
		`{"label": "x", "name": "x"}`:            {Name: "x", Count: 20, Words: words},
		`{"name": "x", "name": "x"}`:             {Name: "x", Count: 20, Words: words},
		`{"called": null, "name": null}`:         {Count: 20, Words: words},
		`{"na\u006de": "\u0078"}`:                {Name: "x", Count: 20, Words: words},
		`{"team_id": 1, "team_id": 2}`:           {Count: 20, Words: words},
	} {
		asked, run, err := read(t, args)
		if err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if diff := cmp.Diff(want, run); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
		if diff := cmp.Diff(asked, run); diff != "" {
			t.Errorf("%s (-asked +run):\n%s", args, diff)
		}
	}
}

func TestArgumentsThatDoNotFitGetAnErrorThatAModelCanActOn(t *testing.T) {
	const misfit, object = "The arguments do not fit the tool: ", " Send one JSON object with the parameters that the tool describes."
	for args, want := range map[string]string{
		`{"name": 7}`:                       misfit + "name cannot be a number. Send a string.",
		`{"name": true}`:                    misfit + "name cannot be a bool. Send a string.",
		`{"name": ["x"]}`:                   misfit + "name cannot be an array. Send a string.",
		`{"name": {"x": 1}}`:                misfit + "name cannot be an object. Send a string.",
		`{"label": 7}`:                      misfit + "label cannot be a number. Send a string.",
		`{"count": "two"}`:                  misfit + "count cannot be a string. Send a whole number.",
		`{"count": "2"}`:                    misfit + "count cannot be a string. Send a whole number.",
		`{"count": 2.5}`:                    misfit + "count cannot be a number. Send a whole number.",
		`{"count": 1e2}`:                    misfit + "count cannot be a number. Send a whole number.",
		`{"count": 1` + zeros + `}`:         misfit + "count is too large a number. Send a smaller one.",
		`{"most_of_them": -1` + zeros + `}`: misfit + "most_of_them is too large a number. Send a smaller one.",
		`{"share": 1e999}`:                  misfit + "share is too large a number. Send a smaller one.",
		`{"share": "0.5"}`:                  misfit + "share cannot be a string. Send a number.",
		`{"loud": "yes"}`:                   misfit + "loud cannot be a string. Send true or false.",
		`{"loud": 1}`:                       misfit + "loud cannot be a number. Send true or false.",
		`{"words": "a"}`:                    misfit + "words cannot be a string. Send a list of strings.",
		`{"words": ["a", 1]}`:               misfit + "words cannot be a number. Send a list of strings.",
		`{"words": [["a"]]}`:                misfit + "words cannot be an array. Send a list of strings.",
		`["x"]`:                             misfit + "they cannot be an array." + object,
		`"x"`:                               misfit + "they cannot be a string." + object,
		`true`:                              misfit + "they cannot be a bool." + object,
		`1e999`:                             misfit + "they cannot be a number." + object,
		`{"name": "x"`:                      misfit + "they are not JSON." + object,
		`{"name": "x"} {}`:                  misfit + "they are not JSON." + object,
		`{"name": "x"}]`:                    misfit + "they are not JSON." + object,
		`name=x`:                            misfit + "they are not JSON." + object,
		`{"rest": ` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`: misfit + "they are not JSON." + object,

		`{"naem": "x"}`:                              `Unknown argument "naem". Did you mean name?`,
		`{"Name": "x"}`:                              `Unknown argument "Name". Did you mean name?`,
		`{"name": "x", "NAME": "y"}`:                 `Unknown argument "NAME". Did you mean name?`,
		`{"call": "x"}`:                              `Unknown argument "call". Did you mean name?`,
		`{"mostOfThem": 1}`:                          `Unknown argument "mostOfThem". Did you mean most_of_them?`,
		`{"wors": []}`:                               `Unknown argument "wors". Did you mean words?`,
		`{"": 1}`:                                    `Unknown argument "". There are name, count, most_of_them, share, loud, words, rest.`,
		`{"unheard_of": null}`:                       `Unknown argument "unheard_of". There are name, count, most_of_them, share, loud, words, rest.`,
		`{"name": 7, "unheard_of": 1}`:               misfit + "name cannot be a number. Send a string.",
		`{"unheard_of": 1, "name": 7}`:               `Unknown argument "unheard_of". There are name, count, most_of_them, share, loud, words, rest.`,
		`{"x` + strings.Repeat("x", 1<<20) + `": 1}`: `Unknown argument "` + strings.Repeat("x", 63) + `…". There are name, count, most_of_them, share, loud, words, rest.`,

		`{"name": "x", "name": "y"}`:    "The argument name is given twice, with different values. Give it once.",
		`{"name": "x", "called": "y"}`:  "name and called are the same argument, with different values. Give it once.",
		`{"label": "x", "called": "y"}`: "label and called are the same argument, with different values. Give it once.",
		`{"count": 1, "count": null}`:   "The argument count is given twice, with different values. Give it once.",
		`{"name": null, "called": "x"}`: "name and called are the same argument, with different values. Give it once.",
		`{"count": 1, "count": 1.0}`:    "The argument count is given twice, with different values. Give it once.",
		`{"count": 1, "count": "1"}`:    "The argument count is given twice, with different values. Give it once.",
	} {
		asked, run, err := read(t, args)
		if err == nil || err.Error() != want || parley.KindOf(err) != parley.Invalid {
			t.Errorf("%s:\n%v\nwant\n%s", parley.Clip(args, 100), err, want)
		}
		if none := (sample{Count: 20, Words: []string{"as", "ever"}}); !cmp.Equal(asked, none) || !cmp.Equal(run, sample{}) {
			t.Errorf("%s: the rules were asked about %+v, and it ran with %+v", parley.Clip(args, 100), asked, run)
		}
	}
}

const zeros = "0000000000000000000000"

// Defaults are the same for every call, whatever was given to one before.
func TestACallLeavesTheDefaultsAsTheyAre(t *testing.T) {
	defaults := sample{Words: make([]string, 1, 8), Most: new(int)}
	var got sample
	tl := tool.New(tool.Spec[sample]{Name: "sample", Defaults: defaults,
		Run: func(_ context.Context, _ tool.Call, a sample) (tool.Result, error) {
			got = a
			return tool.Result{}, nil
		}})
	for _, args := range []string{`{"words": ["a"], "most_of_them": 7}`, `{}`} {
		if _, err := tl.Prepare(json.RawMessage(args)).Run(t.Context(), tool.Call{}); err != nil {
			t.Error(err)
		}
	}
	if want := (sample{Words: []string{""}, Most: new(int)}); !cmp.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestSchemaOfEveryKind(t *testing.T) {
	tl := tool.New(tool.Spec[sample]{Name: "sample"})
	want := `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"Its name."},` +
		`"count":{"type":"integer","description":"How many."},` +
		`"most_of_them":{"type":"integer","description":"At most how many."},` +
		`"share":{"type":"number","description":"How much."},` +
		`"loud":{"type":"boolean","enum":["true"],"description":"Whether it can be heard."},` +
		`"words":{"type":"array","items":{"type":"string"},"description":"What it says."},` +
		`"rest":{"type":"object","description":"Anything else."}},"required":["name"]}`
	if got := string(tl.Schema); got != want {
		t.Error(got)
	}
}

// A tool of another's gets its arguments as they were written.
func TestOutsideToolsReadTheirArgumentsThemselves(t *testing.T) {
	var got json.RawMessage
	tl := tool.Outside(json.RawMessage(`{"type":"object"}`), tool.Spec[json.RawMessage]{Name: "far",
		Run: func(_ context.Context, _ tool.Call, args json.RawMessage) (tool.Result, error) {
			got = args
			return tool.Result{}, nil
		}})
	for args, want := range map[string]string{
		``: `{}`, `null`: `{}`, `{"a": 12345678901234567890, "a": 2}`: `{"a": 12345678901234567890, "a": 2}`,
	} {
		if _, err := tl.Prepare(json.RawMessage(args)).Run(t.Context(), tool.Call{}); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", args, got, err)
		}
	}
	got = nil
	if _, err := tl.Prepare(json.RawMessage(`[1]`)).Run(t.Context(), tool.Call{}); parley.KindOf(err) != parley.Invalid || got != nil {
		t.Errorf("%v, %s", err, got)
	}
	if action, _ := tl.ActionOf(nil); action != "tool:other:far" {
		t.Error(action)
	}
}

// Whatever a model writes, what the rules are asked about is what is run; what is
// stored and read again gives the same; and what is accepted is what encoding/json
// makes of it, so that whoever looks at the record sees the same call.
func TestWhatIsAcceptedMeansTheSameToEverybody(t *testing.T) {
	names := rapid.SampledFrom([]string{`name`, `na\u006de`, `called`, `label`, `count`, `most_of_them`, `share`, `loud`, `words`, `rest`, `team_id`, `Name`, `x`})
	values := rapid.SampledFrom([]string{`null`, `"x"`, `"y"`, `"\u0078"`, `"\ud800"`, "\"\xff\"", `"<&>"`, `""`, `1`, `1.0`, `-0`, `2`, `2.5`, `1e400`,
		`true`, `false`, `"a\"}"`, `"\\"`, `"\\\"],"`, `{"a" : [ {} , "}" ] , "b" : -1.5e+3 }`, `[]`, `["a", null]`, `["a",1]`, `{}`, `{"a": 1, "a": 2}`, `[[`, ``})
	gaps := rapid.SampledFrom([]string{"", " ", "\r\n\t"})
	rapid.Check(t, func(r *rapid.T) {
		members := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) string {
			gap := gaps.Draw(r, "gap")
			return gap + `"` + names.Draw(r, "name") + `"` + gap + ":" + gaps.Draw(r, "gap") + values.Draw(r, "value") + gap
		}), 0, 4).Draw(r, "members")
		args := "{" + strings.Join(members, ",") + "}"
		asked, run, err := read(t, args)
		stored, _, errStored := read(t, parley.CanonicalArgs(json.RawMessage(args)))
		if fmt.Sprint(err) != fmt.Sprint(errStored) {
			r.Fatalf("%v, and stored %v", err, errStored)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(asked, run); diff != "" {
			r.Errorf("(-asked +run):\n%s", diff)
		}
		canonical := cmp.Transformer("canonical", func(m json.RawMessage) string { return parley.CanonicalArgs(m) })
		if diff := cmp.Diff(run, stored, canonical); diff != "" {
			r.Errorf("(-run +stored):\n%s", diff)
		}
		plain := struct {
			sample
			Called, Label string
		}{sample: sample{Count: 20}}
		if err := json.Unmarshal([]byte(args), &plain); err != nil {
			r.Fatalf("accepted, and yet %v", err)
		}
		for _, name := range []string{plain.Called, plain.Label} {
			if plain.Name == "" {
				plain.Name = name
			}
		}
		if plain.Words == nil { // left out, or null
			plain.Words = run.Words
		}
		if string(plain.Rest) == "null" {
			plain.Rest = run.Rest
		}
		if diff := cmp.Diff(run, plain.sample); diff != "" {
			r.Errorf("(-run +others):\n%s", diff)
		}
	})
}
