package turn

import (
	"fmt"

	"parley/internal/model"
)

// fit leaves out of a request what its model could not read. asked is the place
// of the request that the turn is about. The system text, that request and the
// newest are always kept; what goes first is the oldest of what was said before
// the request, then the oldest of what happened on the task since. A call is
// never parted from its result. If that is not enough, the longest texts are cut.
// What still does not fit is left to the provider to refuse.
func fit(r model.Request, asked int, m model.Model) model.Request {
	b, ok := m.(model.Bounded)
	if !ok {
		return r
	}
	window, reply := b.Window()
	if window <= 0 {
		return r
	}
	left := room(window, reply) - frame(r)
	r.Messages = cutLongest(trim(r.Messages, asked, left), left)
	return r
}

// frame is what a request has besides its messages, in tokens.
func frame(r model.Request) int {
	n := tokens(r.System)
	for _, t := range r.Tools {
		n += messageTokens + tokens(t.Name) + tokens(t.Description) + tokens(string(t.Schema))
	}
	return n
}

// room is what a window leaves for a request: not the reply, and not what the
// estimate may be wrong by.
func room(window, reply int) int {
	reply = min(reply, window/4)
	return window - reply - window/20
}

// trim leaves out the oldest units until the rest fits.
func trim(messages []model.Message, asked, room int) []model.Message {
	units := unitsOf(messages)
	total := 0
	for _, u := range units {
		total += u.tokens
	}
	drop := make([]bool, len(units))
	for i, u := range units {
		newest := i == len(units)-1
		holdsRequest := u.from <= asked && asked < u.to
		if total <= room {
			break
		}
		if !newest && !holdsRequest {
			drop[i] = true
			total -= u.tokens
		}
	}
	return without(messages, units, drop)
}

// unit is a run of messages that stays together: a reply with the results of its
// calls, or any other message.
type unit struct{ from, to, tokens int }

func unitsOf(messages []model.Message) []unit {
	var list []unit
	for i, m := range messages {
		if m.Role == model.ToolResult && len(list) > 0 {
			last := &list[len(list)-1]
			last.to, last.tokens = i+1, last.tokens+sizeOf(m)
			continue
		}
		list = append(list, unit{from: i, to: i + 1, tokens: sizeOf(m)})
	}
	return list
}

// without leaves units out, and says so where they were: a model that does not
// know what it misses makes it up.
func without(messages []model.Message, units []unit, drop []bool) []model.Message {
	var kept []model.Message
	missing := 0
	for i, u := range units {
		if drop[i] {
			missing += u.to - u.from
			continue
		}
		if missing > 0 {
			kept = append(kept, model.Message{Role: model.User, Text: fmt.Sprintf("[%d earlier messages are left out here, because they no longer fit.]", missing)})
			missing = 0
		}
		kept = append(kept, messages[u.from:u.to]...)
	}
	return kept
}

const (
	// messageTokens is what the frame of a message costs.
	messageTokens = 4
	// callTokens is what the frame of a call costs.
	callTokens = 12
)

func sizeOf(m model.Message) int {
	n := messageTokens + tokens(m.Text) + tokens(string(m.Private))
	for _, c := range m.Calls {
		n += callTokens + tokens(c.Name) + tokens(string(c.Args))
	}
	return n
}

// tokens estimates how many tokens a text has, rather too many than too few. Each
// provider counts in its own way and none of them offline; published figures are
// 3.5 to 4 letters of English for a token, 3 digits, and about one for each sign
// of Chinese or Japanese. Code has more signs between its letters, which count
// more.
func tokens(s string) int {
	tenths := 0
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == ' ':
			tenths += 3
		case r >= '0' && r <= '9':
			tenths += 5
		case r < 0x80:
			tenths += 6
		case r < 0x2E80: // accents, Greek, Cyrillic, Arabic
			tenths += 7
		case r < 0x10000:
			tenths += 11
		default: // pictures
			tenths += 25
		}
	}
	return (tenths + 9) / 10
}
