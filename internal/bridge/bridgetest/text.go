package bridgetest

import (
	"fmt"
	"slices"
	"strings"
)

// A long text is split, between paragraphs if it has some. Every part says whose it is, and no word is lost.
func longTexts(w *World) {
	w.Linked(Ada)
	w.Notify(Ada, strings.Repeat(strings.Repeat("word & <b> ", 100)+"\n\n", 4)+"the end")
	w.Find(Ada, "the end")
	parts, words := w.Posts(Ada)[1:], 0
	if len(parts) < 2 || len(parts) > 5 {
		w.Fatalf("%d parts", len(parts))
	}
	for i, p := range parts {
		if p.From != "🤖 Helper" || w.Is.Numbered && p.Part != fmt.Sprintf("%d/%d", i+1, len(parts)) {
			w.Errorf("%+v", p)
		}
		words += strings.Count(p.Text, "word & <b>")
	}
	if words != 400 {
		w.Errorf("%d of 400 words", words)
	}
	w.Notify(Ada, "Begin. "+strings.Repeat("A few words. ", 400)+"End.")
	w.Once(Ada, "Begin.", "End.")
}

// A very long text begins in a post, and is attached whole: once, whatever happens to the
// calls. When it is redacted, both go.
func attachedTexts(w *World) {
	w.Linked(Ada)
	for i, fault := range []Fault{Fine, Unanswered, Unheard} {
		if w.Is.Settles {
			w.Chat.FailFiles(fault)
		}
		begin, after := fmt.Sprintf("Long %d. ", i), fmt.Sprintf("After %d.", i)
		text := begin + strings.Repeat("A secret & more.\n\n", 2000) + "The end."
		id := w.Notify(Ada, text)
		w.Notify(Ada, after)
		w.Once(Ada, begin, after)
		mine := func(v View) []File {
			return slices.DeleteFunc(v.Files(), func(f File) bool { return !strings.HasPrefix(f.Text, begin) })
		}
		w.Until("one file", func(v View) bool {
			files := mine(v)
			return len(files) == 1 && files[0].Text == text+"\n" && files[0].Name == id.String()+".txt"
		})
		if p := w.Find(Ada, begin); p.From != "🤖 Helper" {
			w.Errorf("%+v", p)
		}
		w.Redact(id)
		w.Gone(begin)
	}
	w.Gone("A secret")
}

// What is redacted is taken back in the chat too.
func redaction(w *World) {
	w.Linked(Ada)
	id := w.Notify(Ada, "the password is hunter2, do not tell")
	w.Find(Ada, "hunter2")
	w.Redact(id)
	w.Gone("hunter2")
}
