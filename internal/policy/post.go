package policy

import "parley"

// PostIn is writing in a channel, given by its name.
func PostIn(channel string) Call { return Call{Action: Action(ChannelOp, "send #"+channel)} }

// ReadIn is reading one.
func ReadIn(channel string) Call { return Call{Action: Action(ChannelOp, "read #"+channel)} }

// DecidePost takes one post out of the author's minute, however many it mentions.
// Its target and pattern do not matter.
func DecidePost(c Contact) (parley.Rate, *parley.Error) {
	var d Decision
	err := d.spend(c)
	return d.Rate, err
}

// DecideMention says what follows from a mention: how deep its task is, and when
// it begins. A post is paid for once; see DecidePost.
func DecideMention(c Contact) (Decision, *parley.Error) {
	c.Pattern = parley.Mention
	d := Decision{Rate: c.Sender.Rate}
	if err := d.reach(c); err != nil {
		return d, err
	}
	return d, d.nest(c)
}
