package provider

import (
	"math/rand/v2"
	"strings"
	"testing"

	"parley/internal/model"
)

// A recorded stream that ends too soon is used whole or not at all, wherever it
// ends.
func TestRecordedStreamsCut(t *testing.T) {
	used, refused := 0, 0
	for _, r := range recordings(t) {
		if r.skipped() != "" || !r.stream {
			continue
		}
		want := r.expected(t)
		dice := rand.New(rand.NewPCG(1, uint64(len(r.body))))
		for n := range 10 {
			body := r.body[:dice.IntN(len(r.body))]
			if n > 5 { // between two events, as a proxy may close it
				body = body[:strings.LastIndex(body, "\n")+1]
			}
			if n > 7 { // late, where the reply may be complete
				body = r.body[:strings.LastIndex(r.body[:len(r.body)-n+4], "\ndata:")+1]
			}
			got, err := ours(t, r, body).Step(t.Context(), model.Request{}, nil)
			if err != nil {
				refused++
				continue
			}
			used++
			got.Text, _, _ = strings.Cut(got.Text, "\n\n[The reply was cut off")
			if diff := want.differs(got.Text, got.Calls, want.usage); diff != "" {
				t.Errorf("%s after %d of %d bytes: %s", r.label(), len(body), len(r.body), diff)
			}
		}
	}
	t.Logf("%d used, %d refused", used, refused)
	if refused < used || refused == 0 {
		t.Error("too few are refused")
	}
}

// Whatever a provider sends, a step ends with a reply or with an error that can
// be shown.
func TestRecordedRepliesDamaged(t *testing.T) {
	damages := map[string]func(body string, dice *rand.Rand) string{
		"a byte": func(body string, dice *rand.Rand) string {
			n := dice.IntN(len(body))
			return body[:n] + string(rune(dice.IntN(128))) + body[n+1:]
		},
		"a piece": func(body string, dice *rand.Rand) string {
			n := dice.IntN(len(body))
			return body[:n] + body[n+dice.IntN(len(body)-n):]
		},
		"a type": func(body string, dice *rand.Rand) string {
			return strings.Replace(body, `":"`, `":[{}],"x":"`, 1+dice.IntN(3))
		},
		"no lines": func(body string, _ *rand.Rand) string { return strings.ReplaceAll(body, "\n\n", "\n") },
		"nothing":  func(string, *rand.Rand) string { return "" },
		"no JSON":  func(string, *rand.Rand) string { return "data: {\n\ndata: ]\n\n" },
		"null":     func(string, *rand.Rand) string { return "null" },
	}
	for _, r := range recordings(t) {
		if r.skipped() != "" {
			continue
		}
		dice := rand.New(rand.NewPCG(2, uint64(len(r.body))))
		for name, damage := range damages {
			got, err := ours(t, r, damage(r.body, dice)).Step(t.Context(), model.Request{}, nil)
			if err != nil && (err.Error() == "" || len(err.Error()) > 500) {
				t.Errorf("%s, %s: %v", r.label(), name, err)
			}
			if err == nil && got.Text == "" && len(got.Calls) == 0 {
				t.Errorf("%s, %s: an empty reply is used", r.label(), name)
			}
		}
	}
}

// An error in the middle of a recorded stream ends it, whatever came before.
func TestRecordedStreamsFail(t *testing.T) {
	fault := map[string]string{
		"anthropic": `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		"chat":      `{"error":{"code":502,"message":"overloaded"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`,
		"responses": `{"type":"error","code":"server_error","message":"overloaded"}`,
		"gemini":    `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`,
	}
	for _, r := range recordings(t) {
		if r.skipped() != "" || !r.stream {
			continue
		}
		body := strings.ReplaceAll(r.body, "\r\n", "\n")
		first, _, _ := strings.Cut(body, "\n\n")
		_, err := ours(t, r, first+"\n\ndata: "+fault[r.format]+"\n\n"+body[len(first)+2:]).Step(t.Context(), model.Request{}, nil)
		if err == nil || !strings.Contains(err.Error(), "overloaded") {
			t.Errorf("%s: %v", r.label(), err)
		}
	}
}
