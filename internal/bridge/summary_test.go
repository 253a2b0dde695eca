package bridge_test

import (
	"strings"
	"testing"
	"time"

	"parley/internal/bridge"
	"parley/internal/contact"
)

// The summary of a day comes once to everybody who is linked, at its time, or later if no
// hub ran. One that is far too late does not come.
func TestTheSummaryOfADay(t *testing.T) {
	w := newWorld(t)
	zone := time.FixedZone("there", 5*3600)
	set := func(days, hour int) { // the time of the store, in that zone
		now := time.Now().In(zone)
		w.ahead.Store(int64(time.Until(time.Date(now.Year(), now.Month(), now.Day()+1+days, hour, 0, 0, 0, zone))))
	}
	w.summary = &bridge.Daily{Hour: 18, Minute: 30, Zone: zone}
	set(0, 18)
	w.link("Ada", "Rutger")
	_, stop := w.run()
	made, err := w.hub.Contacts.Delegate(t.Context(), w.as("Ada"), contact.Request{Target: "Rutger", Message: "Review it."})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.hub.Contacts.Delegate(t.Context(), w.as("Ada"), contact.Request{Target: "Rutger", Message: "And this."}); err != nil {
		t.Fatal(err)
	}
	if err := w.hub.Contacts.Reply(t.Context(), w.as("Rutger"), made.Task.ID, "Done."); err != nil {
		t.Fatal(err)
	}
	w.want("Trainee", "something")
	w.chat.find("Rutger", "something")
	again := func() {
		t.Helper()
		stop()
		_, stop = w.run()
	}
	summaries := func(want int) {
		t.Helper()
		w.notify("Helper", "Ada", "what comes after it "+w.now().String())
		w.notify("Helper", "Rutger", "what comes after it "+w.now().String())
		w.chat.until("what comes after it", func() bool {
			return len(w.next()) == 0 && w.chat.count("Rutger", "what comes after") == w.chat.count("Ada", "what comes after")
		})
		if a, b := w.chat.count("Ada", "The last 24 hours:"), w.chat.count("Rutger", "The last 24 hours:"); a != want || b != want {
			t.Errorf("Ada has %d and Rutger %d, want %d", a, b, want)
		}
	}
	summaries(0)
	set(0, 19)
	again()
	text := w.chat.find("Ada", "The last 24 hours:").Text
	if !strings.Contains(text, "1 tasks completed, 0 failed, 0 cancelled; 1 are open.") || !strings.Contains(text, "1 approvals wait for you: /approvals") {
		t.Errorf("%s", text)
	}
	w.chat.find("Rutger", "The last 24 hours:")
	set(0, 20)
	again()
	summaries(1)
	set(1, 23)
	again()
	w.chat.until("the second", func() bool {
		return w.chat.count("Ada", "The last 24 hours:")+w.chat.count("Rutger", "The last 24 hours:") == 4
	})
	set(3, 2) // more than six hours late
	again()
	summaries(2)
}
