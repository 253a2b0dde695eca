package store

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley"
)

// A message is taken from the shelf as it was put there, whatever it says and however
// long it is.
func TestAMessageIsTakenAsItWasPut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s shelf
		put := map[parley.MessageID]parley.Message{}
		for range rapid.IntRange(1, 50).Draw(t, "messages") {
			m := drawMessage(t)
			if _, ok := put[m.ID]; !ok {
				put[m.ID] = m
			}
			s.put(&m)
		}
		for id, want := range put {
			if got, ok := s.get(id); !ok || got != want {
				t.Fatalf("put %+v, got %+v, %v", want, got, ok)
			}
		}
	})
}

// drawMessage fills every field, those that are added later too.
func drawMessage(t *rapid.T) (m parley.Message) {
	v := reflect.ValueOf(&m).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(strings.Repeat(rapid.String().Draw(t, name), rapid.SampledFrom([]int{0, 1, 1, 1, 3000}).Draw(t, "repeated")))
		case reflect.Int, reflect.Int64:
			f.SetInt(rapid.Int64().Draw(t, name))
		default:
			t.Fatalf("what is in %s?", name)
		}
	}
	return m
}

// What is taken away leaves nothing that it said behind.
func TestWhatIsRemovedIsWipedOut(t *testing.T) {
	var s shelf
	for id, text := range map[parley.MessageID]string{1: "before", 2: "a secret", 3: "after"} {
		s.put(&parley.Message{ID: id, Body: text, Context: text})
	}
	s.put(&parley.Message{ID: 4, Body: strings.Repeat("a secret", largeText)})
	s.remove(2)
	s.remove(4)
	for _, slab := range s.slabs {
		if bytes.Contains(slab, []byte("secret")) {
			t.Errorf("%q", slab)
		}
	}
	for id, want := range map[parley.MessageID]bool{1: true, 2: false, 3: true, 4: false} {
		if m, ok := s.get(id); ok != want || s.has(id) != want || ok && m.Body != m.Context {
			t.Errorf("message %d: %+v, %v", id, m, ok)
		}
	}
}

// However many messages there are, the collector finds a few pieces.
func TestAShelfIsAFewPieces(t *testing.T) {
	const messages = 20_000
	before := pieces()
	var s shelf
	for i := range messages {
		s.put(&parley.Message{ID: parley.MessageID(i + 1), Kind: parley.AskMessage, Body: fmt.Sprintf("number %d", i)})
	}
	if n := int64(pieces()) - int64(before); n > messages/20 {
		t.Errorf("%d pieces for %d messages", n, messages)
	}
	runtime.KeepAlive(&s)
}

func pieces() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapObjects
}
