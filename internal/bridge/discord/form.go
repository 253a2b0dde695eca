package discord

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
)

// form is Discord's Markdown. Everything that could mean something in plain text is
// written with a backslash before it.
var form = markup.Form{
	Escape: escape,
	Bold:   markup.Around("**"),
	Italic: markup.Around("*"),
	Strike: markup.Around("~~"),
	Quote:  markup.Quoted,
	Code: func(text string) string {
		if text = markup.CodeLine(text); text == "" {
			return ""
		}
		return "`" + calls.ReplaceAllString(text, "@"+markup.Joiner+"$1") + "`"
	},
	Block: func(language, text string) string {
		text = strings.ReplaceAll(text, "``", "`"+markup.Joiner+"`"+markup.Joiner)
		return "```" + language + "\n" + calls.ReplaceAllString(text, "@"+markup.Joiner+"$1") + "\n```"
	},
	Link: func(text, address string) string {
		if text == "" {
			return link(address)
		}
		return text + " (" + link(address) + ")"
	},
	Longest: 1800,
	Size:    markup.Units,
}

// link writes an address. Between these brackets it shows no preview.
func link(address string) string { return "<" + addresses.Replace(address) + ">" }

var (
	addresses = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "`", "%60", " ", "%20", "\\", "%5C", "*", "%2A")
	// calls are what calls people, wherever it stands.
	calls = regexp.MustCompile(`(?i)@(everyone|here|[!&]?[0-9]|$)`)
	// pages are addresses of web pages in plain text.
	pages = regexp.MustCompile(`https?://[^\s<>"'` + "`" + `]+[^\s<>"'` + "`" + `.,:;!?*_~)\]]`)
	// invites would show who invites where.
	invites = regexp.MustCompile(`(?i)(discord(?:app)?\.)(gg|com|gift|new)\b`)
)

// escape makes plain text harmless. It is called for pieces of what will be one text, so
// what begins a piece counts as if it began a line, and what ends it as if the worst came
// next.
func escape(text string) string {
	var b strings.Builder
	for {
		at := pages.FindStringIndex(text)
		if at == nil || !usual(text[at[0]:at[1]]) {
			break
		}
		words(&b, text[:at[0]])
		b.WriteString(link(text[at[0]:at[1]]))
		text = text[at[1]:]
	}
	words(&b, text)
	return b.String()
}

// usual reports whether an address is that of a web page, without the name of a user.
func usual(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil
}

func words(b *strings.Builder, text string) {
	text = invites.ReplaceAllString(text, "$1"+markup.Joiner+"$2")
	begins := true
	for i, r := range text {
		rest := text[i+utf8.RuneLen(r):]
		switch {
		case strings.ContainsRune("\\*_~`|<>[]", r), r == ':' && pictured(rest), begins && strings.ContainsRune("#-+", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '@' && calls.MatchString("@"+rest[:min(len(rest), 8)]) && calls.FindStringIndex("@" + rest[:min(len(rest), 8)])[0] == 0, r == '@' && rest == "":
			b.WriteString("@" + markup.Joiner)
		default:
			b.WriteRune(r)
		}
		begins = r == '\n' || begins && (r == ' ' || r == '\t')
	}
}

// pictured reports whether what follows a colon may be the name of a picture, or an address.
func pictured(rest string) bool {
	return rest == "" || strings.HasPrefix(rest, "//") || rest[0] == '_' || rest[0] == '+' || rest[0] == '-' || rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z' || rest[0] >= '0' && rest[0] <= '9'
}

// whole is a post with its author on the first line. No text has the mark before the name.
func whole(p bridge.Post) string {
	head := markup.HubMark + " **parley**"
	switch p.From.Kind {
	case bridge.ByAgent:
		head = markup.AgentMark + " **" + escape(p.From.Name) + "**"
	case bridge.ByPerson:
		head = markup.PersonMark + " **" + escape(p.From.Name) + "**"
	}
	if p.Again {
		head += " (perhaps a repeat)"
	}
	text := head + "\n" + p.Text
	if n := len(p.Buttons); n > mostButtons {
		text += fmt.Sprintf("\n(%d of %d have a button here. Answer with the words of another.)", mostButtons, n)
	}
	return text
}
