package config

import (
	"slices"

	"parley"
	"parley/internal/policy"
	"parley/internal/yamlfile"
)

// Channel is a group channel that parley.yaml names.
type Channel struct {
	Name  string
	Topic string
	// Members are names, or * for everyone in the team.
	Members []string
}

// ChannelChange says that a channel was made, changed or removed.
type ChannelChange struct{ Channel, What string }

// CompareChannels says what has changed.
func CompareChannels(before, now []Channel) (list []ChannelChange) {
	for _, ch := range now {
		old := ch.in(before)
		switch {
		case old == nil:
			list = append(list, ChannelChange{"#" + ch.Name, "made"})
		case old.Name != ch.Name || old.Topic != ch.Topic || !slices.Equal(old.Members, ch.Members):
			list = append(list, ChannelChange{"#" + ch.Name, "changed"})
		}
	}
	for _, ch := range before {
		if ch.in(now) == nil {
			list = append(list, ChannelChange{"#" + ch.Name, "removed"})
		}
	}
	return list
}

// in finds the channel of the same name.
func (c Channel) in(list []Channel) *Channel {
	i := slices.IndexFunc(list, func(other Channel) bool { return parley.FoldName(other.Name) == parley.FoldName(c.Name) })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// channelsInto accepts a list of {name: NAME, topic: TEXT, members: [NAME, …]};
// members may be "*".
func channelsInto(dst *[]Channel) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		for _, item := range items {
			ch, wrongs := readChannel(item)
			twice := slices.ContainsFunc(*dst, func(c Channel) bool { return parley.FoldName(c.Name) == parley.FoldName(ch.Name) })
			if wrongs == nil && twice {
				wrongs = item.Wrong("The channel #%s is in the list twice.", ch.Name)
			}
			found = append(found, wrongs...)
			*dst = append(*dst, ch)
		}
		return found
	}
}

func readChannel(v yamlfile.Value) (Channel, []yamlfile.Mistake) {
	var c Channel
	fields, found := v.Fields([]yamlfile.Key{
		{Name: "name", Read: channelNameInto(&c.Name), Explicit: true},
		{Name: "topic", Read: textInto(&c.Topic)},
		{Name: "members", Read: membersInto(&c.Members), Explicit: true},
	})
	if found != nil {
		return c, found
	}
	if !fields.Has("name") || !fields.Has("members") {
		return c, v.Wrong(`A channel has a name and members, like {name: standup, members: [a, b]} or members: "*".`)
	}
	return c, nil
}

func channelNameInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		*dst = parley.BareChannel(s)
		if err := parley.CheckChannelName(*dst); err != nil {
			return v.Wrong("%s", parley.Public(err))
		}
		return nil
	}
}

// membersInto accepts a list of names, or * for everyone.
func membersInto(dst *[]string) yamlfile.Reader {
	names := namesInto(dst)
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if s, _ := v.Trimmed(); s == policy.Everyone {
			*dst = []string{policy.Everyone}
			return nil
		}
		return names(v)
	}
}

// channelStrangers warns of members that are in no file. This is not a mistake:
// the member's own file may be the broken one.
func channelStrangers(t *Team, known map[string]bool) (found []Problem) {
	for _, c := range t.Channels {
		for _, name := range c.Members {
			if name != policy.Everyone && !known[parley.FoldName(name)] {
				found = append(found, Problem{File: TeamFile,
					Message: "The member \"" + name + "\" of #" + c.Name + " is not in this team's files."})
			}
		}
	}
	return found
}
