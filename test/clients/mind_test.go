//go:build clients

package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"parley/internal/model/wiretest"
)

// mind is the model of a client: it waits for messages, asks the Keeper, and completes
// its task with the answer. What it has done already it reads off the request, as a
// real model would.
type mind struct {
	testing.TB
	mu   sync.Mutex
	read bytes.Buffer // all that it was ever shown
}

var (
	toolName = regexp.MustCompile(`"name":\s*"([A-Za-z0-9_.-]*?)(wait_for_messages|contact_agent|task_complete)"`)
	taskID   = regexp.MustCompile(`Task: (task-\d+)`)
	// results marks the result of a tool in each format.
	results = regexp.MustCompile(`"type":\s*"(tool_result|function_call_output)"|"functionResponse"|"role":\s*"tool"`)
)

func (m *mind) answer(r wiretest.Request) wiretest.Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read.Write(r.Body)
	body := string(r.Body)
	names := offered(body)
	if len(names) < 3 {
		return wiretest.Reply{Text: "ok"} // a title, a summary: not the agent's turn
	}
	done := len(results.FindAllString(body, -1))
	call := func(tool, args string) wiretest.Reply {
		return wiretest.Reply{Calls: []wiretest.Call{{ID: fmt.Sprintf("call_%d", done), Name: names[tool], Args: args, Space: spaceOf(r.Body, tool)}}}
	}
	task := taskID.FindStringSubmatch(body)
	m.Logf("a request to %s: %d results, %d bytes", r.Path, done, len(body))
	switch {
	case done == 0:
		return call("wait_for_messages", `{"wait_seconds": 1}`)
	case task == nil:
		m.Errorf("there is no task in the request: %s", body)
		return wiretest.Reply{Text: "I see no task."}
	case done == 1:
		return call("contact_agent", `{"action": "ask", "agentId": "Keeper", "message": "What is the password of the day?"}`)
	case done == 2 && strings.Contains(body, "swordfish"):
		return call("task_complete", fmt.Sprintf(`{"task_id": %q, "result": "The password is swordfish."}`, task[1]))
	}
	return wiretest.Reply{Text: "Done."}
}

// offered are the tools that a request offers, by the names that the hub has for them.
func offered(body string) map[string]string {
	names := map[string]string{}
	for _, found := range toolName.FindAllStringSubmatch(body, -1) {
		names[found[2]] = found[1] + found[2]
	}
	return names
}

// spaceOf is the namespace in which a client offers a tool; empty if it is offered as
// it is.
func spaceOf(body []byte, tool string) string {
	var in struct {
		Tools []struct {
			Type, Name string
			Tools      []struct{ Name string }
		}
	}
	_ = json.Unmarshal(body, &in) // other formats have no namespaces
	for _, space := range in.Tools {
		for _, t := range space.Tools {
			if space.Type == "namespace" && t.Name == tool {
				return space.Name
			}
		}
	}
	return ""
}

func (m *mind) saw(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Contains(m.read.String(), text)
}
