package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/httpapi"
)

// What JSON readers would alter or choose from is refused, and nothing is stored.
func TestABodyIsTakenAsItIsOrRefused(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct{ body, want string }{
		"not UTF-8":           {"{\"action\":\"notify\",\"agent\":\"DataBot\",\"message\":\"a\xffb\"}", "not UTF-8"},
		"half a character":    {`{"action":"notify","agent":"DataBot","message":"a\ud83db"}`, `\ud83d is half a character`},
		"the second half":     {`{"action":"notify","agent":"DataBot","message":"\udc00"}`, "half a character"},
		"two first halves":    {`{"action":"notify","agent":"DataBot","message":"\ud83d\ud83d"}`, "half a character"},
		"a key twice":         {`{"action":"notify","agent":"DataBot","message":"one","message":"two"}`, `key "message" is there twice`},
		"twice, escaped":      {`{"action":"notify","agent":"DataBot","message":"one","m\u0065ssage":"two"}`, "is there twice"},
		"another case":        {`{"action":"notify","agent":"DataBot","Message":"one"}`, "Message"},
		"both cases":          {`{"action":"notify","agent":"DataBot","message":"one","MESSAGE":"two"}`, "MESSAGE"},
		"a look-alike letter": {`{"action":"notify","agent":"DataBot","me\u017f\u017fage":"one"}`, "unexpected property"},
		"something after it":  {`{"action":"notify","agent":"DataBot","message":"one"}{}`, "after top-level value"},
	} {
		status, text := w.do("Ada", "POST", "/v1/contacts", c.body)
		if status < 400 || status >= 500 || !strings.Contains(unescaped(text), c.want) {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	list, err := w.as("Ada").Read(t.Context(), "Ada", "DataBot", 10)
	if err == nil && len(list) > 0 {
		t.Errorf("stored: %v", list)
	}
	// A whole character in two escapes, and a backslash before what looks like one.
	status, text := w.do("Ada", "POST", "/v1/contacts", `{"action":"notify","agent":"DataBot","message":"\ud83d\ude00 \\ud83d"}`)
	list, err = w.as("Ada").Read(t.Context(), "Ada", "DataBot", 10)
	if status != http.StatusOK || err != nil || len(list) != 1 || list[0].Body != "😀 \\ud83d" {
		t.Errorf("%d %s: %+v, %v", status, text, list, err)
	}
}

// unescaped is the message of a problem.
func unescaped(text string) string {
	var p struct{ Message string }
	if json.Unmarshal([]byte(text), &p) != nil {
		return text
	}
	return p.Message
}

// What encoding/json writes is never refused.
func TestWhatIsPlainJSONPasses(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) any {
		text := rapid.String()
		return rapid.OneOf(
			rapid.Map(text, func(s string) any { return s }),
			rapid.Map(rapid.SliceOf(text), func(s []string) any { return s }),
			rapid.Map(rapid.MapOf(text, rapid.MapOf(text, rapid.SliceOf(text))), func(m map[string]map[string][]string) any { return m }),
			rapid.Map(rapid.Int(), func(n int) any { return n }),
		).Draw(t, "value")
	})
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(value.Draw(t, "body"))
		if err != nil {
			t.Fatal(err)
		}
		if err := httpapi.CheckJSON(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}
