package page

import (
	"net/url"
	"strings"

	"parley"
	"parley/internal/contact"
)

// What people write. Every form carries a key, so that one that is sent twice does once.

// say sends what was written in a composer: to somebody, or into a channel.
func (v *visit) say() (Done, error) {
	text, files, err := v.written()
	if err != nil {
		return Done{}, err
	}
	to := strings.TrimSpace(v.r.PostFormValue("place"))
	if to == "" {
		to, text = v.addressed(strings.TrimSpace(v.r.PostFormValue("to")), text)
	}
	if text+files == "" {
		return Done{}, parley.Errorf(parley.Invalid, "There is nothing to send.").WithHint("Write a message first.")
	}
	if strings.HasPrefix(to, "#") {
		return v.post(contact.Post{Channel: to, Message: text, Files: files}, "/c/"+url.PathEscape(parley.BareChannel(to)))
	}
	name, other, two := strings.Cut(strings.TrimPrefix(to, "@"), " @")
	if two {
		return v.post(contact.Post{Between: [2]string{name, other}, Message: text, Files: files}, "/dm/"+url.PathEscape(name)+"/"+url.PathEscape(other))
	}
	if name == "" {
		return Done{}, parley.Errorf(parley.Invalid, "The message is addressed to nobody.").WithHint("Begin with @name or #channel, or choose whom it is for.")
	}
	return v.tell(name, strings.TrimLeft(text+"\n\n"+files, "\n"))
}

// post writes in a channel, or in the dm of two others.
func (v *visit) post(p contact.Post, back string) (Done, error) {
	p.Attach, p.Key = true, v.Key
	posted, err := v.Contacts.Post(v.ctx, v.Caller, p)
	if err != nil {
		return Done{}, err
	}
	done := Done{Go: v.end(back)}
	if len(posted.Away)+len(posted.Misspelt)+len(posted.Unstarted) > 0 {
		done.Said = posted.Text(func(id parley.AgentID) string { return v.whois(id).Name })
	}
	return done, nil
}

// tell asks, hands over or notifies.
func (v *visit) tell(name, text string) (Done, error) {
	r := contact.Request{Target: name, Message: text, Attach: true, Key: v.Key}
	back := ""
	if id, err := parley.ParseThreadID(v.r.PostFormValue("thread")); err == nil {
		r.Thread = contact.ThreadChoice{Reuse: true, ID: id}
		back = "/thread/" + id.String()
	}
	how := v.r.PostFormValue("how")
	if how == "" {
		a, err := v.Reading.Agent(v.ctx, v.Caller, name)
		if err != nil {
			return Done{}, err
		}
		how = "ask"
		if a.Kind == parley.Person { // who reads it when there is time
			how = "notify"
		}
	}
	var made contact.Contact
	var err error
	switch how {
	case "delegate":
		made, err = v.Contacts.Delegate(v.ctx, v.Caller, r)
	case "notify":
		made, err = v.Contacts.Notify(v.ctx, v.Caller, r)
	case "ask":
		made, err = v.Contacts.OpenAsk(v.ctx, v.Caller, r)
	default:
		err = parley.Errorf(parley.Invalid, "There is no way of sending called %q.", how).WithHint("It is ask, delegate or notify.")
	}
	if back == "" {
		back = "/dm/" + url.PathEscape(made.Target)
	}
	return Done{Go: v.end(back)}, err
}

// end is the end of a conversation, for a browser that does not go there by itself.
func (v *visit) end(of string) string {
	if v.r.Header.Get(fetchHeader) != "" {
		return of
	}
	return of + "#end"
}

// addressed takes the addressee from the beginning of the text, if it names one. Where
// an addressee was chosen, only what is known names another: "#1 priority" is text.
func (v *visit) addressed(to, text string) (string, string) {
	if !strings.HasPrefix(text, "@") && !strings.HasPrefix(text, "#") {
		return to, text
	}
	if text[0] == '@' && strings.HasPrefix(to, "#") {
		return to, text // a mention within the channel
	}
	known := func(folded string) bool { _, _, ok := v.Reading.Named(v.Caller, folded); return ok }
	if folded, size := parley.MentionAt("", text[1:], known); text[0] == '@' && size > 0 { // it may have spaces
		if rest := strings.TrimLeft(text[1+size:], " ,:"); rest != "" {
			return "@" + folded, rest
		}
		return to, text
	}
	first, rest, found := strings.Cut(text, " ")
	first = strings.TrimRight(first, ",:")
	if !found || strings.Contains(first, "\n") || strings.Trim(first, "#@") == "" {
		return to, text
	}
	if to != "" && !v.isChannel(first) {
		return to, text
	}
	return first, strings.TrimSpace(rest)
}

// isChannel reports whether a word names a channel that the visitor can see.
func (v *visit) isChannel(word string) bool {
	_, err := v.Reading.Group(v.ctx, v.Caller, parley.BareChannel(word))
	return strings.HasPrefix(word, "#") && err == nil
}

// seen marks messages as read.
func (v *visit) seen() (Done, error) {
	var ids []parley.MessageID
	for _, name := range v.r.PostForm["message"] {
		id, err := parley.ParseMessageID(name)
		if err != nil {
			return Done{}, err
		}
		ids = append(ids, id)
	}
	return Done{}, v.Reading.MarkSeen(v.ctx, v.Caller, ids)
}
