package mcpserver_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/contact"
)

func TestResourcesAreWhatTheCallerMayRead(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			id := w.delegate("Ada", "CoderBot", "Count the files.")
			coder := w.connect("CoderBot", version, nil)
			list, err := coder.ListResources(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var uris []string
			for _, r := range list.Resources {
				uris = append(uris, r.URI)
			}
			for _, uri := range []string{"parley://channels", "parley://tasks", "parley://keepers", "parley://agents",
				"parley://channels/standup", "parley://tasks/" + id.String(), "parley://agents/DataBot"} {
				res, err := coder.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if !slices.Contains(uris, uri) || err != nil || contentOf(res) == "" {
					t.Errorf("%s: %v, %q", uri, err, uris)
				}
			}
			res, err := coder.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "parley://tasks/" + id.String()})
			if err != nil || !strings.Contains(contentOf(res), `"agent": "CoderBot"`) {
				t.Error(contentOf(res), err)
			}
			// What is not there and what is not the caller's look the same.
			foreign := w.delegate("Ada", "ToolBot", "Something else.")
			for _, uri := range []string{"parley://tasks/" + foreign.String(), "parley://tasks/task-999", "parley://agents/NoBot", "parley://channels/none",
				"parley://keepers/keeper-9", "parley://nothing", "parley://tasks/../agents", "file:///etc/passwd"} {
				if _, err := coder.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "Resource not found") {
					t.Errorf("%s: %v", uri, err)
				}
			}
		})
	}
}

// A client that subscribes hears of a change that it may read, and of nothing else.
func TestASubscriberHearsOfChanges(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			heard := make(chan string, 100)
			coder := w.connect("CoderBot", version, &mcp.ClientOptions{
				ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { heard <- req.Params.URI },
			})
			const uri = "parley://channels/standup"
			coder.subscribe(version, uri)
			post := func(channel, text string) {
				t.Helper()
				if _, err := w.hub.Contacts.Post(t.Context(), w.caller("Ada"), contact.Post{Channel: channel, Message: text}); err != nil {
					t.Fatal(err)
				}
			}
			w.delegate("Ada", "ToolBot", "Something else.") // nothing that it watches
			post("standup", "Good morning.")
			if got := <-heard; got != uri {
				t.Error(got)
			}
			res, err := coder.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || !strings.Contains(contentOf(res), "Good morning.") {
				t.Error(contentOf(res), err)
			}
			for len(heard) > 0 {
				if got := <-heard; got != uri {
					t.Error(got)
				}
			}
		})
	}
}

// subscribe returns when the hub knows of the subscription.
func (c *connection) subscribe(version, uri string) {
	c.w.t.Helper()
	if version < alone {
		if err := c.Subscribe(c.w.t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			c.w.t.Fatal(err)
		}
		return
	}
	go func() { _ = c.Subscribe(context.Background(), &mcp.SubscribeParams{URI: uri}) }() // it lasts as long as the subscription
	for !c.w.door.Load().Watches(uri) {
		runtime.Gosched()
	}
}

func TestPromptsAndCompletion(t *testing.T) {
	w := newWorld(t)
	w.delegate("Ada", "CoderBot", "Count the files.")
	for _, version := range versions {
		coder := w.connect("CoderBot", version, nil)
		for name, want := range map[string]string{"join": "You are CoderBot", "catch_up": "1 messages wait for you.", "hand_over": "Paint it."} {
			res, err := coder.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"work": "Paint it.", "to": "DataBot"}})
			if err != nil {
				t.Fatal(err)
			}
			if text := res.Messages[0].Content.(*mcp.TextContent).Text; !strings.Contains(text, want) {
				t.Errorf("%s: %s", name, text)
			}
		}
		if _, err := coder.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "hand_over"}); err == nil {
			t.Error("work was handed over that nobody named")
		}
		for ref, want := range map[*mcp.CompleteReference][]string{
			{Type: "ref/prompt", Name: "hand_over"}:                   {"DataBot"},
			{Type: "ref/resource", URI: "parley://agents/{name}"}:     {"DataBot"},
			{Type: "ref/resource", URI: "parley://channels/{name}"}:   {},
			{Type: "ref/resource", URI: "parley://somewhere/{thing}"}: {},
		} {
			res, err := coder.Complete(t.Context(), &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: "to", Value: "da"}})
			if err != nil || !slices.Equal(res.Completion.Values, want) {
				t.Errorf("%v: %v, %v", ref, res, err)
			}
		}
	}
}
