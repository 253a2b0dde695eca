package scripted

import (
	"bytes"
	"encoding/json"

	"parley/internal/yamlfile"
)

// arguments are those of a tool call, as JSON with texts to fill in.
type arguments struct {
	json  []string // json[i] stands before texts[i], and the last one at the end
	texts []text
}

func noArguments() arguments { return arguments{json: []string{"{}"}} }

func (r reader) arguments(v yamlfile.Value) (arguments, []yamlfile.Mistake) {
	if !v.IsMapping() {
		_, found := v.Entries("the names of arguments with their values")
		return arguments{}, found
	}
	a := arguments{json: []string{""}}
	found := r.write(&a, v)
	return a, found
}

// write appends a value of any shape.
func (r reader) write(a *arguments, v yamlfile.Value) (found []yamlfile.Mistake) {
	switch {
	case v.IsMapping():
		entries, found := v.Entries("")
		a.add("{")
		for i, e := range entries {
			a.separate(i)
			a.add(quote(e.Key) + ":")
			found = append(found, r.write(a, e)...)
		}
		a.add("}")
		return found
	case v.IsList():
		items, found := v.Items()
		a.add("[")
		for i, item := range items {
			a.separate(i)
			found = append(found, r.write(a, item)...)
		}
		a.add("]")
		return found
	}
	scalar, found := v.Scalar()
	if found != nil {
		return found
	}
	if _, ok := scalar.(string); ok {
		t, found := r.text(v)
		a.addText(t)
		return found
	}
	data, err := json.Marshal(scalar)
	if err != nil {
		return v.Wrong("This cannot be written as JSON: %v.", err)
	}
	a.add(string(data))
	return nil
}

func (a *arguments) add(json string) { a.json[len(a.json)-1] += json }

func (a *arguments) separate(i int) {
	if i > 0 {
		a.add(",")
	}
}

func (a *arguments) addText(t text) {
	if t.tree == nil {
		a.add(quote(t.fixed))
		return
	}
	a.texts, a.json = append(a.texts, t), append(a.json, "")
}

// fill is the JSON for a scene.
func (a arguments) fill(sc *scene) (json.RawMessage, error) {
	var b []byte
	for i, t := range a.texts {
		s, err := t.fill(sc)
		if err != nil {
			return nil, err
		}
		b = append(append(b, a.json[i]...), quote(s)...)
	}
	return append(b, a.json[len(a.texts)]...), nil
}

// quote is a JSON string that leaves < > & readable.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
