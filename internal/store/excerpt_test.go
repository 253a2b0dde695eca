package store

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley"
)

// A message is found as it was added, whatever it says and however long it is.
func TestAMessageIsFoundAsItWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x excerpt
		var added []parley.Message
		for i := range rapid.IntRange(1, mostKept).Draw(t, "messages") {
			m := drawMessage(t)
			m.ID, m.N = parley.MessageID(i+1), max(m.N, math.MinInt+1)
			added = append(added, m)
			x.add(&m)
		}
		for _, want := range added {
			if got, _ := x.back(want.ID, math.MinInt, 1); len(got) != 1 || got[0] != want {
				t.Fatalf("added %+v, got %+v", want, got)
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

// What is dropped is counted no more, also of large texts.
func TestWhatIsDroppedIsCountedNoMore(t *testing.T) {
	var x excerpt
	for i := range mostKept {
		text := "short"
		if i%2 == 0 {
			text = strings.Repeat("x", largeText+1)
		}
		x.add(&parley.Message{ID: parley.MessageID(i + 1), N: i + 1, Prev: parley.MessageID(i), Body: text})
	}
	x.drop(mostKept - 3)
	if len(x.large) != 1 || x.heavy != largeText+1 || x.count != 3 {
		t.Errorf("%d large ones with %d bytes are left of %d", len(x.large), x.heavy, x.count)
	}
	if list, next := x.back(mostKept, 0, 10); len(list) != 3 || next != mostKept-3 {
		t.Errorf("%d messages are found, next %d", len(list), next)
	}
}

// However many messages there are, the collector finds a few pieces.
func TestConversationsAreAFewPieces(t *testing.T) {
	const threads, each = 1_000, 20
	before := pieces()
	var r Recent
	for i := range threads * each {
		r.putPosted(&parley.Message{ID: parley.MessageID(i + 1), Thread: parley.ThreadID(i % threads), Kind: parley.AskMessage, Body: fmt.Sprintf("number %d", i)})
	}
	if n := int64(pieces()) - int64(before); n > 3*threads {
		t.Errorf("%d pieces for %d messages", n, threads*each)
	}
	runtime.KeepAlive(&r)
}

func pieces() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapObjects
}
