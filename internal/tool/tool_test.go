package tool_test

import (
	"encoding/json"
	"testing"

	"parley"
	"parley/internal/model"
	"parley/internal/tool"
)

func TestArgumentsThatDoNotFitGetAnErrorInTheWordsOfJSON(t *testing.T) {
	const hint = " Send one JSON object with the parameters that the tool describes."
	for _, c := range []struct{ args, want string }{
		{`{"name": "x", "count": 2}`, ""},
		{`{"name": "x", "unheard": 1}`, ""},
		{`{}`, ""},
		{``, ""},
		{`null`, ""},
		{`{"name": 7}`, "The arguments do not fit the tool: name cannot be a number."},
		{`{"name": true}`, "The arguments do not fit the tool: name cannot be a bool."},
		{`{"name": ["x"]}`, "The arguments do not fit the tool: name cannot be an array."},
		{`{"name": {"x": 1}}`, "The arguments do not fit the tool: name cannot be an object."},
		{`{"count": "two"}`, "The arguments do not fit the tool: count cannot be a string."},
		{`{"count": 2.5}`, "The arguments do not fit the tool: count cannot be a number."},
		{`["x"]`, "The arguments do not fit the tool: they cannot be an array."},
		{`"x"`, "The arguments do not fit the tool: they cannot be a string."},
		{`{"name": "x"`, "The arguments do not fit the tool: they are not JSON."},
		{`name=x`, "The arguments do not fit the tool: they are not JSON."},
	} {
		var into struct {
			Name  string `json:"name"`
			Count int    `json:"count"`
		}
		err := tool.Decode(json.RawMessage(c.args), &into)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.args, err)
		case c.want != "" && (err == nil || err.Error() != c.want+hint || parley.KindOf(err) != parley.Invalid):
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestAMadeUpToolIsAnsweredWithTheOnesThereAre(t *testing.T) {
	tools := []tool.Tool{{Tool: model.Tool{Name: "look"}}, {Tool: model.Tool{Name: "post"}}}
	if _, ok := tool.Find(tools, "post"); !ok {
		t.Error("post is not found")
	}
	if _, ok := tool.Find(tools, "Post"); ok {
		t.Error("Post is found")
	}
	if got := tool.ErrUnknown(tools, "fly").Error(); got != `There is no tool "fly". There are look, post.` {
		t.Error(got)
	}
}
