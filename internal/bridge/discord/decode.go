package discord

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/internal/bridge/markup"
)

// special is what stands between angle brackets: a person, a role, a channel, a command, a
// picture, a time, or a page of the server.
var special = regexp.MustCompile(`<(?:@(!?|&)([0-9]{1,20})|#([0-9]{1,20})|/([^:<>\n]{1,100}):[0-9]{1,20}|a?:([A-Za-z0-9_]{1,40}):[0-9]{1,20}|t:(-?[0-9]{1,12})(?::[a-zA-Z])?|id:([a-z-]{1,20}))>`)

var everybody = regexp.MustCompile(`@(everyone|here)`)

// decode reads a text as somebody has typed it, and says whether it mentions the bot. Names
// that are mentioned call nobody in the team: they are names of others, who choose them.
func decode(text, me string, person, channel func(id string) string) (plain string, addressed bool) {
	text = everybody.ReplaceAllString(text, "@"+markup.Joiner+"$1")
	text = special.ReplaceAllStringFunc(text, func(s string) string {
		m := special.FindStringSubmatch(s)
		switch {
		case m[2] == me && m[1] != "&":
			addressed = true
			return ""
		case m[2] != "" && m[1] == "&":
			return markup.Calm("role " + m[2])
		case m[2] != "":
			return markup.Calm(person(m[2]))
		case m[3] != "":
			return "#" + markup.Uncalled(channel(m[3]))
		case m[4] != "":
			return markup.Joiner + "/" + markup.Uncalled(m[4]) // it is no command
		case m[5] != "":
			return ":" + m[5] + ":"
		case m[6] != "":
			at, _ := strconv.ParseInt(m[6], 10, 64) // twelve digits at most
			return time.Unix(at, 0).UTC().Format("2006-01-02 15:04 UTC")
		}
		return "#" + m[7]
	})
	return strings.TrimSpace(text), addressed
}
