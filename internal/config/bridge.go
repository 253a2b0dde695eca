package config

import (
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/timing"
	"parley/internal/yamlfile"
)

// Bridge is a chat program that the team is in.
type Bridge struct {
	Program string
	// Keys are the names of the environment variables with what the program asks for, by
	// the keys of the section, such as token_env. The secrets themselves are never in a
	// file.
	Keys map[string]string
	// Channels maps group channels to the program's ids of conversations.
	Channels map[string]string
	// API is where the program is, if that is not its own address.
	API string
	// Summary is when people get a summary of the day, as 18:30; empty for never. Zone is
	// the time zone of that; empty is UTC.
	Summary string
	Zone    string
}

// bridgeKeys are the programs, and the variables that they use if the files name no
// others.
var bridgeKeys = map[string]map[string]string{
	"telegram": {"token_env": "TELEGRAM_BOT_TOKEN"},
	"slack":    {"bot_token_env": "SLACK_BOT_TOKEN", "app_token_env": "SLACK_APP_TOKEN"},
	"discord":  {"token_env": "DISCORD_BOT_TOKEN"},
}

// bridgesInto accepts a section for each program.
func bridgesInto(dst *[]Bridge) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var keys []yamlfile.Key
		for _, program := range slices.Sorted(maps.Keys(bridgeKeys)) {
			keys = append(keys, yamlfile.Key{Name: program, Explicit: true, Read: func(v yamlfile.Value) []yamlfile.Mistake {
				b := Bridge{Program: program, Keys: map[string]string{}, Channels: map[string]string{}}
				found := b.read(v)
				*dst = append(*dst, b)
				return found
			}})
		}
		_, found := v.Fields(keys)
		return found
	}
}

func (b *Bridge) read(v yamlfile.Value) []yamlfile.Mistake {
	keys := []yamlfile.Key{
		{Name: "channels", Read: conversationsInto(b.Channels)},
		{Name: "api", Read: apiInto(&b.API)},
		{Name: "summary", Read: clockInto(&b.Summary)},
		{Name: "zone", Read: zoneInto(&b.Zone), Explicit: true},
	}
	for name, usual := range bridgeKeys[b.Program] {
		b.Keys[name] = usual
		keys = append(keys, yamlfile.Key{Name: name, Explicit: true, Read: func(v yamlfile.Value) []yamlfile.Mistake {
			variable := usual
			found := variableInto(&variable)(v)
			b.Keys[name] = variable
			return found
		}})
	}
	_, found := v.Fields(append(keys, noSecrets()...))
	return found
}

// apiInto accepts an address to which secrets are sent, so nobody may read along on the way.
func apiInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if found := hookInto(dst)(v); found != nil {
			return found
		}
		u, _ := url.Parse(*dst) // it was accepted
		if ip, err := netip.ParseAddr(u.Hostname()); u.Scheme == "https" || u.Hostname() == "localhost" || err == nil && ip.IsLoopback() {
			return nil
		}
		return v.Wrong("Expected an address that begins with https://, since keys are sent there. Only this machine's own may begin with http://.")
	}
}

// conversationsInto accepts the names of channels with the program's ids of conversations.
func conversationsInto(dst map[string]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		entries, found := v.Entries("channels and the ids of chats, like standup: \"-1001234567890\"")
		places := map[string]bool{}
		for _, e := range entries {
			name := parley.BareChannel(e.Key)
			text, wrongs := e.Trimmed()
			switch {
			case wrongs != nil:
			case parley.CheckName(name) != nil:
				wrongs = e.WrongKey("%q is not the name of a channel.", e.Key)
			case text == "" || len(text) > 200 || strings.ContainsAny(text, " \t\n"):
				wrongs = e.Wrong("Expected the id of a chat, like \"-1001234567890\".")
			case places[text]:
				wrongs = e.Wrong("The chat %s is connected to another channel already.", text)
			}
			found = append(found, wrongs...)
			dst[name], places[text] = text, true
		}
		return found
	}
}

// clockInto accepts a time of the day.
func clockInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		at, err := time.Parse("15:04", s)
		if err != nil {
			return v.Wrong("Expected a time of the day like \"18:30\", not %q.", s)
		}
		*dst = at.Format("15:04")
		return nil
	}
}

// zoneInto accepts the name of a time zone.
func zoneInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		if _, err := timing.Zone(s); err != nil {
			return v.Wrong("%s", parley.Public(err))
		}
		*dst = s
		return nil
	}
}
