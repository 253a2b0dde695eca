package policy

import "parley"

// PostIn is the call that writes in a channel, given by its name.
func PostIn(channel string) Call { return Call{Action: Action(ChannelOp, "send #"+channel)} }

// ReadIn is the call that reads a channel.
func ReadIn(channel string) Call { return Call{Action: Action(ChannelOp, "read #"+channel)} }

// DecidePost counts a post against the author's rate: as one contact for each turn
// that its mentions start, and as one if they start none. Target and pattern do not
// matter.
func DecidePost(c Contact, turns int) (parley.Rate, *parley.Error) {
	var d Decision
	err := d.countRate(c, max(turns, 1))
	return d.Rate, err
}

// DecideMention decides how deep a mention's task is and when it begins. The post
// itself is counted once, by DecidePost.
func DecideMention(c Contact) (Decision, *parley.Error) {
	c.Pattern = parley.Mention
	d := Decision{Rate: c.Sender.Rate}
	if err := d.checkTarget(c); err != nil {
		return d, err
	}
	return d, d.countDepth(c)
}
