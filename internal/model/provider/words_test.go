package provider

import (
	"net/http"
	"testing"
	"time"

	"parley/internal/model"
)

// Each provider has its own words for a conversation that is too long.
func TestTooLongInEveryonesWords(t *testing.T) {
	for _, c := range []struct {
		status          int
		body            string
		window, counted int
	}{
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210431 tokens > 200000 maximum"}}`, 200000, 210431},
		{400, "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again", 200000, 190000},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9011 tokens.","code":"context_length_exceeded"}}`, 8192, 9011},
		{400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}}`, 0, 0},
		{400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, 1048576, 1200000},
		{400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion)."}`, 4096, 5000},
		{400, `{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it","n_prompt_tokens":9000,"n_ctx":4096}}`, 4096, 9000},
		{400, `{"error":"This endpoint's maximum context length is 32,768 tokens. However, you requested about 40,123 tokens"}`, 32768, 40123},
		{429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 31500. The input or output tokens must be reduced."}}`, 30000, 31500},
		{400, `{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 210431 tokens > 200000 maximum\"}}","provider_name":"Anthropic"}}}`, 200000, 210431},
		{422, `{"detail":"Input is too long: the maximum context length is 4096 tokens."}`, 4096, 0},
		{413, `{"error":{"message":"too big"}}`, 0, 0},
	} {
		f := (&Model{provider: Provider{Name: "lab"}}).refusalOf(c.status, readRefusal(c.body))
		if f.err.Class != model.TooLong || f.err.Window != c.window || f.err.Counted != c.counted || f.again || f.err.Busy {
			t.Errorf("%s: %s, window %d, counted %d, want %d and %d", c.body, f.err.Class, f.err.Window, f.err.Counted, c.window, c.counted)
		}
	}
}

// A request that a provider repeats in its refusal, or one that failed for another
// reason, is not too long.
func TestWordsOfOthersAreNotTooLong(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
	}{
		{400, `{"error":{"message":"Invalid type for 'temperature'.","code":"invalid_type","param":"What is a context window?"}}`},
		{400, `{"error":{"message":"Bad request."},"request":{"messages":[{"content":"maximum context length is 1000 tokens"}]}}`},
		{422, `{"detail":[{"msg":"a text is wanted","input":"the prompt is too long: 3000 tokens > 2000 maximum"}]}`},
		{400, `{"error":{"message":"Bad request."},"request":"the context window, and then the body is cut o`},
		{500, `{"error":{"message":"oops, the context window"}}`},
		{503, `{"error":{"message":"maximum context length is 1000 tokens"}}`},
		{409, `{"error":{"code":"context_length_exceeded"}}`},
	} {
		f := (&Model{provider: Provider{Name: "lab"}}).refusalOf(c.status, readRefusal(c.body))
		if f.err.Class == model.TooLong || f.err.Window != 0 {
			t.Errorf("%d %s: %s, window %d", c.status, c.body, f.err.Class, f.err.Window)
		}
	}
}

// Words alone may be quoted; a status of its own and a code are the provider's.
func TestWhatIsCertainlyTooLong(t *testing.T) {
	for body, certain := range map[string]bool{
		`{"error":{"message":"Your input exceeds the context window.","code":"context_length_exceeded"}}`:           true,
		`{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`: true,
		`{"error":{"message":"Invalid content: \"what is a context window?\"","code":"invalid_content"}}`:           false,
	} {
		f := (&Model{provider: Provider{Name: "lab"}}).refusalOf(http.StatusBadRequest, readRefusal(body))
		if f.err.Class != model.TooLong || f.err.Certain != certain {
			t.Errorf("%s: %s, certain is %t", body, f.err.Class, f.err.Certain)
		}
	}
}

// What passes by itself is waited for; what does not fails, or is tried a few times.
func TestWhatIsWorthWaitingFor(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		busy   bool
	}{
		{429, `{"error":{"message":"This request would exceed your organization's rate limit of 40,000 input tokens per minute"}}`, true},
		{429, `{"error":{"message":"Rate limit reached for gpt-5 on tokens per min. Please try again in 1.2s."}}`, true},
		{429, `{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]}}`, true},
		{429, `{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}}`, false},
		{429, `{"error":{"message":"Rate limit exceeded: free-models-per-day"}}`, false},
		{429, `{"error":{"message":"on tokens per day (TPD): Limit 100000"}}`, false},
		{429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}`, false},
		{400, `{"error":{"message":"Your credit balance is too low to access the Anthropic API."}}`, false},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, true},
		{503, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, true},
		{503, `{"error":{"message":"This model is currently experiencing high demand."}}`, true},
		{503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, true},
		{503, `<html>Service unavailable</html>`, false},
		{500, `{"error":{"message":"oops"}}`, false},
		{401, `{"error":{"message":"rate limit"}}`, false},
		{400, `{"error":{"message":"Invalid content: \"our servers are overloaded\""}}`, false},
		{422, `{"detail":[{"msg":"a text is wanted","input":"the overloaded truck"}]}`, false},
	} {
		f := (&Model{provider: Provider{Name: "lab"}}).refusalOf(c.status, readRefusal(c.body))
		if f.err.Busy != c.busy || c.busy && f.again {
			t.Errorf("%d %s: waits %t, tries again %t", c.status, c.body, f.err.Busy, f.again)
		}
	}
}

// Providers have headers of their own for when a limit is over.
func TestHeadersOfLimits(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		header map[string]string
		body   string
		want   time.Duration
	}{
		{map[string]string{"anthropic-ratelimit-input-tokens-remaining": "0", "anthropic-ratelimit-input-tokens-reset": "2026-01-02T03:04:45Z",
			"anthropic-ratelimit-requests-remaining": "49", "anthropic-ratelimit-requests-reset": "2026-01-02T03:30:00Z"}, "", 40 * time.Second},
		{map[string]string{"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, "", 6 * time.Minute},
		{map[string]string{"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms"}, "", 120 * time.Millisecond},
		{map[string]string{"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767323075000"}, "", 30 * time.Second},
		{map[string]string{"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767323075"}, "", 30 * time.Second},
		{map[string]string{"x-ratelimit-remaining": "7", "x-ratelimit-reset": "30"}, "", 0},
		{map[string]string{"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, "", 0},
		{nil, "Please try again in 1.2s. Visit …", 1200 * time.Millisecond},
		{nil, "Please try again in 6m12s.", 6*time.Minute + 12*time.Second},
		{nil, "Please try again in 345ms.", 345 * time.Millisecond},
		{nil, "Please try again in 9 days.", 0},
	} {
		h := http.Header{}
		for name, value := range c.header {
			h.Set(name, value)
		}
		if got := retryAfter(h, c.body, now); got != c.want {
			t.Errorf("%v %q: %s, want %s", c.header, c.body, got, c.want)
		}
	}
}
