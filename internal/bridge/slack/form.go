package slack

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/internal/bridge/markup"
)

// form is mrkdwn. Slack has no way to write its marks of emphasis plainly, so in plain
// text they may still make words bold; everything that calls people, shows a picture or
// names an address is made harmless.
var form = markup.Form{
	Escape: escape,
	Bold:   markup.Around("*"),
	Italic: markup.Around("_"),
	Strike: markup.Around("~"),
	Quote:  markup.Quoted,
	Code: func(text string) string {
		if text = markup.CodeLine(text); text == "" {
			return ""
		}
		return "`" + entities.Replace(text) + "`"
	},
	Block: func(_, text string) string {
		return "```\n" + entities.Replace(strings.ReplaceAll(text, "``", "`"+markup.Joiner+"`"+markup.Joiner)) + "\n```"
	},
	Link: func(text, address string) string {
		address = "<" + harmless(address) + ">"
		if text == "" {
			return address
		}
		return text + " (" + address + ")"
	},
	Longest: 2700,
	Size:    markup.Units,
}

// harmless writes an address so that it ends nowhere else, and shows no pictures.
func harmless(address string) string {
	address = addresses.Replace(address)
	host := strings.Index(address, "://") + len("://")
	path := strings.IndexAny(address[host:], "/?#")
	if path < 0 {
		return address
	}
	return address[:host+path] + strings.ReplaceAll(address[host+path:], ":", "%3A")
}

var (
	entities  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	addresses = strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C", "`", "%60", " ", "%20")
	// everybody are the names that call a whole channel.
	everybody = regexp.MustCompile(`(?i)^(channel|here|everyone|group)`)
)

// escape makes plain text harmless. It is called for pieces of what will be one text, so
// what ends a piece counts as if the worst came next.
func escape(text string) string {
	var b strings.Builder
	for i, r := range text {
		next := text[i+utf8.RuneLen(r):]
		b.WriteRune(r)
		switch {
		case r == '`', // no three in a row
			r == ':' && (next == "" || !strings.ContainsRune(" \n\t/0123456789", rune(next[0]))), // no name of a picture
			r == '@' && (next == "" || everybody.MatchString(next)):
			b.WriteString(markup.Joiner)
		}
	}
	return entities.Replace(b.String())
}
