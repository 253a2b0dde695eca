package bridgetest

import (
	"fmt"
	"slices"

	"parley"
)

// number is a text that is easily found.
func number(i int) string { return fmt.Sprintf("Number %d.", i) }

// Whatever happens to the calls, everything comes, in order and once. Where nobody can say
// whether a post is there, it says that it may be a repeat, and is counted.
func postedOnce(w *World) {
	w.Linked(Ada)
	faults := []Fault{Unanswered, Broken, Limited, Unheard, Fine, Unheard, Unanswered, Limited}
	for i := range w.Is.Own {
		faults = append(faults, Own+Fault(i), Limited, Own+Fault(i))
	}
	w.Chat.Fail(faults...)
	var want []string
	for i := range len(faults) + 2 {
		want = append(want, number(i))
		w.Notify(Ada, number(i))
	}
	w.Find(Ada, want[len(want)-1])
	var got []string
	for _, p := range w.Posts(Ada)[1:] {
		again := len(got) > 0 && got[len(got)-1] == p.Text
		if again && !p.Repeat || p.Repeat && w.Is.Settles {
			w.Errorf("%+v", p)
		}
		if !again || w.Is.Settles {
			got = append(got, p.Text)
		}
	}
	if !slices.Equal(got, want) {
		w.Errorf("posted %q, not %q", got, want)
	}
	// In a thread, or below what it answers, too.
	w.Chat.Fail(Unanswered, Unheard)
	w.Say(Ada, "Is it done?")
	w.Notify(Ada, "After it.")
	w.Find(Ada, "After it.")
	repeats := 0
	if w.Is.Settles {
		w.Once(Ada, "really")
	} else {
		repeats = 7 // each fault but those that ask for patience
	}
	if s, err := w.Bridge().State(w.Context()); err != nil || s.Repeats != repeats || s.GivenUp != 0 {
		w.Errorf("%+v, %v", s, err)
	}
}

// A post that the program refuses is given up and is on record, and the next one comes.
func refused(w *World) {
	w.Linked(Ada)
	w.Chat.Fail(Refused)
	w.Notify(Ada, "refused")
	w.Notify(Ada, "accepted")
	w.Once(Ada, "accepted")
	if s, err := w.Bridge().State(w.Context()); err != nil || s.GivenUp != 1 || len(w.Events(parley.EventChatGivenUp)) != 1 {
		w.Errorf("%+v, %v", s, err)
	}
}

// What the bot has taken does nothing when it comes again, to the same bridge or another.
func comesAgain(w *World) {
	stop := w.Linked(Ada)
	w.Say(Ada, "@Helper once")
	w.Say(Ada, "/pause")
	w.SayAll(Ada, "said to all")
	w.Find(Ada, "The team is paused")
	w.Chat.Taken()
	stop()
	w.Chat.Repeat()
	w.Run()
	w.Say(Ada, "/resume")
	w.Find(Ada, "The team goes on.")
	w.Chat.Repeat()
	w.Say(Ada, "/frobnicate")
	w.Find(Ada, "/frobnicate")
	w.Chat.Taken()
	if posts := w.Posts(Ada); len(posts) != 4 {
		w.Errorf("%+v", posts)
	}
	w.Tasks("delegate once")
	w.SaidOnce("said to all")
	w.Paused(1)
}

// While no bridge runs, what is said on both sides waits.
func gap(w *World) {
	stop := w.Linked(Ada)
	w.SayAll(Ada, "before it")
	var here, there []string
	for i := range 4 {
		w.Chat.Taken()
		stop()
		here, there = append(here, fmt.Sprintf("from the chat %d", i)), append(there, fmt.Sprintf("from the hub %d", i))
		w.Say(Ada, "@Helper "+here[i])
		w.SayAll(Ada, here[i])
		w.Notify(Ada, there[i])
		w.Chat.Forget()
		stop = w.Run()
	}
	w.SayAll(Ada, "after it")
	w.Chat.Taken()
	w.Once(Ada, there...)
	w.SaidOnce(slices.Concat([]string{"before it"}, here, []string{"after it"})...)
	w.Tasks("delegate from the chat 0; delegate from the chat 1; delegate from the chat 2; delegate from the chat 3")
}

// A connection that breaks is made anew. Nothing is lost or heard twice.
func brokenConnections(w *World) {
	w.Linked(Ada)
	var want []string
	say := func() {
		want = append(want, number(len(want)))
		w.SayAll(Ada, want[len(want)-1])
	}
	for range 4 {
		before := w.connected()
		say()
		w.Chat.Break()
		say()
		w.Until("the next connection", func(v View) bool { return v.Connected() > before })
		say()
	}
	w.Chat.Taken()
	w.SaidOnce(want...)
}
