package store

import (
	"errors"

	"parley"
)

const memberCols = `channel_id, agent_id, read_n, joined_at, home`

func scanMember(r Row) parley.Member {
	return parley.Member{Channel: parley.ChannelID(r.Int(0)), Agent: parley.AgentID(r.Int(1)), Read: int(r.Int(2)),
		JoinedAt: parley.Micros(r.Int(3)), Home: r.Text(4)}
}

// InsertGroup stores a new group channel with its thread and gives it its id. If the
// name is taken, made is false and c becomes the existing channel. Two callers at
// once create only one.
func (tx *Tx) InsertGroup(c *parley.Channel) (made bool, err error) {
	c.ID, c.Main = parley.ChannelID(tx.conn.NextID(SeqChannel)), parley.ThreadID(tx.conn.NextID(SeqThread))
	c.Kind, c.A, c.B = parley.Group, 0, parley.AgentID(c.ID)
	tx.exec(`INSERT INTO channel (id, team_id, kind, a_id, b_id, main_thread, name, folded, topic, home)
		VALUES ($1, $2, 'group', 0, $8, $3, $4, $5, $6, $7)
		ON CONFLICT (team_id, folded) WHERE kind = 'group' AND removed = 0 DO NOTHING`,
		int64(c.ID), int64(c.Team), int64(c.Main), c.Name, parley.FoldName(c.Name), c.Topic, c.Home, int64(c.ID))
	stored, err := tx.Group(c.Team, c.Name)
	if err != nil || stored.ID != c.ID {
		*c = stored
		return false, err
	}
	tx.exec(insertThread, int64(c.Main), int64(c.ID), int64(0))
	return true, nil
}

// UpdateGroup stores everything of a group channel that can change.
func (tx *Tx) UpdateGroup(c parley.Channel) {
	tx.exec(`UPDATE channel SET name = $1, topic = $2, home = $3, removed = $4 WHERE id = $5`,
		c.Name, c.Topic, c.Home, flag(c.Removed), int64(c.ID))
}

// Group finds a group channel of a team, ignoring case.
func (tx *Tx) Group(team parley.TeamID, name string) (c parley.Channel, err error) {
	err = tx.one(`SELECT `+channelCols+` FROM channel WHERE team_id = $1 AND folded = $2 AND kind = 'group' AND removed = 0`,
		func(r Row) { c = scanChannel(r) }, int64(team), parley.FoldName(name))
	return c, err
}

// LockGroup is Group, and locks the channel.
func (tx *Tx) LockGroup(team parley.TeamID, name string) (c parley.Channel, err error) {
	err = tx.one(`SELECT `+channelCols+` FROM channel WHERE team_id = $1 AND folded = $2 AND kind = 'group' AND removed = 0 /*lock*/`,
		func(r Row) { c = scanChannel(r) }, int64(team), parley.FoldName(name))
	return c, err
}

// Groups reads the group channels of a team by name.
func (tx *Tx) Groups(team parley.TeamID) (list []parley.Channel, err error) {
	err = tx.query(`SELECT `+channelCols+` FROM channel WHERE team_id = $1 AND kind = 'group' AND removed = 0 ORDER BY folded`,
		func(r Row) { list = append(list, scanChannel(r)) }, int64(team))
	return list, err
}

const groupsOf = `SELECT ` + channelColsOfC + ` FROM member m JOIN channel c ON c.id = m.channel_id
	WHERE m.agent_id = $1 AND c.removed = 0 ORDER BY c.folded`

// GroupsOf reads the group channels that an agent is a member of, by name.
func (tx *Tx) GroupsOf(agent parley.AgentID) (list []parley.Channel, err error) {
	err = tx.query(groupsOf, func(r Row) { list = append(list, scanChannel(r)) }, int64(agent))
	return list, err
}

// InsertMember makes an agent a member. An existing membership stays as it is.
func (tx *Tx) InsertMember(m parley.Member) {
	tx.exec(`INSERT INTO member (`+memberCols+`) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (channel_id, agent_id) DO NOTHING`,
		int64(m.Channel), int64(m.Agent), int64(m.Read), int64(tx.Now), m.Home)
}

func (tx *Tx) DeleteMember(of parley.ChannelID, id parley.AgentID) {
	tx.exec(`DELETE FROM member WHERE channel_id = $1 AND agent_id = $2`, int64(of), int64(id))
}

func (tx *Tx) DeleteMembers(of parley.ChannelID) {
	tx.exec(`DELETE FROM member WHERE channel_id = $1`, int64(of))
}

func (tx *Tx) Member(of parley.ChannelID, id parley.AgentID) (m parley.Member, err error) {
	err = tx.one(`SELECT `+memberCols+` FROM member WHERE channel_id = $1 AND agent_id = $2`,
		func(r Row) { m = scanMember(r) }, int64(of), int64(id))
	return m, err
}

func (tx *Tx) IsMember(of parley.ChannelID, id parley.AgentID) (bool, error) {
	_, err := tx.Member(of, id)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Members reads the members of a channel by name, without those who have left the
// team.
func (tx *Tx) Members(of parley.ChannelID) (list []parley.Member, err error) {
	err = tx.query(`SELECT m.channel_id, m.agent_id, m.read_n, m.joined_at, m.home FROM member m JOIN agent a ON a.id = m.agent_id
		WHERE m.channel_id = $1 AND a.removed = 0 ORDER BY a.folded`, func(r Row) { list = append(list, scanMember(r)) }, int64(of))
	return list, err
}

// ReadGroup moves a member's read position forward, never back.
func (tx *Tx) ReadGroup(in parley.ChannelID, by parley.AgentID, n int) {
	tx.wrote = true
	tx.marks.groups = append(tx.marks.groups, groupMark{channel: in, agent: by, n: n})
}

// ReadOwn moves an author's read position past its own message, if it had read
// everything before. The caller has just posted the message and holds the thread's
// lock.
func (tx *Tx) ReadOwn(in parley.ChannelID, m parley.Message) {
	tx.wrote = true
	tx.marks.groups = append(tx.marks.groups, groupMark{channel: in, agent: m.Author, n: m.N, own: true})
}

// MentionsOf reads the tasks that a message opened by its mentions.
func (tx *Tx) MentionsOf(id parley.MessageID) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE request_id = $1 AND pattern = 'mention' ORDER BY id`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(id))
	return list, err
}

// CausedBy reads the tasks that mentions by a task's turns opened, oldest first.
func (tx *Tx) CausedBy(id parley.TaskID) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE cause_id = $1 AND cause_id > 0 ORDER BY id`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(id))
	return list, err
}

// MentionChain looks back through a thread for the last message by which an agent got
// a task, or which a person wrote. It returns the chain of that task; 0 if there is
// none, or no such message among the last ones.
func (tx *Tx) MentionChain(in parley.ThreadID, of parley.AgentID, limit int) (chain parley.TaskID, err error) {
	err = tx.query(mentionChain, func(r Row) { chain = parley.TaskID(r.Int(0)) }, int64(in), int64(of), int64(limit))
	return chain, err
}

// CROSS JOIN keeps SQLite from starting with all agents. Retention may have removed the
// first task of a chain.
const mentionChain = `WITH RECURSIVE l (id, prev_id, author_id, depth) AS (
	SELECT m.id, m.prev_id, m.author_id, 1 FROM thread t JOIN message m ON m.id = t.last_message WHERE t.id = $1
	UNION ALL
	SELECT p.id, p.prev_id, p.author_id, l.depth + 1 FROM message p JOIN l ON p.id = l.prev_id WHERE l.depth < $3)
	SELECT COALESCE((SELECT f.id FROM task f WHERE f.id = x.chain), 0) FROM (
		SELECT l.depth, a.kind, (SELECT MAX(CASE WHEN k.chain_id > 0 THEN k.chain_id ELSE k.root_id END) FROM task k
			WHERE k.request_id = l.id AND k.pattern = 'mention' AND k.agent_id = $2) AS chain
		FROM l CROSS JOIN agent a WHERE a.id = l.author_id) AS x
	WHERE x.chain > 0 OR x.kind = 'person' ORDER BY x.depth LIMIT 1`

// MentionState reads what the mentions of a closing text need in one round trip, and
// locks what they will change: the author's rate, then the first task of the chain.
// Nothing is read of a chain that is 0.
func (tx *Tx) MentionState(author parley.AgentID, chain parley.TaskID) (a parley.Agent, first parley.Task, err error) {
	s, err := tx.postState(author, chain, 0, "")
	return s.Author, s.Chain, err
}

// PostState is what a post is decided by.
type PostState struct {
	Author parley.Agent
	Chain  parley.Task    // the first of the chain that mentions are counted in; zero if none
	Task   parley.Task    // the one that the author works on; zero if none
	Before parley.Message // the post made earlier under the same key; zero if none
}

// PostState reads what a post needs in one round trip, and locks what the post will
// change, in the same order as a contact: the author's rate, then its task. If the
// post mentions somebody, the first task of the chain comes between them.
func (tx *Tx) PostState(author parley.AgentID, chain, in parley.TaskID, key string) (PostState, error) {
	return tx.postState(author, chain, in, key)
}

func (tx *Tx) postState(author parley.AgentID, chain, in parley.TaskID, key string) (PostState, error) {
	var s PostState
	qs := []Query{{SQL: `SELECT ` + agentCols + ` FROM agent JOIN rate r ON r.agent_id = id WHERE id = $1 /*lock rate*/`, Args: []any{int64(author)},
		Row: func(r Row) { s.Author = scanAgent(r) }}}
	lock := func(id parley.TaskID, into *parley.Task) {
		if id != 0 {
			qs = append(qs, Query{SQL: `SELECT ` + taskCols + ` FROM task WHERE id = $1 /*lock*/`, Args: []any{int64(id)},
				Row: func(r Row) { *into = scanTask(r) }})
		}
	}
	lock(chain, &s.Chain)
	lock(in, &s.Task)
	if key != "" {
		qs = append(qs, Query{SQL: messageByKey, Args: []any{int64(in), int64(author), key}, Row: func(r Row) { s.Before = scanMessage(r) }})
	}
	if err := tx.conn.Query(qs...); err != nil {
		return s, err
	}
	if s.Author.ID == 0 || s.Task.ID != in || s.Chain.ID != chain {
		return s, ErrNotFound
	}
	return s, nil
}
