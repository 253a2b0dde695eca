package app_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// maker makes up values that fit a JSON schema, mostly, out of what there is in a hub.
type maker struct {
	*rand.Rand
	schemas map[string]any // of the document, by name
	things  map[string][]string
}

// kinds say which things a field of a name is about.
var kinds = map[string]string{
	"task": "task", "task_id": "task", "tasks": "task", "message_id": "msg", "messages": "msg", "ids": "msg", "thread": "thread", "approval": "approval", "approval_id": "approval",
	"question_id": "query", "query_id": "query", "keeper": "keeper", "keeper_id": "keeper", "keepers": "keeper", "channel": "channel",
	"agent": "name", "agentId": "name", "for": "name", "of": "name", "with": "name", "from": "name", "to": "name", "target": "name", "members": "name", "member": "name", "between": "name", "name": "name",
}

// still are arguments that would make a request wait.
var still = map[string][]any{"wait": {"0s"}, "seconds": {0}, "wait_seconds": {0, 1}, "follow": {false}, "timeout": {"1s"}}

// value makes a value for a field.
func (m *maker) value(name string, schema map[string]any) any {
	if name == "wait" && typeOf(schema) == "number" {
		return 0
	}
	if fixed, ok := still[name]; ok {
		return fixed[m.IntN(len(fixed))]
	}
	if m.IntN(30) == 0 {
		return m.odd()
	}
	if ref, ok := schema["$ref"].(string); ok {
		schema, _ = m.schemas[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
	}
	if words, ok := schema["enum"].([]any); ok {
		return words[m.IntN(len(words))]
	}
	switch typeOf(schema) {
	case "object":
		return m.object(schema)
	case "array":
		items, _ := schema["items"].(map[string]any)
		list := make([]any, m.IntN(4))
		for i := range list {
			list[i] = m.value(name, items)
		}
		return list
	case "integer":
		return []any{0, 1, 2, 7, 100, -1, 1 << 40}[m.IntN(7)]
	case "number":
		return []any{0, 1, 0.5, 60, 1e12}[m.IntN(5)]
	case "boolean":
		return m.IntN(2) == 0
	}
	return m.text(name)
}

// typeOf is the type that a schema has, besides null.
func typeOf(schema map[string]any) string {
	switch is := schema["type"].(type) {
	case string:
		return is
	case []any:
		for _, one := range is {
			if one != "null" {
				return one.(string)
			}
		}
	}
	return ""
}

func (m *maker) object(schema map[string]any) map[string]any {
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	out := map[string]any{}
	for _, name := range sortedKeys(properties) {
		p, _ := properties[name].(map[string]any)
		if _, waits := still[name]; waits || m.IntN(3) == 0 || slices.Contains(required, any(name)) && m.IntN(20) > 0 {
			out[name] = m.value(name, p)
		}
	}
	return out
}

// text is a thing of the right kind, or any.
func (m *maker) text(name string) string {
	list := m.things[kinds[name]]
	if len(list) == 0 || m.IntN(8) == 0 {
		all := sortedKeys(m.things)
		list = m.things[all[m.IntN(len(all))]]
	}
	return list[m.IntN(len(list))]
}

// odd is what nobody expects.
func (m *maker) odd() any {
	return []any{nil, "", "\x00", "..", "%2e%2e/x", strings.Repeat("é", 300), -1, 1e300, true, []any{}, []any{[]any{nil}}, map[string]any{"": 1}, "task-", "msg-99999999999999999999", "@all #vault"}[m.IntN(15)]
}

// thingsOf are the ids and names of two teams. Ids count through both.
func thingsOf(spare ...string) map[string][]string {
	all := map[string][]string{
		"name": {"Ada", "Bea", "CoderBot", "DataBot", "SlowBot", "other", "main"}, "channel": {"vault", "#vault", "standup", "#standup"}, "token": spare,
		"word": {"Hello.", "zanzibar", "@Bea @CoderBot hello", "revenue", "10m", "2030-01-01T00:00:00Z", "mode", "contacts", "deny:*", "online", "sleeping", "AQEB"},
	}
	for kind, to := range map[string]int{"task": 116, "msg": 16, "approval": 3, "query": 3, "keeper": 3, "thread": 8, "session": 3} {
		from := 1
		if kind == "task" {
			from = 101
		}
		for n := from; n <= to; n++ {
			all[kind] = append(all[kind], fmt.Sprintf("%s-%d", kind, n))
		}
	}
	return all
}
