package provider

import (
	"bytes"
	"encoding/json"

	"parley/internal/model"
)

// geminiTap listens to a reply of Gemini's for three things that the library
// gets wrong or drops: each chunk counts the tokens of the whole reply so far,
// so the last one counts and not their sum; a prompt that was blocked has no
// candidates, which looks like a stream that was cut; and a stream that ends
// after a tool call without saying why looks complete, though more calls may have
// been to come.
type geminiTap struct {
	last  geminiChunk
	ended bool // a chunk said why the reply ended
}

type geminiChunk struct {
	Candidates []struct {
		FinishReason string `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt     int64 `json:"promptTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
}

func (t *geminiTap) take(line []byte) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:")))
	var c geminiChunk
	if json.Unmarshal(line, &c) != nil {
		return
	}
	if len(c.Candidates) > 0 && c.Candidates[0].FinishReason != "" {
		t.ended = true
	}
	if c.Usage != nil {
		t.last.Usage = c.Usage
	}
	if c.PromptFeedback.BlockReason != "" {
		t.last.PromptFeedback = c.PromptFeedback
	}
}

// usage is what the reply consumed. Thoughts are paid for like other output, and
// the prompt's count contains what was cached.
func (t *geminiTap) usage() (model.Usage, bool) {
	if t == nil || t.last.Usage == nil {
		return model.Usage{}, false
	}
	u := t.last.Usage
	return model.Usage{Input: max(u.Prompt-u.Cached, 0), Output: u.Candidates + u.Thoughts, CacheRead: u.Cached}, true
}

// cut reports whether a reply that looks complete is not.
func (t *geminiTap) cut() bool { return t != nil && !t.ended }

func (t *geminiTap) blocked() bool { return t != nil && t.last.PromptFeedback.BlockReason != "" }
