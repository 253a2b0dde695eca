package store

import (
	"slices"

	"parley"
)

const keeperCols = `id, team_id, owner_id, channel_id, thread_id, task_id, topic, messages, size, shared, automatic, key,
	created_at, used_at, uses`

func scanKeeper(r Row) parley.Keeper {
	return parley.Keeper{
		ID: parley.KeeperID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Owner: parley.AgentID(r.Int(2)),
		Channel: parley.ChannelID(r.Int(3)), Thread: parley.ThreadID(r.Int(4)), Task: parley.TaskID(r.Int(5)),
		Topic: r.Text(6), Count: int(r.Int(7)), Size: int(r.Int(8)), Shared: r.Int(9) != 0, Automatic: r.Int(10) != 0,
		Key: r.Text(11), CreatedAt: parley.Micros(r.Int(12)), UsedAt: parley.Micros(r.Int(13)), Uses: int(r.Int(14)),
	}
}

const keptCols = `id, team_id, keeper_id, n, role, author_id, message_id, private, at, text`

func scanKept(r Row) parley.KeptMessage {
	return parley.KeptMessage{
		ID: r.Int(0), Team: parley.TeamID(r.Int(1)), Keeper: parley.KeeperID(r.Int(2)), N: int(r.Int(3)), Role: r.Text(4),
		Author: parley.AgentID(r.Int(5)), Message: parley.MessageID(r.Int(6)), Private: r.Int(7) != 0,
		At: parley.Micros(r.Int(8)), Text: r.Text(9),
	}
}

// InsertKeeper stores a keeper with its messages, oldest first, and gives all of them
// their numbers.
func (tx *Tx) InsertKeeper(k *parley.Keeper, list []parley.KeptMessage) {
	k.ID = parley.KeeperID(tx.conn.NextID(SeqKeeper))
	k.CreatedAt, k.Count, k.Size = tx.Now, len(list), parley.Characters(list)
	tx.exec(`INSERT INTO keeper (`+keeperCols+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0)`,
		int64(k.ID), int64(k.Team), int64(k.Owner), int64(k.Channel), int64(k.Thread), int64(k.Task), k.Topic,
		int64(k.Count), int64(k.Size), flag(k.Shared), flag(k.Automatic), k.Key, int64(k.CreatedAt))
	for i := range list {
		m := &list[i]
		if m.At == 0 {
			m.At = tx.Now
		}
		m.ID, m.Team, m.Keeper, m.N = tx.conn.NextID(SeqKept), k.Team, k.ID, i+1
		tx.exec(`INSERT INTO kept (`+keptCols+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			m.ID, int64(m.Team), int64(m.Keeper), int64(m.N), m.Role, int64(m.Author), int64(m.Message), flag(m.Private),
			int64(m.At), m.Text)
	}
}

func (tx *Tx) Keeper(id parley.KeeperID) (k parley.Keeper, err error) {
	err = tx.one(`SELECT `+keeperCols+` FROM keeper WHERE id = $1 AND removed = 0`, func(r Row) { k = scanKeeper(r) }, int64(id))
	return k, err
}

// KeeperByKey finds the keeper that an owner made under a key.
func (tx *Tx) KeeperByKey(owner parley.AgentID, key string) (k parley.Keeper, err error) {
	err = tx.one(`SELECT `+keeperCols+` FROM keeper WHERE owner_id = $1 AND key = $2 AND key <> ''`,
		func(r Row) { k = scanKeeper(r) }, int64(owner), key)
	return k, err
}

// Keepers reads keepers of a team with numbers below before, newest first; before 0
// starts with the newest.
func (tx *Tx) Keepers(team parley.TeamID, before parley.KeeperID, limit int) (list []parley.Keeper, err error) {
	if before == 0 {
		before = 1<<63 - 1
	}
	err = tx.query(`SELECT `+keeperCols+` FROM keeper WHERE team_id = $1 AND id < $2 AND removed = 0 ORDER BY id DESC LIMIT $3`,
		func(r Row) { list = append(list, scanKeeper(r)) }, int64(team), int64(before), int64(limit))
	return list, err
}

// IdleKeepers reads the keepers of a team in which nothing was found since a time,
// oldest first.
func (tx *Tx) IdleKeepers(team parley.TeamID, before parley.Micros) (list []parley.Keeper, err error) {
	err = tx.query(`SELECT `+keeperCols+` FROM keeper WHERE team_id = $1 AND created_at < $2 AND used_at < $2 AND removed = 0 ORDER BY id`,
		func(r Row) { list = append(list, scanKeeper(r)) }, int64(team), int64(before))
	return list, err
}

// KeptIn reads the messages of a keeper, oldest first.
func (tx *Tx) KeptIn(id parley.KeeperID) (list []parley.KeptMessage, err error) {
	err = tx.query(`SELECT `+keptCols+` FROM kept WHERE keeper_id = $1 AND keeper_id > 0 ORDER BY n`,
		func(r Row) { list = append(list, scanKept(r)) }, int64(id))
	return list, err
}

// FoundKept is a kept message with what decides who may read it.
type FoundKept struct {
	parley.KeptMessage
	Of      parley.Keeper  // without its counts and key
	Channel parley.Channel // id, kind and the two of a dm
	// Topic is that of the keeper, in the message that it is found with: the first
	// that others than the owner may read, or else the first.
	Topic string
}

const foundKept = `SELECT m.id, m.team_id, m.keeper_id, m.n, m.role, m.author_id, m.message_id, m.private, m.at, m.text,
	k.owner_id, k.channel_id, k.thread_id, k.task_id, k.topic, k.shared, k.created_at, k.used_at, k.uses, c.kind, c.a_id, c.b_id,
	CASE WHEN m.n = (SELECT f.n FROM kept f WHERE f.keeper_id = k.id AND f.keeper_id > 0 ORDER BY f.private, f.n LIMIT 1) THEN k.topic ELSE '' END
	FROM kept m JOIN keeper k ON k.id = m.keeper_id LEFT JOIN channel c ON c.id = k.channel_id`

func scanFoundKept(r Row) FoundKept {
	f := FoundKept{KeptMessage: scanKept(r)}
	f.Of = parley.Keeper{ID: f.Keeper, Team: f.Team, Owner: parley.AgentID(r.Int(10)), Channel: parley.ChannelID(r.Int(11)),
		Thread: parley.ThreadID(r.Int(12)), Task: parley.TaskID(r.Int(13)), Topic: r.Text(14), Shared: r.Int(15) != 0,
		CreatedAt: parley.Micros(r.Int(16)), UsedAt: parley.Micros(r.Int(17)), Uses: int(r.Int(18))}
	f.Channel = parley.Channel{ID: f.Of.Channel, Team: f.Team, Kind: parley.ChannelKind(r.Text(19)),
		A: parley.AgentID(r.Int(20)), B: parley.AgentID(r.Int(21))}
	f.Topic = r.Text(22)
	return f
}

// KeptAfter reads kept messages of all teams with greater ids than the given one,
// oldest first.
func (tx *Tx) KeptAfter(id int64, limit int) (list []FoundKept, err error) {
	err = tx.query(foundKept+` WHERE m.id > $1 AND m.keeper_id > 0 ORDER BY m.id LIMIT $2`,
		func(r Row) { list = append(list, scanFoundKept(r)) }, id, int64(limit))
	return list, err
}

// FoundKept reads the kept messages with these ids that still exist, oldest first.
func (tx *Tx) FoundKept(ids []int64) (list []FoundKept, err error) {
	err = tx.queryIDs(foundKept+` WHERE m.id IN (`+idPlaceholders+`) AND m.keeper_id > 0 ORDER BY m.id`, ids,
		func(r Row) { list = append(list, scanFoundKept(r)) })
	return list, err
}

// ThreadKeepers reads the newest keepers that the hub made of a thread for an owner,
// oldest first.
func (tx *Tx) ThreadKeepers(of parley.ThreadID, owner parley.AgentID, limit int) (list []parley.Keeper, err error) {
	err = tx.query(`SELECT `+keeperCols+` FROM keeper WHERE thread_id = $1 AND thread_id > 0 AND owner_id = $2 AND automatic = 1 AND removed = 0
		ORDER BY id DESC LIMIT $3`, func(r Row) { list = append(list, scanKeeper(r)) }, int64(of), int64(owner), int64(limit))
	slices.Reverse(list)
	return list, err
}

// MarkThreadKept records that the hub has put parts of a thread away.
func (tx *Tx) MarkThreadKept(id parley.ThreadID) {
	tx.exec(`UPDATE thread SET kept = 1 WHERE id = $1 AND kept = 0`, int64(id))
}

// Unkept finds the messages of a thread, from the given one back to the oldest, that
// are in no keeper of an owner: the oldest of them, and how many there are. Messages
// are linked backwards, so it walks over all of them.
func (tx *Tx) Unkept(from parley.MessageID, owner parley.AgentID, limit int) (ids []parley.MessageID, total int, err error) {
	err = tx.query(`WITH RECURSIVE sub(id, n, prev_id) AS (
			SELECT id, n, prev_id FROM message WHERE id = $1
			UNION ALL SELECT o.id, o.n, o.prev_id FROM sub JOIN message o ON o.id = sub.prev_id WHERE sub.prev_id > 0)
		SELECT sub.id FROM sub WHERE NOT EXISTS (SELECT 1 FROM kept p JOIN keeper k ON k.id = p.keeper_id
			WHERE p.message_id = sub.id AND p.message_id > 0 AND k.owner_id = $2 AND k.removed = 0)
		ORDER BY sub.n`, func(r Row) {
		if total++; total <= limit {
			ids = append(ids, parley.MessageID(r.Int(0)))
		}
	}, int64(from), int64(owner))
	return ids, total, err
}

// InKeepers finds which of some messages are in keepers of an owner.
func (tx *Tx) InKeepers(owner parley.AgentID, ids []parley.MessageID) (map[parley.MessageID]bool, error) {
	found := map[parley.MessageID]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	qs := make([]Query, len(ids))
	for i, id := range ids {
		qs[i] = Query{SQL: `SELECT 1 FROM kept m JOIN keeper k ON k.id = m.keeper_id
			WHERE m.message_id = $1 AND m.message_id > 0 AND k.owner_id = $2 AND k.removed = 0 LIMIT 1`,
			Args: []any{int64(id), int64(owner)}, Row: func(Row) { found[id] = true }}
	}
	return found, tx.conn.Query(qs...)
}

// KeptSteps is how many steps of a task are in keepers of an owner.
func (tx *Tx) KeptSteps(of parley.TaskID, owner parley.AgentID, in parley.ThreadID) (n int, err error) {
	err = tx.query(`SELECT count(*) FROM keeper k JOIN kept m ON m.keeper_id = k.id
		WHERE k.thread_id = $1 AND k.thread_id > 0 AND k.owner_id = $2 AND k.task_id = $3 AND m.keeper_id > 0 AND m.message_id = 0`,
		func(r Row) { n = int(r.Int(0)) }, int64(in), int64(owner), int64(of))
	return n, err
}

// KeptBy finds which of some messages the hub has already put away for an owner, and
// in which keepers.
func (tx *Tx) KeptBy(owner parley.AgentID, ids []parley.MessageID) (map[parley.MessageID]parley.KeeperID, error) {
	found := map[parley.MessageID]parley.KeeperID{}
	if len(ids) == 0 {
		return found, nil
	}
	qs := make([]Query, len(ids))
	for i, id := range ids {
		qs[i] = Query{SQL: `SELECT k.id FROM kept m JOIN keeper k ON k.id = m.keeper_id
			WHERE m.message_id = $1 AND m.message_id > 0 AND k.owner_id = $2 AND k.automatic = 1 AND k.removed = 0 ORDER BY k.id LIMIT 1`,
			Args: []any{int64(id), int64(owner)}, Row: func(r Row) { found[id] = parley.KeeperID(r.Int(0)) }}
	}
	return found, tx.conn.Query(qs...)
}

// ShareKeeper lets the whole team read a keeper.
func (tx *Tx) ShareKeeper(id parley.KeeperID) {
	tx.exec(`UPDATE keeper SET shared = 1 WHERE id = $1`, int64(id))
}

// CountKeeperUses records that something was found in a keeper, so many times.
func (tx *Tx) CountKeeperUses(id parley.KeeperID, times int) {
	tx.exec(`UPDATE keeper SET used_at = $1, uses = uses + $2 WHERE id = $3`, int64(tx.Now), int64(times), int64(id))
}

// RemoveKeeper removes a keeper with its messages. The newest keeper and the newest
// kept message of all stay as empty rows, since the next numbers follow them.
func (tx *Tx) RemoveKeeper(id parley.KeeperID) {
	tx.exec(`DELETE FROM kept WHERE keeper_id = $1 AND keeper_id > 0 AND id < (SELECT max(id) FROM kept)`, int64(id))
	tx.exec(`UPDATE kept SET keeper_id = 0, message_id = 0, text = '' WHERE keeper_id = $1 AND keeper_id > 0`, int64(id))
	tx.exec(`DELETE FROM keeper WHERE id = $1 AND id < (SELECT max(id) FROM keeper)`, int64(id))
	tx.exec(`UPDATE keeper SET removed = 1, topic = '', key = '', messages = 0, size = 0 WHERE id = $1`, int64(id))
}

// AgedKeepers finds the keepers of a team that hold a message from before a time.
func (tx *Tx) AgedKeepers(team parley.TeamID, before parley.Micros, limit int) (ids []parley.KeeperID, err error) {
	err = tx.query(`SELECT DISTINCT keeper_id FROM kept WHERE team_id = $1 AND keeper_id > 0 AND at < $2 ORDER BY keeper_id LIMIT $3`,
		func(r Row) { ids = append(ids, parley.KeeperID(r.Int(0))) }, int64(team), int64(before), int64(limit))
	return ids, err
}

// TrimKeeper removes what a keeper holds from before a time, and the keeper itself if
// nothing is left.
func (tx *Tx) TrimKeeper(id parley.KeeperID, before parley.Micros) error {
	list, err := tx.KeptIn(id)
	if err != nil {
		return err
	}
	var left []parley.KeptMessage
	for _, m := range list {
		if m.At >= before {
			left = append(left, m)
			continue
		}
		tx.removeKept(m.ID)
	}
	if len(left) == 0 {
		tx.RemoveKeeper(id)
		return nil
	}
	tx.exec(`UPDATE keeper SET messages = $1, size = $2 WHERE id = $3`, int64(len(left)), int64(parley.Characters(left)), int64(id))
	return nil
}

func (tx *Tx) removeKept(id int64) {
	tx.exec(`DELETE FROM kept WHERE id = $1 AND id < (SELECT max(id) FROM kept)`, id)
	tx.exec(`UPDATE kept SET keeper_id = 0, message_id = 0, text = '' WHERE id = $1`, id)
}

// KeptContaining finds the kept messages of a team that are a copy of a message or contain
// its text. It scans all of them: use a View.
func (tx *Tx) KeptContaining(team parley.TeamID, of parley.MessageID, text string) (list []parley.KeptMessage, err error) {
	contains := `instr(text, $3) > 0`
	if tx.conn.Engine() == PostgreSQL {
		contains = `strpos(text, $3) > 0`
	}
	err = tx.query(`SELECT `+keptCols+` FROM kept WHERE id > 0 AND team_id = $1 AND keeper_id > 0 AND (message_id = $2 OR `+contains+`) ORDER BY id`,
		func(r Row) { list = append(list, scanKept(r)) }, int64(team), int64(of), text)
	return list, err
}

// SetKeptText replaces the text of a kept message.
func (tx *Tx) SetKeptText(id int64, text string) {
	tx.exec(`UPDATE kept SET text = $1 WHERE id = $2`, text, id)
}

// SetTopic replaces the topic of a keeper.
func (tx *Tx) SetTopic(id parley.KeeperID, topic string) {
	tx.exec(`UPDATE keeper SET topic = $1 WHERE id = $2`, topic, int64(id))
}
