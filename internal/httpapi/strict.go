package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// A key that only differs in its case is an unknown one. huma has a variable for all
// of a program; nothing else here uses huma.
func init() { huma.ValidateStrictCasing = true }

// strictJSON reads bodies. encoding/json would alter what it cannot keep, or choose
// one of two values, and the sender would not hear of it.
var strictJSON = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		if err := checkJSON(data); err != nil {
			return err
		}
		return unmarshal(data, v)
	},
}

// unmarshal also takes 7.0 and 1e3 for whole numbers, which they are in JSON.
func unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Value, "number ") {
		return err
	}
	return json.Unmarshal(numbers.ReplaceAllFunc(data, plainNumber), v)
}

// numbers finds numbers such as 7.0 and 1e3, and strings, which stay as they are.
var numbers = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`)

// plainNumber writes a whole number without a point or an exponent, if it is small
// enough to be exact as a float.
func plainNumber(text []byte) []byte {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53 || !bytes.ContainsAny(text, ".eE") {
		return text
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

// checkJSON refuses a body that is not UTF-8, that has half a character, a key twice,
// or null, which would be the same as nothing. Whether it is JSON at all is for the decoder to say.
func checkJSON(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("the body is not UTF-8")
	}
	if err := checkSurrogates(data); err != nil {
		return err
	}
	return checkKeys(json.NewDecoder(bytes.NewReader(data)))
}

// checkSurrogates refuses an escape such as \ud83d that stands alone. Outside of
// strings there is no backslash in JSON.
func checkSurrogates(data []byte) error {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		r, ok := escape(data[i:])
		if !ok {
			i++ // what is escaped may be a backslash
			continue
		}
		i += 5
		if !utf16.IsSurrogate(r) {
			continue
		}
		second, ok := escape(data[i+1:])
		if !ok || utf16.DecodeRune(r, second) == utf8.RuneError {
			return fmt.Errorf("\\u%04x is half a character", r)
		}
		i += 6
	}
	return nil
}

// escape reads \uXXXX.
func escape(data []byte) (rune, bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(n), err == nil
}

// checkKeys refuses an object that has a key twice, and null.
func checkKeys(d *json.Decoder) error {
	type object struct {
		keys  map[string]bool
		value bool // the next text is a value, not a key
	}
	var open []*object // nil for a list
	for {
		token, err := d.Token()
		if err != nil {
			return nil // the end, or a mistake that the decoder explains better
		}
		if token == nil {
			return errors.New("null is no value; leave out what has none")
		}
		var in *object
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		if key, text := token.(string); text && in != nil && !in.value {
			if in.keys[key] {
				return fmt.Errorf("the key %q is there twice", key)
			}
			in.keys[key], in.value = true, true
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &object{keys: map[string]bool{}})
			continue
		case json.Delim('['):
			open = append(open, nil)
			continue
		case json.Delim('}'), json.Delim(']'):
			if open = open[:len(open)-1]; len(open) > 0 {
				in = open[len(open)-1]
			} else {
				in = nil
			}
		}
		if in != nil {
			in.value = false
		}
	}
}
