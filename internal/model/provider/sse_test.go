package provider

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func readEvents(r io.Reader) (list []string, err error) {
	stream := newEvents(r)
	for {
		data, err := stream.next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, string(data))
	}
}

func TestEvents(t *testing.T) {
	for given, want := range map[string][]string{
		"":                                  nil,
		"data: a\n\ndata: b\n\n":            {"a", "b"},
		"data:a\r\n\r\ndata:  b\r\n\r\n":    {"a", " b"},
		"event: x\nid: 1\ndata: a\n\n":      {"a"},
		": a comment\n\ndata: a\n\n":        {"a"},
		"data: {\ndata: }\n\n":              {"{\n}"},
		"data: without an end":              {"without an end"},
		"data\n\n":                          {""},
		"event: nothing\n\n\n\ndata: a\n\n": {"a"},
		"dated: a\n\n{\"error\":1}\n\n":     nil,
	} {
		got, err := readEvents(strings.NewReader(given))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
	long := "data: " + strings.Repeat("x", maxBodyBytes)
	if _, err := readEvents(strings.NewReader(long)); err != errLongLine {
		t.Errorf("a line without an end: %v", err)
	}
	many := strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 40)
	if _, err := readEvents(strings.NewReader(many)); err != errLongLine {
		t.Errorf("an event without an end: %v", err)
	}
	if got, err := readEvents(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(io.ErrUnexpectedEOF))); err != io.ErrUnexpectedEOF || len(got) != 1 {
		t.Errorf("a stream that breaks: %q, %v", got, err)
	}
}

// Events do not depend on how the bytes arrive, and no reader fails on them.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\ndata: b\r\n\r\n", ": c\ndata\ndata:x", "data: [DONE]\n\n",
		`data: {"type":"content_block_start","content_block":{"type":"tool_use","input":null}}` + "\n\n" + `data: {"type":"content_block_delta","delta":{"type":"input_json_delta"}}` + "\n\n",
		`data: {"choices":[{"delta":{"content":[{"text":"a"}],"tool_calls":[{"function":{"arguments":{}}}],"reasoning_details":[{},null]}}]}` + "\n\n",
		`data: {"type":"response.completed","response":{"output":[{"type":"reasoning","encrypted_content":"x"}]}}` + "\n\n",
		`data: {"candidates":[{"content":{"parts":[{"functionCall":{}},{"text":"a","thoughtSignature":"x"}]}}]}` + "\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, err := readEvents(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		slow, err := readEvents(iotest.OneByteReader(strings.NewReader(text)))
		if err != nil || !slices.Equal(whole, slow) {
			t.Errorf("%q: %q at once, %q byte by byte, %v", text, whole, slow, err)
		}
		for _, format := range []format{anthropicFormat{}, chatFormat{}, responsesFormat{}, geminiFormat{}} {
			d := &draft{show: func(string) {}}
			reader := format.reader(d)
			for _, data := range whole {
				if reader.event([]byte(data)) != nil {
					break
				}
			}
			d.reply()
			(&Model{}).keep(d.parts)
		}
	})
}
