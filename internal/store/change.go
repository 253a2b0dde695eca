package store

import "parley"

const changeCols = `id, team_id, task_id, turn, call, agent_id, at, state, home, place, path,
	before_kind, before_mode, before_size, before_hash, after_kind, after_mode, after_size, after_hash,
	command, doubt, undone_by, undone_at`

func scanChange(r Row) parley.Change {
	return parley.Change{
		ID: parley.ChangeID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Task: parley.TaskID(r.Int(2)), Turn: int(r.Int(3)), Call: r.Text(4),
		Agent: parley.AgentID(r.Int(5)), At: parley.Micros(r.Int(6)), State: parley.ChangeState(r.Int(7)), Home: r.Text(8),
		Place: parley.ChangePlace(r.Text(9)), Path: string(r.Bytes(10)), Before: scanFileState(r, 11), After: scanFileState(r, 15),
		Command: r.Int(19) != 0, Doubt: r.Text(20), UndoneBy: parley.AgentID(r.Int(21)), UndoneAt: parley.Micros(r.Int(22)),
	}
}

func scanFileState(r Row, col int) parley.FileState {
	return parley.FileState{Kind: parley.FileKind(r.Int(col)), Mode: uint32(r.Int(col + 1)), Size: r.Int(col + 2), Hash: r.Text(col + 3)}
}

// InsertChange stores a change with the contents that are to be kept, and numbers it.
func (tx *Tx) InsertChange(c *parley.Change) {
	c.ID, c.At = parley.ChangeID(tx.conn.NextID(SeqChange)), tx.Now
	for _, s := range []parley.FileState{c.Before, c.After} {
		if s.Kept {
			content := s.Content
			if content == nil {
				content = []byte{} // not a null
			}
			tx.exec(`INSERT INTO file_content (task_id, hash, at, content) VALUES ($1, $2, $3, $4) ON CONFLICT (task_id, hash) DO NOTHING`,
				int64(c.Task), s.Hash, int64(tx.Now), content)
		}
	}
	tx.exec(`INSERT INTO file_change (id, team_id, task_id, turn, call, agent_id, at, state, home, place, path,
		before_kind, before_mode, before_size, before_hash, after_kind, after_mode, after_size, after_hash, command, doubt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		int64(c.ID), int64(c.Team), int64(c.Task), int64(c.Turn), c.Call, int64(c.Agent), int64(c.At), int64(c.State), c.Home, string(c.Place), pathBytes(c.Path),
		int64(c.Before.Kind), int64(c.Before.Mode), c.Before.Size, c.Before.Hash, int64(c.After.Kind), int64(c.After.Mode), c.After.Size, c.After.Hash,
		flag(c.Command), c.Doubt)
}

// pathBytes keeps a path as it is: the system's names need not be UTF-8.
func pathBytes(path string) []byte { return append([]byte{}, path...) }

// Changes reads what a task changed, oldest first, and which of the contents are kept.
func (tx *Tx) Changes(task parley.TaskID) (list []parley.Change, err error) {
	err = tx.query(`SELECT `+changeCols+` FROM file_change WHERE task_id = $1 ORDER BY id`,
		func(r Row) { list = append(list, scanChange(r)) }, int64(task))
	if err != nil || len(list) == 0 {
		return list, err
	}
	kept := map[string]bool{}
	err = tx.query(`SELECT hash FROM file_content WHERE task_id = $1`, func(r Row) { kept[r.Text(0)] = true }, int64(task))
	for i := range list {
		list[i].Before.Kept, list[i].After.Kept = kept[list[i].Before.Hash], kept[list[i].After.Hash]
	}
	return list, err
}

// ChangesAt reads what tasks of a team changed at a path after a change, oldest first.
func (tx *Tx) ChangesAt(team parley.TeamID, place parley.ChangePlace, path string, after parley.ChangeID) (list []parley.Change, err error) {
	err = tx.query(`SELECT `+changeCols+` FROM file_change WHERE team_id = $1 AND place = $2 AND path = $3 AND id > $4 ORDER BY id`,
		func(r Row) { list = append(list, scanChange(r)) }, int64(team), string(place), pathBytes(path), int64(after))
	return list, err
}

// FileContent reads a content that a task has kept.
func (tx *Tx) FileContent(task parley.TaskID, hash string) (content []byte, err error) {
	err = tx.one(`SELECT content FROM file_content WHERE task_id = $1 AND hash = $2`, func(r Row) { content = r.Bytes(0) }, int64(task), hash)
	return content, err
}

// SettleChange records that a change was made.
func (tx *Tx) SettleChange(id parley.ChangeID) {
	tx.exec(`UPDATE file_change SET state = 2 WHERE id = $1 AND state = 1`, int64(id))
}

// DropChange forgets a change that was not made.
func (tx *Tx) DropChange(id parley.ChangeID) {
	tx.exec(`DELETE FROM file_change WHERE id = $1 AND state = 1`, int64(id))
}

// UndoChange records that somebody took a change back.
func (tx *Tx) UndoChange(id parley.ChangeID, by parley.AgentID) {
	tx.exec(`UPDATE file_change SET state = 3, undone_by = $2, undone_at = $3 WHERE id = $1 AND state <> 3`, int64(id), int64(by), int64(tx.Now))
}

// FileContents visits the contents that tasks of a team have kept. It reads all of them:
// use a View.
func (tx *Tx) FileContents(team parley.TeamID, visit func(task parley.TaskID, hash string, content []byte)) error {
	return tx.query(`SELECT c.task_id, c.hash, c.content FROM file_content c JOIN task t ON t.id = c.task_id
		WHERE c.task_id > 0 AND t.team_id = $1`,
		func(r Row) { visit(parley.TaskID(r.Int(0)), r.Text(1), r.Bytes(2)) }, int64(team))
}

// ForgetContent deletes a content. What rests on it can no longer be shown or taken
// back.
func (tx *Tx) ForgetContent(task parley.TaskID, hash string) {
	tx.exec(`DELETE FROM file_content WHERE task_id = $1 AND hash = $2`, int64(task), hash)
}
