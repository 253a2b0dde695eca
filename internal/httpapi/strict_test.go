package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
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

// A whole number may have a point or an exponent. One that only a float takes for a whole
// one is refused.
func TestAWholeNumberIsTakenExactly(t *testing.T) {
	for text, want := range map[string]int64{
		"7": 7, "7.0": 7, "7.000e0": 7, "1e3": 1000, "1E+3": 1000, "1200e-2": 12, "0.5e1": 5, "-3.0": -3, "0.0": 0, "-0": 0, "0e-5": 0, "0e99": 0,
		"9007199254740993.0": 9007199254740993, "9.223372036854775807e18": 9223372036854775807,
	} {
		var got struct{ N int64 }
		if err := httpapi.ReadJSON([]byte(`{"N": `+text+`, "text": "1.0"}`), &got); err != nil || got.N != want {
			t.Errorf("%s: %d, %v", text, got.N, err)
		}
	}
	for _, text := range []string{"1.5", "1.00000000000000000000001", "1e-400", "1e-1", "15e-1", "9223372036854775808.0", "1e19", "1e999999999", "1e-999999999", "1e99999999999999999999"} {
		var got struct{ N int64 }
		if err := httpapi.ReadJSON([]byte(`{"N": `+text+`}`), &got); err == nil {
			t.Errorf("%s was taken for %d", text, got.N)
		}
	}
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

// A key that is there twice is found among many others, in its own object.
func TestAKeyTwiceAmongMany(t *testing.T) {
	var keys []string
	for i := range 40 {
		keys = append(keys, fmt.Sprintf(`"k%d": {"same": [%d, {"same": "k1"}, "k2"], "other": "\"k3\": 1"}`, i, i))
	}
	all := strings.Join(keys, ", ")
	if err := httpapi.CheckJSON([]byte(`{` + all + `, "k": [], "": {}}`)); err != nil {
		t.Error(err)
	}
	for _, twice := range []string{`"k0"`, `"k39"`, `"\u006b7"`} {
		if err := httpapi.CheckJSON([]byte(`{` + all + `, "k": [], ` + twice + ` : 1}`)); err == nil || !strings.Contains(err.Error(), "is there twice") {
			t.Errorf("%s: %v", twice, err)
		}
	}
	for _, null := range []string{`null`, `{"a": null}`, `[1, null]`, `{"a": {"b": [null]}}`} {
		if err := httpapi.CheckJSON([]byte(null)); err == nil {
			t.Errorf("%s passes", null)
		}
	}
	for _, plain := range []string{`{"a": "null"}`, `{"null": "n"}`, `["n", true, false, 1e5]`, `"n\\"`, `{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]}`} {
		if err := httpapi.CheckJSON([]byte(plain)); err != nil {
			t.Errorf("%s: %v", plain, err)
		}
	}
}

// What is nested deeper than any reader of JSON goes is refused without being kept track of.
func TestABodyIsNotNestedWithoutEnd(t *testing.T) {
	deep := []byte(strings.Repeat("[", 8<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := httpapi.CheckJSON(deep)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(len(deep)) {
		t.Errorf("%d bytes were needed to look at %d", used, len(deep))
	}
	if err == nil && json.Unmarshal(deep, new(any)) == nil {
		t.Error("it passes")
	}
	w := newWorld(t)
	body := `{"action":"notify","agent":"DataBot","message":` + string(deep[:1<<20]) + `}`
	if status, text := w.do("Ada", "POST", "/v1/contacts", body); status != http.StatusBadRequest {
		t.Errorf("%d: %.200s", status, text)
	}
}
