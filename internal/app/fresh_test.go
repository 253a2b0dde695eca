package app_test

import (
	"testing"
	"time"

	"parley/internal/model/wiretest"
)

// A new main thread begins without what was said before. That stays readable, and
// what is under way keeps its thread.
func TestAFreshConversation(t *testing.T) {
	begun, release := make(chan struct{}, 8), make(chan struct{})
	server := wiretest.Start(t, func(wiretest.Request) wiretest.Reply {
		begun <- struct{}{}
		return wiretest.Reply{Text: "42 million.", Hold: release}
	})
	r := up(t, abroad(t, "trial/llama3:8b", server, ""))
	hub := r.client()
	if f, err := hub.Fresh(t.Context(), "DataBot", ""); err != nil || f.Thread != f.Before {
		t.Errorf("nothing was said yet: %+v, %v", f, err)
	}
	first := r.contact("ask", "DataBot")
	<-begun
	f, err := hub.Fresh(t.Context(), "DataBot", "Ada")
	if err != nil || f.Before != first.Thread || f.Thread == f.Before {
		t.Fatalf("%+v, %v", f, err)
	}
	close(release)
	if done, err := hub.WaitTask(t.Context(), first.ID, time.Minute); err != nil || done.Thread != f.Before || done.Result != "42 million." {
		t.Errorf("what was under way: %+v, %v", done, err)
	}
	second := r.contact("ask", "DataBot")
	if done, err := hub.WaitTask(t.Context(), second.ID, time.Minute); err != nil || done.Thread != f.Thread {
		t.Errorf("what comes next: %+v, %v", done, err)
	}
	requests := server.Requests()
	if n := len(requests[1].Messages); n != 1 {
		t.Errorf("%d messages are shown, of which only the request is of this thread", n)
	}
	if threads, err := hub.Threads(t.Context(), "Ada", "DataBot"); err != nil || len(threads) != 2 || threads[0].ID != f.Thread || !threads[0].Main || threads[1].Main {
		t.Errorf("%+v, %v", threads, err)
	}
	old, err := hub.ReadThread(t.Context(), f.Before, 10)
	if err != nil || len(old) != 2 {
		t.Errorf("the old thread has %d messages, %v", len(old), err)
	}
}
