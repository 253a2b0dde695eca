package browser

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/api"
)

// hostileTeam is a team whose files are hostile too, and whose agents repeat what they get.
const hostileTeam = `
-- parley.yaml --
team: orchard
person: Mira
people: [Jonas, WIDENAME, ﷺﷺﷺﷺﷺﷺﷺﷺ, שלוםשלוםשלום]
lead: EchoBot
model: scripted:script.yaml
limits: {rate: 60000, message_bytes: 16KiB}
door: {requests: 60000}
mcp_servers:
  lab: {url: "LAB", trust: read}
-- agents/EchoBot.md --
---
description: '<script>alert(1)</script> "><img src=x onerror=alert(1)> [x](javascript:alert(1))'
toolsets: [contact, loom]
---
You repeat. <script>alert(1)</script>
-- agents/NeedyBot.md --
---
description: '</textarea><svg onload=alert(1)>'
contacts:
  - {allow: EchoBot, requires_approval: true}
---
You ask first.
-- agents/WIDENAME BOT.md --
You are wide.
-- agents/WorkBot/agent.md --
---
toolsets: [contact, loom, workspace]
mcp_servers: [lab]
profile: open
---
</code></pre><script>alert(1)</script> PACK
-- agents/WorkBot/docs/README.md --
<script>alert(1)</script>

[x](javascript:alert(1)) PACK
-- agents/WorkBot/docs/<img src=x onerror=alert(1)>.md --
<div class="needs"><h1>One matter waits for you</h1><form action=/signout><button class="btn btn-1">Approve</button></form></div>
-- script.yaml --
agents:
  EchoBot:
    - match: '(?s)ask the person (.*)'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: Mira, message: '{{match 1}}'}
        - say: '{{result}}'
    - match: 'put away (.{1,190})'
      steps:
        - call: context_offload
          args: {topic: '{{match 1}}', message_count: 6}
        - say: '{{result}}'
    - steps: [{say: '{{body}}'}]
  NeedyBot:
    - steps:
        - call: contact_agent
          args: {action: ask, agentId: EchoBot, message: '{{body}}', context: '{{body}}'}
        - say: '{{result}}'
  WorkBot:
    - match: 'change files'
      steps:
        - call: write_file
          args: {path: '<img src=x onerror=alert(1)>.html', content: '{{body}}'}
        - call: write_file
          args: {path: 'WIDENAMEWIDENAME/WIDENAMEWIDENAME/"onmouseover=alert(1) .md', content: '{{body}}'}
        - call: read_file
          args: {path: '<img src=x onerror=alert(1)>.html'}
        - call: shell
          args: {command: 'cat *.html; echo "<script>alert(1)</script>" >&2; printf "\033[31mred\033[0m\a"; exit 3'}
        - call: lab__say
          args: {what: '{{body}}', '<b>x</b>': '<script>alert(1)</script>'}
        - say: '{{body}}'
    - match: 'choose'
      steps:
        - call: ask_user
          args: {question: '{{body}}', options: ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', 'WIDENAMEWIDENAMEWIDENAMEWIDENAME', "a\u202eb"]}
        - say: '{{result}}'
    - match: 'fail'
      steps: [{fail: '{{body}}'}]
`

// newHostileWorld is a hub in which nobody means well.
func newHostileWorld(t *testing.T, list []string) *world {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "lab", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "say", Description: strings.Join(list[:40], "\n\n"),
		InputSchema: map[string]any{"type": "object", "properties": map[string]any{
			"what": map[string]any{"type": "string", "description": list[0] + " \u202e"}, "<b>x</b>": map[string]any{"type": "string", "description": list[18]}}},
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(list[40:120], "\n")}}}, nil
		})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	pack := strings.NewReplacer("\n-- ", "\n - ").Replace(strings.Join(list[:60], "\n\n"))
	return newWorld(t, strings.NewReplacer("WIDENAME", strings.Repeat("W", 60), "LAB", web.URL, "PACK", pack).Replace(hostileTeam))
}

// fillWork has agents work, fail, ask and put away with payloads. It returns the addresses
// that show it.
func (w *world) fillWork(packs []string) (addresses []string) {
	w.Helper()
	ctx := w.Context()
	worked := w.contact("delegate", "WorkBot", "Please change files. "+packs[2]).Task.ID
	failed := w.contact("delegate", "WorkBot", "fail "+clip(packs[7], 1500)).Task.ID
	w.contact("delegate", "WorkBot", "choose "+packs[1])
	w.ended(w.contact("ask", "EchoBot", packs[1]).Task.ID)
	w.ended(w.contact("ask", "EchoBot", packs[2]).Task.ID)
	w.ended(w.contact("ask", "EchoBot", packs[3]).Task.ID)
	away := w.ended(w.contact("ask", "EchoBot", "put away "+strings.Join(strings.Fields(packs[0]), " ")).Task.ID)
	if got := w.ended(worked); got.State != "completed" {
		w.Fatalf("%+v", got)
	}
	w.ended(failed)
	keepers, err := w.Keepers(ctx, 1)
	if err != nil || len(keepers.Keepers) != 1 {
		w.Fatal(keepers, err, away.Result)
	}
	kept := "/keepers/" + keepers.Keepers[0].ID
	wide := strings.Repeat("W", 60)
	addresses = append(addresses, "/agents/WorkBot", "/agents/WorkBot/instructions", "/agents/WorkBot/docs", "/agents/WorkBot/tools", "/agents/"+wide+"%20BOT", "/dm/"+wide)
	return append(addresses, "/tasks/"+worked, "/tasks/"+worked+"/diff", "/tasks/"+worked+"/undo", "/tasks/"+failed, kept, kept+"?q=script")
}

// fillQuestions passes questions on and answers them with payloads, and leaves one open.
func (w *world) fillQuestions(packs []string) (addresses []string) {
	w.Helper()
	ctx, jonas := w.Context(), w.as("Jonas")
	for i := range 2 {
		asked, err := jonas.AskQuestion(ctx, api.QuestionRequest{Question: packs[i], Context: packs[i+1], Target: "Mira"})
		if err != nil {
			w.Fatal(err)
		}
		if i == 0 {
			if _, err := w.AnswerQuestion(ctx, asked.ID, api.AnswerRequest{Answer: packs[4]}); err != nil {
				w.Fatal(err)
			}
		}
		addresses = append(addresses, "/questions/"+asked.ID)
	}
	asked, err := w.AskQuestion(ctx, api.QuestionRequest{Question: packs[5], Target: "Jonas"})
	if err == nil {
		_, err = jonas.ForwardQuestion(ctx, asked.ID, api.ForwardRequest{Target: "EchoBot", Enrichment: packs[3]})
	}
	if err != nil {
		w.Fatal(err)
	}
	return append(addresses, "/questions/"+asked.ID)
}

// attach sends files from a browser: what their names and types say is believed by nobody.
// It returns the message that holds the last one.
func (w *world) attach(c *http.Client) (message string) {
	w.Helper()
	page := "<!doctype html><script>alert(1)</script><svg onload=alert(1) xmlns='http://www.w3.org/2000/svg'></svg>"
	for _, f := range []struct{ name, kind, text string }{
		{`<img src=x onerror=alert(1)>.html`, "text/html", page}, {"../../etc/passwd", "text/plain", "x"}, {"a\u202efdp.exe", "application/x-msdownload", "x"},
		{strings.Repeat("W", 300) + ".svg", "image/svg+xml", page}, {`x".html`, "text/html\r\nX-Other: y", page}, {"big.html", "text/html", strings.Repeat(page, 400)},
	} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {multipart.FileContentDisposition("file", f.name)}, "Content-Type": {strings.ReplaceAll(f.kind, "\r\n", " ")}})
		if err == nil {
			_, err = io.WriteString(part, f.text)
		}
		if err == nil {
			err = form.WriteField("place", "#p0")
		}
		if err != nil || form.Close() != nil {
			w.Fatal(err)
		}
		r, err := http.NewRequest(http.MethodPost, w.url+"/say", &body)
		if err != nil {
			w.Fatal(err)
		}
		r.Header.Set("Content-Type", form.FormDataContentType())
		r.Header.Set("Origin", w.url)
		resp, err := c.Do(r)
		if err != nil {
			w.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			w.Fatalf("%s: %s", f.name, resp.Status)
		}
	}
	list, err := w.ReadChannel(w.Context(), "p0", 1)
	if err != nil || len(list) != 1 {
		w.Fatal(list, err)
	}
	return list[0].ID
}
