package crash

// checkThreads: the messages of a thread are numbered without a gap, and each
// names the one before it.
func (c *check) checkThreads() {
	inThread := map[int64]map[int64]message{}
	for _, m := range c.messages {
		if inThread[m.thread] == nil {
			inThread[m.thread] = map[int64]message{}
		}
		if other, twice := inThread[m.thread][m.n]; twice {
			c.wrong("messages %d and %d are both number %d of thread %d", m.id, other.id, m.n, m.thread)
		}
		inThread[m.thread][m.n] = m
	}
	for id, list := range inThread {
		t, ok := c.threads[id]
		if !ok {
			c.wrong("%d messages are in thread %d, which does not exist", len(list), id)
			continue
		}
		c.checkThread(t, list)
	}
	for id, t := range c.threads {
		if t.count > 0 && inThread[id] == nil {
			c.wrong("thread %d counts %d messages and has none", id, t.count)
		}
		if _, ok := c.channels[t.channel]; !ok {
			c.wrong("thread %d is in channel %d, which does not exist", id, t.channel)
		}
	}
}

func (c *check) checkThread(t thread, list map[int64]message) {
	if int64(len(list)) != t.count {
		c.wrong("thread %d counts %d messages and has %d", t.id, t.count, len(list))
	}
	prev := int64(0)
	for n := int64(1); n <= t.count; n++ {
		m, ok := list[n]
		if !ok {
			c.wrong("thread %d has no message number %d", t.id, n)
			return
		}
		if m.prev != prev {
			c.wrong("message %d of thread %d names %d as the one before it, which is %d", m.id, t.id, m.prev, prev)
		}
		prev = m.id
	}
	if t.last != prev {
		c.wrong("thread %d names message %d as its last one, which is %d", t.id, t.last, prev)
	}
}

// checkDeliveries: every message has one record of its delivery, to a member
// of its channel, and what was answered was seen, and what was seen delivered.
func (c *check) checkDeliveries() {
	for id, m := range c.messages {
		list := c.deliveries[id]
		if c.inGroup(m) {
			continue // see checkMentions
		}
		if len(list) != 1 {
			c.wrong("message %d has %d deliveries", id, len(list))
			continue
		}
		d := list[0]
		members := c.channels[c.threads[m.thread].channel]
		if d.recipient != members[0] && d.recipient != members[1] || d.recipient == m.author {
			c.wrong("message %d of %s is for %s", id, c.agents[m.author], c.agents[d.recipient])
		}
		if d.answered != 0 && d.seen == 0 || d.seen != 0 && d.delivered == 0 {
			c.wrong("message %d was delivered at %d, seen at %d and answered at %d", id, d.delivered, d.seen, d.answered)
		}
	}
	for id := range c.deliveries {
		if _, ok := c.messages[id]; !ok {
			c.wrong("there is a delivery of message %d, which does not exist", id)
		}
	}
}
