package parley

import "strings"

// Member is a participant of a group channel.
type Member struct {
	Channel ChannelID
	Agent   AgentID
	// Read is how far the member has read, as a message number.
	Read     int
	JoinedAt Micros
	// Home is the team folder whose files name the member. It is empty for one
	// who was invited.
	Home string
}

// CheckChannelName checks whether s may name a group channel. A channel is
// shown as #name, so its name has no spaces.
func CheckChannelName(s string) error {
	if err := CheckName(s); err != nil {
		return err
	}
	if strings.ContainsRune(s, ' ') {
		return Errorf(Invalid, "The channel name %q contains a space; letters, digits and -_. are allowed.", s)
	}
	return nil
}

// BareChannel is a channel's name without the leading #.
func BareChannel(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "#") }

// Place names the channel above its messages.
func (c Channel) Place() string {
	if c.Kind == Group {
		return "#" + c.Name
	}
	return "dm"
}

// PostText is how a member reads a post.
func PostText(from, place, body string) string {
	return "[Channel Message from " + from + " | " + place + "]\n\n" + Quote(body)
}

// PostedText tells the author of a post whose turns it starts, now or later,
// and who cannot be reached.
func PostedText(place string, mentioned, later, away []string) string {
	text := "Posted in " + place + "."
	for _, part := range []struct {
		names []string
		one   string
		many  string
	}{
		{mentioned, "replies there.", "reply there."},
		{later, "sleeps and replies after that.", "sleep and reply after that."},
		{away, "is offline: the message is stored, and nothing was started.", "are offline: the message is stored, and nothing was started for them."},
	} {
		switch len(part.names) {
		case 0:
		case 1:
			text += " " + part.names[0] + " " + part.one
		default:
			last := len(part.names) - 1
			text += " " + strings.Join(part.names[:last], ", ") + " and " + part.names[last] + " " + part.many
		}
	}
	return text
}

// ErrMentionTurns refuses a mention past the limit along a chain of causes.
func ErrMentionTurns(limit int) *Error {
	return Errorf(Limited, "Mentions by agents have caused %d turns, the limit for one message of a person or one task (mention_turns).", limit).
		WithRule(RuleMentionTurns).WithHint("A person's next message begins a new count.")
}

// RuleMentionTurns names that limit in refusals.
const RuleMentionTurns = "mention_turns"

// UnstartedText tells who was not started although they were mentioned, and why.
func UnstartedText(names []string, limit int) string {
	return "Not started: " + strings.Join(names, ", ") + ". " + ErrMentionTurns(limit).Error()
}

// NoticeText is how a member reads what the hub says in a channel.
func NoticeText(body string) string { return "[Channel Notice]\n\n" + Quote(body) }

// ErrNoChannel refuses a channel that does not exist, or that the caller is not
// in. The two look the same, so that nobody learns of channels of others.
func ErrNoChannel(name string, near []string) *Error {
	e := Errorf(NotFound, "Channel '#%s' not found.", Clip(BareChannel(name), 64)).WithRule("unknown")
	if len(near) == 0 {
		return e
	}
	return e.WithHint("Did you mean #%s?", strings.Join(near, ", #"))
}

// ErrNotMember refuses a post that mentions somebody who would not see it.
func ErrNotMember(name, place string) *Error {
	e := Errorf(Conflict, "%s is not a member of %s; nothing was posted.", name, place)
	return e.WithRule("member").WithHint("Leave the mention out, or contact %s directly.", name)
}
