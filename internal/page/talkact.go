package page

import (
	"net/http"
	"strconv"
	"strings"

	"parley"
)

// read records how far the visitor was shown a conversation: a channel up to a number,
// and messages that are for the visitor.
func (v *visit) read() (Done, error) {
	var ids []parley.MessageID
	for given := range strings.SplitSeq(v.r.PostFormValue("seen"), ",") {
		if id, err := parley.ParseMessageID(given); err == nil {
			ids = append(ids, id)
		}
	}
	if err := v.Reading.MarkSeen(v.ctx, v.Caller, ids); err != nil {
		return Done{}, err
	}
	name, isChannel := strings.CutPrefix(v.r.PostFormValue("place"), "#")
	if !isChannel {
		return Done{}, nil
	}
	upto, err := strconv.Atoi(v.r.PostFormValue("upto"))
	if err != nil || upto < 1 {
		return Done{}, parley.Errorf(parley.Invalid, "It is not said how far %q was read.", "#"+name)
	}
	return Done{}, v.Reading.ReadGroup(v.ctx, v.Caller, name, upto)
}

// stop cancels the task in which an agent speaks.
func (v *visit) stop() (Done, error) {
	id, err := parley.ParseTaskID(v.r.PostFormValue("task"))
	if err != nil {
		return Done{}, err
	}
	return Done{}, v.Contacts.Cancel(v.ctx, v.Caller, id)
}

// Text is one message, whole.
type Text struct {
	ID    parley.MessageID
	Who   Who
	At    parley.Micros
	Text  string
	Bytes int
}

func (t Text) Titled() (title, here string) { return t.ID.String(), "/talk" }

func (v *visit) text() (t Text, err error) {
	id, err := parley.ParseMessageID(v.r.PathValue("id"))
	if err != nil {
		return t, err
	}
	m, err := v.Reading.Message(v.ctx, v.Caller, id)
	if err != nil {
		return t, err
	}
	t = Text{ID: id, Who: v.whois(m.Author), At: m.At, Text: m.Body}
	if m.Whole != "" {
		t.Text = m.Whole
	}
	t.Bytes = len(t.Text)
	return t, nil
}

// download serves the text of a message as a file.
func (d *Door) download(path string) {
	d.add(path)
	d.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		v, ok := d.enter(w, r)
		if !ok {
			return
		}
		t, err := v.text()
		if err != nil {
			v.fail(err)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Disposition", `attachment; filename="`+t.ID.String()+`.txt"`)
		_, _ = w.Write([]byte(t.Text)) // the browser is gone
	})
}
