package httpapi_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"testing"
	"unicode/utf8"

	"parley/internal/httpapi"
)

// A body is taken with the meaning that it has, or refused: no text, number or key is
// altered, and none is chosen from two.
func FuzzStrictJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"count": 7, "text": "a"}`, `{"count": 7.0}`, `{"count": 1e3}`, `{"count": 1.5}`, `{"count": -0.0}`, `{"count": 9007199254740993.0}`, `{"count": 1e-400}`,
		`{"count": 1.00000000000000000000001}`, `{"count": 1200e-2}`, `{"count": 1e99}`, `{"count": "1e3"}`, `{"text": "\ud83d\ude00"}`, `{"text": "\ud83d"}`, `{"text": "\\ud83d"}`,
		`{"list": [1, 1e1, "\""]}`, `{"text": 1, "text": 2}`, `{"a": {"b": 1, "b": 1}}`, `{"a": [{"b": 1}, {"b": null}]}`, `{"a":`, `]`, `}`, `"`, "\"\xff\"", `{"t\u0065xt": "a"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var loose any
		if httpapi.ReadJSON(body, &loose) == nil {
			checkMeaning(t, body, loose)
		}
		var strict struct {
			Count int64 `json:"count"`
			Text  string
			List  []int64
		}
		if httpapi.ReadJSON(body, &strict) != nil {
			return
		}
		var plain map[string]json.Number
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		if d.Decode(&plain) != nil || len(plain["count"]) > 60 {
			return // it has more than numbers
		}
		if n := plain["count"]; n != "" && !equal(n.String(), strict.Count) {
			t.Fatalf("%s was taken for %d", n, strict.Count)
		}
	})
}

// checkMeaning compares what was read with what the standard library reads.
func checkMeaning(t *testing.T, body []byte, got any) {
	t.Helper()
	var want any
	if !utf8.Valid(body) || json.Unmarshal(body, &want) != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q was taken for %v, not %v", body, got, want)
	}
	text, err := json.Marshal(got)
	if err != nil || httpapi.CheckJSON(text) != nil {
		t.Fatalf("%q is refused, %v", text, err)
	}
}

// equal compares a number of JSON, whose exponent is small enough to write it out.
func equal(text string, n int64) bool {
	exact, ok := new(big.Rat).SetString(text)
	return ok && exact.Cmp(new(big.Rat).SetInt64(n)) == 0
}
