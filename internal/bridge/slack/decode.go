package slack

import (
	"strings"

	"parley/internal/bridge/markup"
)

// decoded is a text as somebody has typed it.
type decoded struct {
	text      string
	addressed bool // it mentions the bot
}

// decode reads mrkdwn as Slack hands it out: everything between angle brackets is
// something else than text, and three characters are written as entities. Names that are
// mentioned call nobody in the team: they are names of others, who choose them.
func decode(text, bot string, name func(user string) string) (d decoded) {
	var b strings.Builder
	for text != "" {
		at := strings.IndexByte(text, '<')
		end := strings.IndexByte(text, '>')
		if at < 0 || end < at {
			break
		}
		b.WriteString(plain.Replace(text[:at]))
		inside, label, _ := strings.Cut(text[at+1:end], "|")
		text = text[end+1:]
		if inside == "@"+bot {
			d.addressed = true
			text = strings.TrimPrefix(text, " ")
			continue
		}
		b.WriteString(special(inside, label, name))
	}
	b.WriteString(plain.Replace(text))
	d.text = strings.TrimSpace(b.String())
	return d
}

var plain = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// special reads what is between angle brackets.
func special(inside, label string, name func(string) string) string {
	label = plain.Replace(label)
	switch {
	case strings.HasPrefix(inside, "@"):
		if label == "" {
			label = name(inside[1:])
		}
		return markup.Calm(label)
	case strings.HasPrefix(inside, "#"):
		if label == "" {
			label = inside[1:]
		}
		return markup.Uncalled("#" + strings.TrimPrefix(label, "#"))
	case strings.HasPrefix(inside, "!"):
		word, _, _ := strings.Cut(inside[1:], "^")
		if label == "" {
			label = word
		}
		return markup.Calm(label)
	}
	address := plain.Replace(inside)
	if mail, ok := strings.CutPrefix(address, "mailto:"); ok {
		address = mail
	}
	if label == "" || label == address || "http://"+label == address || "https://"+label == address {
		return address
	}
	return markup.Uncalled(label) + " (" + address + ")"
}
