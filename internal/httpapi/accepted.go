package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"parley"
	"parley/internal/token"
)

// What the use cases accept is said in the document too, so that a program can know
// beforehand. They refuse the rest themselves, with words that help: so a pattern here
// is only told and not checked a second time.

// someText is a text that is not empty, and wholeText one that may be: NUL is not text.
const (
	someText  = `^[^\x00]*[^\s\x00][^\x00]*$`
	wholeText = `^[^\x00]*$`
)

// place is a place in the record of events.
const place = `^(0|[1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,17})$`

func idText(prefix string) string { return `^(` + prefix + `)?[1-9][0-9]{0,17}$` }

func orEmpty(pattern string) string { return `^$|` + pattern }

// acceptedFields are the fields of request bodies, by schema and property.
var acceptedFields = map[string]string{
	"ContactRequest.message":    someText,
	"ContactRequest.context":    wholeText,
	"ContactRequest.task_id":    orEmpty(idText("task-")),
	"ContactRequest.key":        wholeText,
	"CompleteRequest.result":    someText,
	"FailRequest.reason":        someText,
	"UpdateRequest.note":        someText,
	"AnswerMessageRequest.text": someText,
	"AckRequest.messages":       idText("msg-"),
	"AckRequest.cursor":         `^[A-Za-z0-9_-]*$`,
	"DenyRequest.reason":        wholeText,
	"RedactRequest.reason":      wholeText,
	"ChannelRequest.name":       `^#?(?!\.+$)[\p{L}\p{Nd}_.-]{1,64}$`,
	"ChannelRequest.topic":      wholeText,
	"PostRequest.message":       someText,
	"SeenRequest.ids":           idText("msg-"),
	"PostRequest.channel":       someText,
	"PostRequest.task_id":       orEmpty(idText("task-")),
	"PostRequest.key":           wholeText,
	"OffloadRequest.topic":      `^[^\x00\r\n]*[^\s\x00][^\x00\r\n]*$`,
	"OffloadRequest.task_id":    orEmpty(idText("task-")),
	"OffloadRequest.key":        wholeText,
	"OffloadMessage.content":    wholeText,
	"RetrieveRequest.query":     someText,
	"RetrieveRequest.keeper_id": orEmpty(idText("keeper-")),
	"QuestionRequest.question":  someText,
	"QuestionRequest.context":   wholeText,
	"QuestionRequest.task_id":   orEmpty(idText("task-")),
	"QuestionRequest.key":       wholeText,
	"ForwardRequest.enrichment": someText,
	"ForwardRequest.target":     someText,
	"ForwardRequest.key":        wholeText,
	"AnswerRequest.key":         wholeText,
	"TokenRequest.for":          someText,
	"TokenRequest.label":        `^(?!.*` + token.Prefix + `)[^\x00-\x1f\x7f-\x9f]*$`,
	"PersonRequest.name":        `^(?!\.+$)[\p{L}\p{Nd}_.-]([\p{L}\p{Nd} _.-]{0,62}[\p{L}\p{Nd}_.-])?$`,
}

// acceptedIDs are the ids in paths, by the path before them.
var acceptedIDs = map[string]string{
	"/v1/tasks/":     idText("task-"),
	"/v1/messages/":  idText("msg-"),
	"/v1/keepers/":   idText("keeper-"),
	"/v1/questions/": idText("query-"),
	"/v1/tokens/":    idText("token-"),
	"/v1/approvals/": `^(approval-)?[1-9][0-9]{0,17}(-[a-z]{8})?$`,
}

// describeAccepted adds to the document what the use cases accept.
func describeAccepted(a huma.API) {
	for name, schema := range a.OpenAPI().Components.Schemas.Map() {
		for field, property := range schema.Properties {
			pattern := acceptedFields[name+"."+field]
			if property.Type == huma.TypeArray {
				property = property.Items
			}
			if pattern != "" {
				property.Pattern = pattern
			}
		}
	}
	for path, item := range a.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if op != nil {
				describeParameters(path, op)
			}
		}
	}
}

func describeParameters(path string, op *huma.Operation) {
	for _, p := range op.Parameters {
		switch {
		case p.In == "path" && p.Name == "id":
			for before, pattern := range acceptedIDs {
				if strings.HasPrefix(path, before) {
					p.Schema.Pattern = pattern
				}
			}
		case p.In == "path" && p.Name == "key":
			p.Schema.Pattern = `^(manager|can_invoke|contacts|mode|profile|behavior)$`
		case p.In == "query" && p.Name == "action":
			p.Schema.Pattern = `^(ask|delegate|notify|tool:[^:]+:[^\x00]*)$`
		case p.In == "query" && p.Name == "task":
			p.Schema.Pattern = orEmpty(idText("task-"))
		case p.In == "query" && p.Name == "thread":
			p.Schema.Pattern = orEmpty(idText("thread-"))
		case p.In == "query" && p.Name == "after":
			p.Schema.Pattern = `^(now)?$|` + place
		case p.In == "header" && p.Name == "Last-Event-ID":
			p.Schema.Pattern = orEmpty(place)
		}
	}
}

// checkQuery refuses a parameter that is there twice, of which only one would count,
// and a number without digits.
func checkQuery(op *huma.Operation, query url.Values) error {
	for _, p := range op.Parameters {
		values := query[p.Name]
		if p.In != "query" || p.Schema.Type == huma.TypeArray {
			continue
		}
		if len(values) > 1 {
			return parley.Errorf(parley.Invalid, "The parameter %s is there %d times.", p.Name, len(values)).WithHint("Give it once.")
		}
		if slices.Contains(values, "") && p.Schema.Type != huma.TypeString {
			return parley.Errorf(parley.Invalid, "The parameter %s is empty.", p.Name).WithHint("Give it a value, or leave it out.")
		}
	}
	return nil
}

// refusedByHTTP are the refusals that every operation has before it is called.
var refusedByHTTP = map[int]string{
	http.StatusBadRequest:            "kind invalid, for a body that is not JSON",
	http.StatusRequestEntityTooLarge: "kind limited",
	http.StatusUnsupportedMediaType:  "kind invalid, for a body that is not sent as JSON",
}
