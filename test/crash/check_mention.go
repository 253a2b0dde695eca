package crash

import "parley"

// mentioned reports whether a task was asked for by a mention in a channel.
func (t *task) mentioned() bool { return t.pattern == string(parley.Mention) }

// inGroup reports whether a message is in a group channel.
func (c *check) inGroup(m message) bool {
	pair, ok := c.channels[c.threads[m.thread].channel]
	return ok && pair[0] == 0
}

// checkMentions: a post is for those whom it mentions, and each of them has
// exactly one task for it, which belongs to no tree but its own. Nobody has read
// further than there is something to read.
func (c *check) checkMentions() {
	mentions := map[int64]int64{} // by message
	for _, t := range c.tasks {
		if !t.mentioned() {
			continue
		}
		mentions[t.request]++
		if t.parent != 0 || t.root != t.id || t.callback != parley.CallbackNone {
			c.wrong("task-%d is a mention below task-%d", t.id, t.parent)
		}
		if !c.isFor(t.request, t.agent) {
			c.wrong("task-%d was opened by message %d, which is not for %s", t.id, t.request, c.agents[t.agent])
		}
	}
	for id, m := range c.messages {
		if n := int64(len(c.deliveries[id])); m.kind == string(parley.PostMessage) && n != mentions[id] {
			c.wrong("message %d has %d deliveries and %d mentions", id, n, mentions[id])
		}
	}
	for _, m := range c.members {
		if t := c.threads[m.thread]; m.read > t.count {
			c.wrong("%s has read %d of %d in thread %d", c.agents[m.agent], m.read, t.count, t.id)
		}
	}
}

func (c *check) isFor(message, agent int64) bool {
	for _, d := range c.deliveries[message] {
		if d.recipient == agent {
			return true
		}
	}
	return false
}
