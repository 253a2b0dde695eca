package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"parley"
)

// decode reads a call's arguments into a struct of these fields. What a model
// makes up gets an error that it can act on: the first thing that is wrong, in
// the order of what it wrote.
//
// It is stricter than encoding/json, because people approve calls by what they
// see: names count with their case, an unknown one is not passed over, and of two
// values for one argument none silently wins. A null is an argument left out.
func decode(raw json.RawMessage, fields []field, ignored []string, into reflect.Value) error {
	raw, err := object(raw)
	if err != nil {
		return err
	}
	given := make([]argument, len(fields))
	for a := range arguments(raw) {
		if slices.Contains(ignored, a.name) {
			continue
		}
		i := find(fields, a.name)
		if i < 0 {
			return errUnknownArgument(fields, a.name)
		}
		if before := given[i]; before.value != nil {
			if !bytes.Equal(before.value, a.value) {
				return errTwice(before.name, a.name)
			}
			continue
		}
		given[i] = a
		if string(a.value) == "null" {
			continue
		}
		to := into.Field(i)
		to.SetZero() // or it would be written into what the default points to
		if err := json.Unmarshal(a.value, to.Addr().Interface()); err != nil {
			return fields[i].misfit(a.name, err)
		}
	}
	return nil
}

// object makes sure that arguments are one JSON object. None at all are an empty
// one.
func object(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return json.RawMessage("{}"), nil
	case !json.Valid(raw):
		return nil, misfit("they are not JSON")
	case raw[0] != '{':
		var none struct{}
		return nil, misfit("they cannot be " + misread(json.Unmarshal(raw, &none)))
	}
	return raw, nil
}

// misfit refuses arguments.
func misfit(why string) *parley.Error {
	return parley.Errorf(parley.Invalid, "The arguments do not fit the tool: %s.", why).
		WithHint("Send one JSON object with the parameters that the tool describes.")
}

// misread says what was read instead of what was wanted, in the words of JSON, not
// of Go.
func misread(err error) string {
	kind := "value"
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind, _, _ = strings.Cut(wrong.Value, " ")
	}
	if kind == "object" || kind == "array" {
		return "an " + kind
	}
	return "a " + kind
}

// misfit refuses a value and says what is wanted instead.
func (f field) misfit(name string, err error) *parley.Error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		number, isNumber := strings.CutPrefix(wrong.Value, "number ")
		if isNumber && (f.property.Type == "number" || !strings.ContainsAny(number, ".eE")) {
			return misfit(name + " is too large a number").WithHint("Send a smaller one.")
		}
	}
	return misfit(name+" cannot be "+misread(err)).WithHint("Send %s.", f.property.wanted())
}

// wanted is what an argument is, in words.
func (p property) wanted() string {
	switch p.Type {
	case "integer":
		return "a whole number"
	case "boolean":
		return "true or false"
	case "array":
		return "a list of " + p.Items.Type + "s"
	}
	return "a " + p.Type
}

// find is the place of the field that has a name; -1 if none has.
func find(fields []field, name string) int {
	return slices.IndexFunc(fields, func(f field) bool { return f.name == name || slices.Contains(f.aliases, name) })
}

// errUnknownArgument names the argument that was probably meant, or else all of
// them.
func errUnknownArgument(fields []field, name string) *parley.Error {
	e := parley.Errorf(parley.Invalid, "Unknown argument %q.", parley.Clip(name, 64))
	var names, known []string
	for _, f := range fields {
		names = append(names, f.name)
		known = append(append(known, f.name), f.aliases...)
	}
	var meant []string
	for _, near := range parley.Nearest(name, known, 2) {
		if name := names[find(fields, near)]; !slices.Contains(meant, name) {
			meant = append(meant, name)
		}
	}
	switch {
	case len(names) == 0:
		return e.WithHint("The tool takes none.")
	case len(meant) == 0:
		return e.WithHint("There are %s.", strings.Join(names, ", "))
	}
	return e.WithHint("Did you mean %s?", strings.Join(meant, " or "))
}

// errTwice refuses two values for one argument.
func errTwice(one, other string) *parley.Error {
	if one == other {
		return parley.Errorf(parley.Invalid, "The argument %s is given twice, with different values.", one).WithHint("Give it once.")
	}
	return parley.Errorf(parley.Invalid, "%s and %s are the same argument, with different values.", one, other).WithHint("Give it once.")
}
