package tool_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"parley"
)

// Whatever a model or a program sends to whichever tool, it is refused as invalid or is a
// call with one action. What is not JSON is never a call.
func FuzzPrepare(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `"x"`, `{"a":`, `{"task_id": "task-1", "result": "Done."}`, `{"messages": ["msg-1", 2], "cursor": null}`,
		`{"action": "ask", "agentId": "DataBot", "message": "Hi.", "budget": {"tokens": 1e99}}`, `{"query": "\ud800", "limit": -1}`,
		`{"wait_seconds": 99999999999999999999}`, `{"path": "../../etc/passwd", "offset": 1.5}`, `{"command": ["ls", "\u0000"]}`,
		`{"message": "a", "m\u0065ssage": "b"}`, "{\"text\": \"\xff\"}", ` { "id" : { "id" : [ { } ] } } `, `{"": ""}`, `{"\\": "}"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		valid := json.Valid(args)
		for where, tl := range all {
			p := tl.Prepare(args)
			if p.Err != nil && parley.KindOf(p.Err) != parley.Invalid {
				t.Fatalf("%s: %v", where, p.Err)
			}
			if p.Err == nil && !valid && len(bytes.TrimSpace(args)) > 0 {
				t.Fatalf("%s took %q", where, args)
			}
			action, asked := tl.ActionOf(args)
			if action != p.Action || asked != (action != "") {
				t.Fatalf("%s is %q and %q", where, p.Action, action)
			}
			tl.Reads(args)
		}
	})
}
