package httpapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A request that has the documented form is never told that it has not: what is wrong
// with it is wrong with the moment, or with two of its parts together, and the document
// names the status.
func TestWhatTheDocumentAllowsIsNotCalledMalformed(t *testing.T) {
	w := newWorld(t)
	w.do("Ada", "POST", "/v1/channels", `{"name": "room", "members": ["WriterBot"]}`)
	w.do("Ada", "POST", "/v1/contacts", `{"action": "delegate", "agent": "Bob", "message": "x", "budget": {"tokens": 5}}`) // task-101
	w.do("Ada", "POST", "/v1/contacts", `{"action": "delegate", "agent": "Ada", "message": "x"}`)
	w.do("Ada", "POST", "/v1/questions", `{"target": "Bob", "question": "x"}`) // query-1
	const contacts, huge = "/v1/contacts", "9000000000000000000"
	for name, c := range map[string]struct {
		as, method, path, body string
		want                   int
	}{
		"a notification with a budget":   {"Ada", "POST", contacts, `{"action": "notify", "agent": "DataBot", "message": "x", "budget": {"tokens": 5}}`, 409},
		"a subtask with a budget":        {"Bob", "POST", contacts, `{"action": "delegate", "agent": "DataBot", "message": "x", "task_id": "task-101", "budget": {"tokens": 5}}`, 409},
		"a key of the hub":               {"Ada", "POST", contacts, `{"action": "notify", "agent": "DataBot", "message": "x", "key": "approval-7"}`, 409},
		"a whole number with exponent":   {"Ada", "POST", contacts, `{"action": "delegate", "agent": "DataBot", "message": "1e1.0", "budget": {"tokens": 1.5E3, "tasks": 20e-1}}`, 200},
		"a cursor of nothing":            {"Ada", "POST", "/v1/inbox/ack", `{"cursor": "oyM6-"}`, 409},
		"a cursor of nothing, waiting":   {"Ada", "GET", "/v1/inbox/wait?wait=0s&cursor=oyM6-", "", 409},
		"a person with a space":          {"Ada", "POST", "/v1/people", `{"name": "Grace H."}`, 200},
		"a sleep without end":            {"Ada", "PUT", "/v1/agents/DataBot/status", `{"status": "sleep"}`, 409},
		"nothing to search for":          {"Ada", "GET", "/v1/search?q=%3F", "", 409},
		"a target of a tool":             {"Ada", "GET", "/v1/explain?action=tool:files:read&to=DataBot", "", 409},
		"another target":                 {"Ada", "GET", "/v1/explain?action=tool:agent_comm:send%20DataBot&to=WriterBot", "", 409},
		"a mention of a stranger":        {"Ada", "POST", "/v1/posts", `{"channel": "room", "message": "@DataBot hello"}`, 409},
		"one's own dm":                   {"Ada", "POST", "/v1/posts", `{"between": ["Ada", "DataBot"], "message": "x"}`, 409},
		"a question to its asker":        {"Bob", "POST", "/v1/questions/query-1/forward", `{"target": "Ada", "enrichment": "x"}`, 409},
		"a question to oneself":          {"Bob", "POST", "/v1/questions/query-1/forward", `{"target": "Bob", "enrichment": "x"}`, 409},
		"more of what is not bounded":    {"Ada", "POST", "/v1/tasks/task-101/budget", `{"add": {"tasks": 5}}`, 409},
		"more than a budget may be":      {"Ada", "POST", "/v1/tasks/task-101/budget", `{"add": {"tokens": 1000000000000000}}`, 409},
		"a channel with a dot":           {"Ada", "POST", "/v1/channels", `{"name": "v1.2"}`, 200},
		"a kind of event that is not":    {"Ada", "GET", "/v1/events?follow=false&kind=nothing", "", 404},
		"events of nobody":               {"Ada", "GET", "/v1/events?follow=false&agent=Nobody", "", 404},
		"events of a time that is empty": {"Ada", "GET", "/v1/events?follow=false&since=2030-01-01T00:00:00Z&until=2029-01-01T00:00:00Z", "", 409},
		"what the document forbids":      {"Ada", "POST", contacts, `{"action": "delegate", "agent": "DataBot", "message": "x", "budget": {"tokens": ` + huge + `}}`, 422},
	} {
		status, text := w.do(c.as, c.method, c.path, c.body)
		if status != c.want || !slices.Contains(w.documented(c.method, c.path), status) {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// A hub that is well is not unavailable because everybody else is away.
func TestNobodyToAskIsNoFaultOfTheHub(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"CoordinatorBot", "DataBot", "WriterBot", "Bob", "Joiner"} {
		w.do("Ada", "PUT", "/v1/agents/"+name+"/status", `{"status": "offline"}`)
	}
	status, text := w.do("Ada", "POST", "/v1/questions", `{"question": "Who knows?"}`)
	if status != http.StatusConflict || !strings.Contains(text, "There is nobody whom you may ask.") || !strings.Contains(text, "unavailable") {
		t.Errorf("%d %s", status, text)
	}
}

// documented are the statuses of an operation in the document.
func (w *world) documented(method, path string) (list []int) {
	w.t.Helper()
	path, _, _ = strings.Cut(path, "?")
	for template, item := range w.document().Paths {
		if !regexp.MustCompile("^" + regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(template, "[^/]+") + "$").MatchString(path) {
			continue
		}
		for status := range item[strings.ToLower(method)].Responses {
			n, err := strconv.Atoi(status)
			if err != nil {
				w.t.Fatal(err)
			}
			list = append(list, n)
		}
	}
	return list
}

// document is what the tests here read of /openapi.json.
type document struct {
	Paths map[string]map[string]struct {
		Responses  map[string]any
		Parameters []struct {
			Name, In string
			Schema   documentedValue
		}
	}
	Components struct {
		Schemas map[string]struct{ Properties map[string]documentedValue }
	}
}

type documentedValue struct {
	Pattern   string
	MaxLength int
	Maximum   float64
}

func (w *world) document() (d document) {
	w.t.Helper()
	if status, text := w.do("", "GET", "/openapi.json", ""); status != http.StatusOK || json.Unmarshal([]byte(text), &d) != nil {
		w.t.Fatalf("%d %.200s", status, text)
	}
	return d
}

// A place in the record is what an event had, and nothing that only begins like one.
func TestAPlaceInTheRecordIsWhole(t *testing.T) {
	w := newWorld(t)
	var after documentedValue
	for _, p := range w.document().Paths["/v1/events"]["get"].Parameters {
		if p.Name == "after" {
			after = p.Schema
		}
	}
	pattern := regexp.MustCompile(after.Pattern)
	for place, ok := range map[string]bool{"": true, "now": true, "0.7": true, "12.345": true, "0.0": true, "00.7": false, "0.07": false,
		"0.7x": false, "7": false, "-1.7": false, "+1.7": false, "0.7.1": false, "0. 7": false, "0x1.7": false, "x": false} {
		status, text := w.do("Ada", "GET", "/v1/events?follow=false&after="+strings.NewReplacer(" ", "%20", "+", "%2B").Replace(place), "")
		if (status == http.StatusOK) != ok || !ok && status != http.StatusUnprocessableEntity || after.Pattern == "" || pattern.MatchString(place) != ok {
			t.Errorf("%q: %d %s; the document says %q", place, status, text, after.Pattern)
		}
	}
}

// A label can be shown on a line, and is no token. Go knows no lookahead, so the document's
// own is checked as the text that it is.
func TestALabelIsALine(t *testing.T) {
	w := newWorld(t)
	said := w.document().Components.Schemas["TokenRequest"].Properties["label"].Pattern
	line, ok := strings.CutPrefix(said, `^(?!.*parley_)`)
	if !ok {
		t.Fatalf("the document says %q", said)
	}
	pattern := regexp.MustCompile("^" + line)
	for label, ok := range map[string]bool{"": true, "laptop": true, "Zürich ✓": true, "non\u00a0breaking": true, "a\u009fb": false, "tab\there": false,
		"two\nlines": false, "\x7f": false, "it is parley_abc": false} {
		body, err := json.Marshal(map[string]string{"for": "Ada", "label": label})
		if err != nil {
			t.Fatal(err)
		}
		status, text := w.do("Ada", "POST", "/v1/tokens", string(body))
		if (status == http.StatusOK) != ok || !ok && status != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d %s", label, status, text)
		}
		if allowed := pattern.MatchString(label) && !strings.Contains(label, "parley_"); allowed != ok {
			t.Errorf("%q: the document says %q", label, said)
		}
	}
}

// A stream is described as its reader gets it: events with a name, whose data is a text.
func TestAStreamIsDescribedByItsEvents(t *testing.T) {
	w := newWorld(t)
	_, text := w.do("", "GET", "/openapi.json", "")
	for path, of := range map[string]string{"/v1/events": "Event", "/v1/tasks/{id}/live": "Live"} {
		var d struct {
			Paths map[string]struct {
				Get struct {
					Responses map[string]struct {
						Content map[string]struct {
							Schema struct {
								Required   []string
								Properties map[string]struct {
									Type, ContentMediaType string
									ContentSchema          struct {
										AnyOf []struct {
											Ref string `json:"$ref"`
										}
									}
								}
							}
						}
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		event := d.Paths[path].Get.Responses["200"].Content["text/event-stream"].Schema
		data := event.Properties["data"]
		if !slices.Equal(event.Required, []string{"event", "data"}) || data.Type != "string" || data.ContentMediaType != "application/json" ||
			len(data.ContentSchema.AnyOf) != 2 || data.ContentSchema.AnyOf[0].Ref != "#/components/schemas/"+of || event.Properties["id"].Type != "string" {
			t.Errorf("%s: %+v", path, event)
		}
	}
}

// A budget has the bounds that the document names, and a small one is not none.
func TestABudgetIsTakenAsItIsOrRefused(t *testing.T) {
	w := newWorld(t)
	bounds := w.document().Components.Schemas["Budget"].Properties
	for field, smallest := range map[string]string{"tokens": "1", "money": "1e-9", "tasks": "1", "seconds": "1e-12"} {
		give := func(amount string) (int, string) {
			return w.do("Ada", "POST", "/v1/contacts", `{"action": "delegate", "agent": "Bob", "message": "x", "budget": {"`+field+`": `+amount+`}}`)
		}
		most := bounds[field].Maximum
		if status, text := give(strconv.FormatFloat(most*2, 'f', -1, 64)); most == 0 || status != http.StatusUnprocessableEntity {
			t.Errorf("more %s than %v: %d %s", field, most, status, text)
		}
		for _, amount := range []string{smallest, strconv.FormatFloat(most, 'f', -1, 64)} {
			status, text := give(amount)
			var made struct{ Task struct{ ID string } }
			if err := json.Unmarshal([]byte(text), &made); err != nil || status != http.StatusOK {
				t.Errorf("%s %s: %d %s", amount, field, status, text)
				continue
			}
			if _, text := w.do("Ada", "GET", "/v1/tasks/"+made.Task.ID+"/budget", ""); !strings.Contains(text, `"budget":{"`+field+`":`) {
				t.Errorf("%s %s bound nothing: %s", amount, field, text)
			}
		}
	}
}

// The topic of a channel is as long as the document says.
func TestATopicIsAsLongAsTheDocumentSays(t *testing.T) {
	w := newWorld(t)
	longest := w.document().Components.Schemas["ChannelRequest"].Properties["topic"].MaxLength
	for n, want := range map[int]int{longest: http.StatusOK, longest + 1: http.StatusUnprocessableEntity} {
		status, text := w.do("Ada", "POST", "/v1/channels", `{"name": "c`+strconv.Itoa(n)+`", "topic": "`+strings.Repeat("é", n)+`"}`)
		if status != want || longest == 0 {
			t.Errorf("%d characters: %d %s", n, status, text)
		}
	}
}
