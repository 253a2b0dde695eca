package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What asks the client for something: by a request in the older versions, by a result
// that asks for another round in the newer.

func (f *fixtures) addElicitations(s *mcp.Server) {
	for name, schema := range map[string]string{
		"test_elicitation": form("username", "string"),
		"test_elicitation_sep1034_defaults": `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},` +
			`"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`,
		"test_elicitation_sep1330_enums": `{"type":"object","properties":{` +
			`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
			`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},` +
			`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},` +
			`"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},` +
			`"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`,
	} {
		add(s, name, `{"type":"object","properties":{"message":{"type":"string"}}}`, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			said, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Please answer.", RequestedSchema: json.RawMessage(schema)})
			if err != nil {
				return nil, err
			}
			content, err := json.Marshal(said.Content)
			return result(words("Elicitation completed: action=%s, content=%s", said.Action, content)), err
		})
	}
	add(s, "test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}}}`, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Prompt string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		//lint:ignore SA1019 the suite asks for it
		said, err := req.Session.CreateMessage(ctx, sampled(in.Prompt))
		if err != nil {
			return nil, err
		}
		text, _ := said.Content.(*mcp.TextContent)
		return result(words("LLM response: %s", text.Text)), nil
	})
}

func form(field, kind string) string {
	return `{"type":"object","properties":{"` + field + `":{"type":"` + kind + `"}},"required":["` + field + `"]}`
}

//lint:ignore SA1019 the suite asks for it
func sampled(text string) *mcp.CreateMessageParams {
	//lint:ignore SA1019 the suite asks for it
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: words("%s", text)}}}
}

func asks(message, field, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(form(field, kind))}
}

func needsSampling(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	//lint:ignore SA1019 the suite asks for it
	if can := req.ClientCapabilities(); can != nil && can.Sampling != nil {
		return result(words("The client can.")), nil
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample",
		Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`)}
}

// accepted is what the user wrote into a form; empty if it was not sent.
func accepted(said mcp.InputResponseMap, name, field string) (text string, ok bool) {
	res, is := said[name].(*mcp.ElicitResult)
	if !is || res.Action != "accept" {
		return "", false
	}
	text, _ = res.Content[field].(string)
	return text, true
}

func sampling(said mcp.InputResponseMap, name string) (string, bool) {
	//lint:ignore SA1019 the suite asks for it
	res, ok := said[name].(*mcp.CreateMessageWithToolsResult)
	if !ok || len(res.Content) == 0 {
		return "", ok
	}
	text, _ := res.Content[0].(*mcp.TextContent)
	return text.Text, true
}

func input(state string, requests mcp.InputRequestMap) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{InputRequests: requests, RequestState: state}, nil
}

const prefix = "test_input_required_result_"

func addRounds(s *mcp.Server) {
	name := asks("What is your name?", "name", "string")
	//lint:ignore SA1019 the suite asks for it
	roots := &mcp.ListRootsParams{}
	addOneRound(s, name, roots)
	addStates(s)
	addSeveral(s, name, roots)
}

//lint:ignore SA1019 the suite asks for it
func addOneRound(s *mcp.Server, name *mcp.ElicitParams, roots *mcp.ListRootsParams) {
	add(s, prefix+"elicitation", nothing, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if who, ok := accepted(req.Params.InputResponses, "user_name", "name"); ok && who != "" {
			return result(words("Hello, %s!", who)), nil
		}
		return input("", mcp.InputRequestMap{"user_name": name})
	})
	add(s, prefix+"sampling", nothing, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if text, ok := sampling(req.Params.InputResponses, "capital_question"); ok {
			return result(words("It said: %s", text)), nil
		}
		return input("", mcp.InputRequestMap{"capital_question": sampled("What is the capital of France?")})
	})
	add(s, prefix+"list_roots", nothing, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		//lint:ignore SA1019 the suite asks for it
		if res, ok := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult); ok {
			return result(words("%d roots", len(res.Roots))), nil
		}
		return input("", mcp.InputRequestMap{"client_roots": roots})
	})
	s.AddPrompt(&mcp.Prompt{Name: prefix + "prompt", Description: "For the conformance suite."}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if text, ok := accepted(req.Params.InputResponses, "user_context", "context"); ok {
			return prompt(words("Context: %s", text)), nil
		}
		return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": asks("What is it about?", "context", "string")}}, nil
	})
}

// addStates adds what wants its state back as it was.
func addStates(s *mcp.Server) {
	for _, kind := range []string{"request_state", "tampered_state"} {
		add(s, prefix+kind, nothing, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_, confirmed := accepted(req.Params.InputResponses, "confirm", "ok")
			switch state := req.Params.RequestState; {
			case state != "" && state != kind:
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the state was changed"}
			case state == kind && confirmed:
				return result(words("state-ok")), nil
			}
			return input(kind, mcp.InputRequestMap{"confirm": asks("Please confirm.", "ok", "boolean")})
		})
	}
}

// addSeveral adds what asks for several things, or several times.
//
//lint:ignore SA1019 the suite asks for it
func addSeveral(s *mcp.Server, name *mcp.ElicitParams, roots *mcp.ListRootsParams) {
	add(s, prefix+"multiple_inputs", nothing, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		who, named := accepted(req.Params.InputResponses, "user_name", "name")
		greeting, greeted := sampling(req.Params.InputResponses, "greeting")
		//lint:ignore SA1019 the suite asks for it
		res, rooted := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult)
		if named && greeted && rooted {
			return result(words("%s %s, %d roots", greeting, who, len(res.Roots))), nil
		}
		return input("several", mcp.InputRequestMap{"user_name": name, "greeting": sampled("Greet somebody."), "client_roots": roots})
	})
	add(s, prefix+"multi_round", nothing, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		first, again := strings.CutPrefix(req.Params.RequestState, "second:")
		color, second := accepted(req.Params.InputResponses, "step2", "color")
		who, begun := accepted(req.Params.InputResponses, "step1", "name")
		switch {
		case again && second:
			return result(words("%s likes %s", first, color)), nil
		case begun:
			return input("second:"+who, mcp.InputRequestMap{"step2": asks("Which colour do you like?", "color", "string")})
		}
		return input("first", mcp.InputRequestMap{"step1": name})
	})
	add(s, prefix+"capabilities", nothing, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(req.Params.InputResponses) > 0 {
			return result(words("answered")), nil
		}
		requests, can := mcp.InputRequestMap{}, req.ClientCapabilities()
		if can != nil && can.Elicitation != nil {
			requests["user_name"] = name
		}
		//lint:ignore SA1019 the suite asks for it
		if can != nil && can.Sampling != nil {
			requests["greeting"] = sampled("Greet somebody.")
		}
		if len(requests) == 0 {
			return result(words("The client can nothing.")), nil
		}
		return input("", requests)
	})
}
