package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
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
		// huma reads a body twice: first into an any, to validate it, and only if that
		// succeeds into its type.
		if _, first := v.(*any); first {
			if err := checkJSON(data); err != nil {
				return err
			}
		}
		return unmarshal(data, v)
	},
}

// unmarshal also takes 7.0 and 1e3 for whole numbers, which they are in JSON.
func unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Value, "number ") {
		return err
	}
	return json.Unmarshal(numbers.ReplaceAllFunc(data, plainNumber), v)
}

// numbers finds numbers such as 7.0 and 1e3, and strings, which stay as they are.
var numbers = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`)

// plainNumber writes a whole number without a point or an exponent. Any other stays as
// it is and is refused: a float would make a whole one of 1.00000000000000000001.
func plainNumber(text []byte) []byte {
	mantissa, power, _ := strings.Cut(strings.ToLower(string(text)), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	shift, err := strconv.Atoi(cmp.Or(power, "0"))
	if err != nil || len(text) > longestNumber || max(shift, -shift) > longestNumber {
		return text
	}
	digits := whole + fraction
	if strings.Trim(digits, "-0") == "" {
		return []byte("0")
	}
	for shift -= len(fraction); shift < 0 && strings.HasSuffix(digits, "0"); shift++ {
		digits = digits[:len(digits)-1]
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", max(shift, 0)), 10, 64)
	if err != nil || shift < 0 {
		return text
	}
	return strconv.AppendInt(nil, n, 10)
}

// longestNumber is more than a whole number that fits needs, with zeros behind it.
const longestNumber = 100

// checkJSON refuses a body that is not UTF-8, that has half a character, a key twice,
// or null, which would be the same as nothing. Whether it is JSON at all is for the decoder to say.
func checkJSON(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("the body is not UTF-8")
	}
	if err := checkSurrogates(data); err != nil {
		return err
	}
	return checkKeys(data)
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

// checkKeys refuses an object that has a key twice, and null. Of what is not JSON it
// may say so too or nothing: the decoder refuses it in any case.
func checkKeys(data []byte) error {
	var open []object
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end := endOfString(data, i)
			if n := len(open); n > 0 && open[n-1].key {
				if err := open[n-1].add(data[i:min(end+1, len(data))]); err != nil {
					return err
				}
			}
			i = end
		case '{', '[':
			if len(open) == maxNesting {
				return nil // the decoder refuses it, and this is what it may cost before
			}
			open = append(open, object{key: data[i] == '{', list: data[i] == '['})
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		case ':':
			if n := len(open); n > 0 {
				open[n-1].key = false
			}
		case ',':
			if n := len(open); n > 0 {
				open[n-1].key = !open[n-1].list
			}
		case 'n':
			return errors.New("null is no value; leave out what has none")
		}
	}
	return nil
}

// endOfString is the place of the quote that ends the string which begins at i.
func endOfString(data []byte, i int) int {
	for i++; i < len(data) && data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}

// object is an object, or a list, that has not ended.
type object struct {
	list bool
	key  bool // the next text is a key, not a value
	// The keys so far, as they stand in the body or without their escapes.
	few  [][]byte
	many map[string]bool // of an object with many keys
}

// maxNesting is how deep a body may be: so deep encoding/json reads.
const maxNesting = 10_000

// fewKeys are looked through one by one.
const fewKeys = 16

func (o *object) add(text []byte) error {
	key := bytes.Trim(text, `"`)
	if bytes.IndexByte(text, '\\') >= 0 {
		var plain string
		if json.Unmarshal(text, &plain) != nil {
			return nil
		}
		key = []byte(plain)
	}
	if slices.ContainsFunc(o.few, func(k []byte) bool { return bytes.Equal(k, key) }) || o.many[string(key)] {
		return fmt.Errorf("the key %q is there twice", key)
	}
	if len(o.few) < fewKeys {
		o.few = append(o.few, key)
		return nil
	}
	if o.many == nil {
		o.many = map[string]bool{}
	}
	o.many[string(key)] = true
	return nil
}
