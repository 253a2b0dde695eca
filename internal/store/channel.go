package store

import "parley"

const (
	channelCols    = `id, team_id, kind, a_id, b_id, main_thread, name, topic, home, removed`
	channelColsOfC = `c.id, c.team_id, c.kind, c.a_id, c.b_id, c.main_thread, c.name, c.topic, c.home, c.removed`
)

func scanChannel(r Row) parley.Channel {
	return parley.Channel{
		ID: parley.ChannelID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Kind: parley.ChannelKind(r.Text(2)),
		A: parley.AgentID(r.Int(3)), B: parley.AgentID(r.Int(4)), Main: parley.ThreadID(r.Int(5)),
		Name: r.Text(6), Topic: r.Text(7), Home: r.Text(8), Removed: r.Int(9) != 0,
	}
}

const (
	threadCols     = `id, channel_id, last_message, message_count, a_id, a_read, b_read, kept`
	threadColsOfT  = `t.id, t.channel_id, t.last_message, t.message_count, t.a_id, t.a_read, t.b_read, t.kept`
	threadColCount = 8
)

func scanThread(r Row) parley.Thread {
	return parley.Thread{
		ID: parley.ThreadID(r.Int(0)), Channel: parley.ChannelID(r.Int(1)),
		Last: parley.MessageID(r.Int(2)), Count: int(r.Int(3)),
		First: parley.AgentID(r.Int(4)), Read: [2]int{int(r.Int(5)), int(r.Int(6))}, Kept: r.Int(7) != 0,
	}
}

func (tx *Tx) Channel(id parley.ChannelID) (c parley.Channel, err error) {
	err = tx.one(`SELECT `+channelCols+` FROM channel WHERE id = $1`, func(r Row) { c = scanChannel(r) }, int64(id))
	return c, err
}

// DM reads the channel of a pair, if they have talked before.
func (tx *Tx) DM(x, y parley.AgentID) (c parley.Channel, err error) {
	err = tx.one(`SELECT `+channelCols+` FROM channel WHERE a_id = $1 AND b_id = $2`,
		func(r Row) { c = scanChannel(r) }, int64(min(x, y)), int64(max(x, y)))
	return c, err
}

// RecentDM is a dm with the number of messages in its main thread.
type RecentDM struct {
	parley.Channel
	Count int
}

// RecentDMs reads the dms of a team in which something was said last, the newest first.
func (tx *Tx) RecentDMs(team parley.TeamID, limit int) (list []RecentDM, err error) {
	err = tx.query(`SELECT `+channelColsOfC+`, t.message_count FROM channel c JOIN thread t ON t.id = c.main_thread
		WHERE c.team_id = $1 AND c.kind = 'dm' AND t.message_count > 0 ORDER BY t.last_message DESC LIMIT $2`, func(r Row) {
		list = append(list, RecentDM{Channel: scanChannel(r), Count: int(r.Int(10))})
	}, int64(team), int64(limit))
	return list, err
}

// EnsureDM reads the channel of a pair, or creates it with its main thread. Two
// callers at once create only one.
func (tx *Tx) EnsureDM(team parley.TeamID, x, y parley.AgentID) (parley.Channel, error) {
	c, err := tx.DM(x, y)
	if err != ErrNotFound {
		return c, err
	}
	id, main := tx.conn.NextID(SeqChannel), tx.conn.NextID(SeqThread)
	tx.exec(`INSERT INTO channel (id, team_id, kind, a_id, b_id, main_thread) VALUES ($1, $2, 'dm', $3, $4, $5)
		ON CONFLICT (a_id, b_id) DO NOTHING`, id, int64(team), int64(min(x, y)), int64(max(x, y)), main)
	c, err = tx.DM(x, y)
	if err == nil && c.Main == parley.ThreadID(main) {
		tx.exec(insertThread, main, int64(c.ID), int64(c.A))
	}
	return c, err
}

const insertThread = `INSERT INTO thread (id, channel_id, a_id) VALUES ($1, $2, $3)`

// InsertThread starts a new conversation in a channel.
func (tx *Tx) InsertThread(in parley.Channel) parley.Thread {
	t := parley.Thread{ID: parley.ThreadID(tx.conn.NextID(SeqThread)), Channel: in.ID, First: in.A}
	tx.exec(insertThread, int64(t.ID), int64(in.ID), int64(in.A))
	return t
}

// SetMain makes another thread of a channel its main one.
func (tx *Tx) SetMain(channel parley.ChannelID, thread parley.ThreadID) {
	tx.exec(`UPDATE channel SET main_thread = $1 WHERE id = $2`, int64(thread), int64(channel))
}

func (tx *Tx) Thread(id parley.ThreadID) (t parley.Thread, err error) {
	err = tx.one(`SELECT `+threadCols+` FROM thread WHERE id = $1`,
		func(r Row) { t = scanThread(r) }, int64(id))
	return t, err
}

// Threads reads the threads of a channel, oldest first.
func (tx *Tx) Threads(in parley.ChannelID) (list []parley.Thread, err error) {
	err = tx.query(`SELECT `+threadCols+` FROM thread WHERE channel_id = $1 ORDER BY id`,
		func(r Row) { list = append(list, scanThread(r)) }, int64(in))
	return list, err
}

// LatestThread reads the newest thread of a channel.
func (tx *Tx) LatestThread(in parley.ChannelID) (t parley.Thread, err error) {
	err = tx.one(`SELECT `+threadCols+` FROM thread WHERE channel_id = $1
		ORDER BY id DESC LIMIT 1`, func(r Row) { t = scanThread(r) }, int64(in))
	return t, err
}

// LockThread reads and locks a thread for appending. A transaction reads it only
// once, so that several posts follow each other.
func (tx *Tx) LockThread(id parley.ThreadID) (*parley.Thread, error) {
	if t := tx.threads[id]; t != nil {
		return t, nil
	}
	t := new(parley.Thread)
	known, ok := tx.conn.Hot().thread(id)
	if ok {
		*t = known
	} else {
		err := tx.one(`SELECT `+threadCols+` FROM thread WHERE id = $1 /*lock*/`,
			func(r Row) { *t = scanThread(r) }, int64(id))
		if err != nil {
			return nil, err
		}
		tx.conn.Hot().keepThread(*t)
	}
	tx.keepThread(t)
	return t, nil
}

func (tx *Tx) keepThread(t *parley.Thread) {
	if tx.threads == nil {
		tx.threads = make(map[parley.ThreadID]*parley.Thread, 2)
	}
	tx.threads[t.ID] = t
}
