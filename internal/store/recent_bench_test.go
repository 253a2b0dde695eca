package store

import (
	"math/rand/v2"
	"strings"
	"testing"

	"parley"
)

// BenchmarkBack finds the last twenty messages of one of five thousand conversations.
func BenchmarkBack(b *testing.B) {
	const threads, each = 5_000, 22
	var r Recent
	last := make([]parley.MessageID, threads)
	text := strings.Repeat("some words ", 15)
	id := parley.MessageID(1_000_000)
	for n := range each {
		for i := range threads {
			id++
			r.putPosted(&parley.Message{ID: id, Team: 1, Thread: parley.ThreadID(i), N: n + 1, Prev: last[i], Author: 1000, Kind: parley.AskMessage, Body: text, Task: 1_000_000, At: 1_700_000_000_000_000})
			last[i] = id
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		in := rand.IntN(threads)
		if list, _ := r.Back(parley.ThreadID(in), last[in], 0, 20); len(list) != 20 {
			b.Fatal(len(list))
		}
	}
}
