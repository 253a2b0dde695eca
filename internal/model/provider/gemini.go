package provider

import (
	"encoding/json"
	"net/url"
	"strings"

	"parley/internal/model"
)

// geminiFormat is Gemini's generateContent.
type geminiFormat struct{}

type geminiRequest struct {
	System   *geminiContent  `json:"systemInstruction,omitempty"`
	Contents []geminiContent `json:"contents"`
	Tools    []geminiTools   `json:"tools,omitempty"`
	Config   geminiConfig    `json:"generationConfig"`
}

type geminiConfig struct {
	MaxTokens int `json:"maxOutputTokens,omitempty"`
}

type geminiTools struct {
	Functions []geminiFunction `json:"functionDeclarations"`
}

type geminiFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  *geminiSchema  `json:"parameters,omitempty"`
	JSONSchema  map[string]any `json:"parametersJsonSchema,omitempty"` // in its place
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

// geminiPart is a part of a message, ours or the model's. Any of them may be
// signed, and goes back with its signature on it.
type geminiPart struct {
	Text      *string         `json:"text,omitempty"`
	Thought   bool            `json:"thought,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
	Call      *geminiCall     `json:"functionCall,omitempty"`
	Response  *geminiResponse `json:"functionResponse,omitempty"`
}

type geminiCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type geminiResponse struct {
	ID       string       `json:"id,omitempty"`
	Name     string       `json:"name"`
	Response geminiResult `json:"response"`
}

type geminiResult struct {
	Result string `json:"result"`
}

func (geminiFormat) request(p prompt) (path string, body any) {
	r := geminiRequest{Config: geminiConfig{MaxTokens: p.output}}
	if system := p.joined(); system != "" {
		r.System = &geminiContent{"user", []geminiPart{{Text: &system}}}
	}
	for i, msg := range p.messages {
		content := geminiContentOf(msg)
		n := len(r.Contents)
		if msg.role == model.ToolResult && i > 0 && p.messages[i-1].role == model.ToolResult {
			r.Contents[n-1].Parts = append(r.Contents[n-1].Parts, content.Parts...) // as many as there were calls
		} else if len(content.Parts) > 0 {
			r.Contents = append(r.Contents, content)
		}
	}
	var functions []geminiFunction
	for _, t := range p.tools {
		functions = append(functions, geminiFunctionOf(t))
	}
	if functions != nil {
		r.Tools = []geminiTools{{functions}}
	}
	return geminiPath(p), r
}

func geminiPath(p prompt) string {
	name := p.model
	if !strings.HasPrefix(name, "models/") && !strings.HasPrefix(name, "tunedModels/") {
		name = "models/" + name
	}
	name = strings.ReplaceAll(url.PathEscape(name), "%2F", "/")
	if p.stream {
		return "/v1beta/" + name + ":streamGenerateContent?alt=sse"
	}
	return "/v1beta/" + name + ":generateContent"
}

func geminiContentOf(msg message) geminiContent {
	switch msg.role {
	case model.Assistant:
		return geminiContent{"model", geminiParts(msg.parts)}
	case model.ToolResult:
		return geminiContent{"user", []geminiPart{{Response: &geminiResponse{msg.id, msg.name, geminiResult{msg.text}}}}}
	}
	return geminiContent{"user", []geminiPart{{Text: &msg.text}}}
}

func geminiParts(parts []*part) (list []geminiPart) {
	signature := "" // of a part to come: replies were stored like that once
	for _, p := range parts {
		text := p.body.String()
		made := geminiPart{Signature: p.signature}
		switch p.kind {
		case thoughtPart:
			signature = p.signature
			continue
		case callPart:
			made.Call = &geminiCall{p.id, p.name, json.RawMessage(text)}
		case textPart:
			made.Text = &text
		}
		if made.Signature == "" {
			made.Signature = signature
		}
		signature = ""
		list = append(list, made)
	}
	return list
}

// geminiReader reads a reply. Each chunk of a stream has the shape of a whole one.
type geminiReader struct{ *draft }

func (geminiFormat) reader(d *draft) reader { return geminiReader{d} }

type geminiChunk struct {
	Candidates []struct {
		Content      geminiContent `json:"content"`
		FinishReason string        `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *geminiUsage    `json:"usageMetadata"`
	Error json.RawMessage `json:"error"`
}

type geminiUsage struct {
	Prompt     int64 `json:"promptTokenCount"`
	Candidates int64 `json:"candidatesTokenCount"`
	Thoughts   int64 `json:"thoughtsTokenCount"`
	Cached     int64 `json:"cachedContentTokenCount"`
}

// usage is what the reply consumed. Thoughts are paid for like other output, and
// the prompt's count contains what was cached.
func (u geminiUsage) usage() model.Usage {
	return model.Usage{Input: max(u.Prompt-u.Cached, 0), Output: u.Candidates + u.Thoughts, CacheRead: u.Cached}
}

func (r geminiReader) event(data []byte) error { return r.whole(data) }

func (r geminiReader) whole(data []byte) error {
	var c geminiChunk
	if err := unmarshal(data, &c, &c.Error); err != nil {
		return err
	}
	if len(c.Candidates) > 0 {
		for _, p := range c.Candidates[0].Content.Parts {
			r.take(p)
		}
		if e := geminiEnding(c.Candidates[0].FinishReason); e != "" {
			r.end = e
		}
	}
	if c.Usage != nil && *c.Usage != (geminiUsage{}) { // each chunk counts the reply so far
		r.usage = c.Usage.usage()
	}
	if c.PromptFeedback.BlockReason != "" {
		r.end = filtered
	}
	return nil
}

// take adds a part. What is signed stays apart from what is not, also if it is
// an empty text: the signature is for exactly this part.
func (r geminiReader) take(p geminiPart) {
	switch {
	case p.Call != nil:
		r.call(p.Call.ID, p.Call.Name, string(p.Call.Args)).signature = p.Signature
	case p.Text == nil || p.Thought:
		// Thoughts do not go back, and other parts are not asked for.
	case p.Signature != "":
		r.add(textPart, *p.Text).signature = p.Signature
		r.show(*p.Text)
	default:
		r.write(textPart, *p.Text)
	}
}

func geminiEnding(reason string) ending {
	switch reason {
	case "":
		return ""
	case "STOP":
		return done
	case "MAX_TOKENS":
		return cut
	case "SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY":
		return filtered
	}
	return failed
}
