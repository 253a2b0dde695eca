package store

import (
	"time"

	"parley"
)

// Bridge is a team in a chat program. The lease keeps several hubs from holding its
// connection.
type Bridge struct {
	Team    parley.TeamID
	Program string
	// Cursor is the place in the event record up to which everything to be posted has
	// become a post.
	Cursor string
	// Holder is the hub that has the connection, until LeaseUntil.
	Holder     string
	LeaseUntil parley.Micros
	// Problem is why the connection does not work; empty if it does.
	Problem string
	// Repeats counts the posts that may be there twice, and GivenUp those that are not
	// there at all.
	Repeats, GivenUp int
	// SummaryAt is when people last got the summary of a day.
	SummaryAt parley.Micros
}

const bridgeCols = `team_id, program, cursor, holder, lease_until, problem, repeats, given_up, summary_at`

// Bridge reads the state of a bridge.
func (tx *Tx) Bridge(team parley.TeamID, program string) (Bridge, error) {
	return tx.bridge(team, program, "")
}

// LockBridge is Bridge for a transaction that changes it, or that only its holder may
// make.
func (tx *Tx) LockBridge(team parley.TeamID, program string) (Bridge, error) {
	return tx.bridge(team, program, " /*lock*/")
}

// LockBridges locks all bridges of a team, as their own transactions do first.
func (tx *Tx) LockBridges(team parley.TeamID) error {
	return tx.query(`SELECT program FROM bridge WHERE team_id = $1 ORDER BY program /*lock*/`, func(Row) {}, int64(team))
}

func (tx *Tx) bridge(team parley.TeamID, program, lock string) (b Bridge, err error) {
	err = tx.one(`SELECT `+bridgeCols+` FROM bridge WHERE team_id = $1 AND program = $2`+lock, func(r Row) {
		b = Bridge{Team: parley.TeamID(r.Int(0)), Program: r.Text(1), Cursor: r.Text(2), Holder: r.Text(3), LeaseUntil: parley.Micros(r.Int(4)),
			Problem: r.Text(5), Repeats: int(r.Int(6)), GivenUp: int(r.Int(7)), SummaryAt: parley.Micros(r.Int(8))}
	}, int64(team), program)
	return b, err
}

// BeginBridge stores where a new bridge begins. If another hub was first, its place
// stays.
func (tx *Tx) BeginBridge(team parley.TeamID, program, cursor string) {
	tx.exec(`INSERT INTO bridge (team_id, program, cursor, summary_at) VALUES ($1, $2, $3, $4) ON CONFLICT (team_id, program) DO NOTHING`,
		int64(team), program, cursor, int64(tx.Now))
}

// UpdateBridge stores all of a bridge that was locked.
func (tx *Tx) UpdateBridge(b Bridge) {
	tx.exec(`UPDATE bridge SET cursor = $3, holder = $4, lease_until = $5, problem = $6, repeats = $7, given_up = $8, summary_at = $9
		WHERE team_id = $1 AND program = $2`, int64(b.Team), b.Program, b.Cursor, b.Holder, int64(b.LeaseUntil), b.Problem,
		int64(b.Repeats), int64(b.GivenUp), int64(b.SummaryAt))
}

const accountCols = `c.program, c.account, c.agent_id, c.name, c.conversation, c.linked_at`

func scanAccount(r Row) parley.ChatAccount {
	return parley.ChatAccount{Program: r.Text(0), Account: r.Text(1), Agent: parley.AgentID(r.Int(2)), Name: r.Text(3), Conversation: r.Text(4), LinkedAt: parley.Micros(r.Int(5))}
}

// ChatAccount finds whose an account is, and that person's team. One whose person has
// left the team is not found.
func (tx *Tx) ChatAccount(program, account string) (c parley.ChatAccount, team parley.TeamID, err error) {
	err = tx.one(`SELECT `+accountCols+`, a.team_id FROM bridge_account c JOIN agent a ON a.id = c.agent_id
		WHERE c.program = $1 AND c.account = $2 AND a.removed = 0`,
		func(r Row) { c, team = scanAccount(r), parley.TeamID(r.Int(6)) }, program, account)
	return c, team, err
}

// ChatAccounts lists the accounts of a team's people.
func (tx *Tx) ChatAccounts(team parley.TeamID) (list []parley.ChatAccount, err error) {
	err = tx.query(`SELECT `+accountCols+` FROM bridge_account c JOIN agent a ON a.id = c.agent_id
		WHERE a.team_id = $1 AND a.removed = 0 ORDER BY c.agent_id, c.program, c.account`, func(r Row) { list = append(list, scanAccount(r)) }, int64(team))
	return list, err
}

// PutChatAccount links an account, in place of what it was linked to.
func (tx *Tx) PutChatAccount(c parley.ChatAccount) {
	tx.exec(`INSERT INTO bridge_account (program, account, agent_id, name, conversation, linked_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (program, account) DO UPDATE SET agent_id = excluded.agent_id, name = excluded.name, conversation = excluded.conversation,
		linked_at = excluded.linked_at`, c.Program, c.Account, int64(c.Agent), c.Name, c.Conversation, int64(tx.Now))
	tx.exec(`DELETE FROM bridge_stranger WHERE program = $1 AND account = $2`, c.Program, c.Account)
}

// ForgetChatName removes what an account calls itself.
func (tx *Tx) ForgetChatName(c parley.ChatAccount) {
	tx.exec(`UPDATE bridge_account SET name = '' WHERE program = $1 AND account = $2`, c.Program, c.Account)
}

// RemoveChatAccount unlinks an account, and gives up what is still to be posted to it.
func (tx *Tx) RemoveChatAccount(c parley.ChatAccount, reason string) {
	tx.exec(`DELETE FROM bridge_account WHERE program = $1 AND account = $2`, c.Program, c.Account)
	tx.exec(`UPDATE bridge_post SET state = 3, reason = $4, text = '', stale = 0, ended_at = $5 WHERE state < 2 AND program = $1 AND agent_id = $2 AND conversation = $3`,
		c.Program, int64(c.Agent), c.Conversation, reason, int64(tx.Now))
	tx.exec(`UPDATE bridge_post SET stale = 0 WHERE stale > 0 AND program = $1 AND agent_id = $2 AND conversation = $3`,
		c.Program, int64(c.Agent), c.Conversation)
}

// RemoveChatCodes has the codes of a person that were not used yet be of no use.
func (tx *Tx) RemoveChatCodes(agent parley.AgentID) {
	tx.exec(`DELETE FROM bridge_code WHERE agent_id = $1 AND used_by = ''`, int64(agent))
}

// ChatAccountsOf lists the accounts of one person, also of one who is gone.
func (tx *Tx) ChatAccountsOf(agent parley.AgentID) (list []parley.ChatAccount, err error) {
	err = tx.query(`SELECT `+accountCols+` FROM bridge_account c WHERE c.agent_id = $1 ORDER BY c.program, c.account`,
		func(r Row) { list = append(list, scanAccount(r)) }, int64(agent))
	return list, err
}

// ChatCode is what the hub knows of a code that links an account once.
type ChatCode struct {
	Agent     parley.AgentID
	ExpiresAt parley.Micros
	UsedBy    string // the program and account; empty if it was not used
}

// InsertChatCode stores a code under its hash, and removes those that ended long ago.
func (tx *Tx) InsertChatCode(hash string, c ChatCode, old parley.Micros) {
	tx.exec(`DELETE FROM bridge_code WHERE expires_at < $1`, int64(old))
	tx.exec(`INSERT INTO bridge_code (hash, agent_id, expires_at) VALUES ($1, $2, $3)`, hash, int64(c.Agent), int64(c.ExpiresAt))
}

// LockChatCode reads and locks the code with this hash.
func (tx *Tx) LockChatCode(hash string) (c ChatCode, err error) {
	err = tx.one(`SELECT agent_id, expires_at, used_by FROM bridge_code WHERE hash = $1 /*lock*/`,
		func(r Row) {
			c = ChatCode{Agent: parley.AgentID(r.Int(0)), ExpiresAt: parley.Micros(r.Int(1)), UsedBy: r.Text(2)}
		}, hash)
	return c, err
}

// ChatCodeKnown reports whether there was such a code lately.
func (tx *Tx) ChatCodeKnown(hash string) (known bool, err error) {
	err = tx.query(`SELECT 1 FROM bridge_code WHERE hash = $1`, func(Row) { known = true }, hash)
	return known, err
}

// SetChatCodeUsed uses a code up.
func (tx *Tx) SetChatCodeUsed(hash, by string) {
	tx.exec(`UPDATE bridge_code SET used_by = $2 WHERE hash = $1`, hash, by)
}

// VoidChatCodes makes the codes of a person void that could still be used.
func (tx *Tx) VoidChatCodes(person parley.AgentID) {
	tx.exec(`UPDATE bridge_code SET used_by = 'nobody' WHERE expires_at > $2 AND agent_id = $1 AND used_by = ''`, int64(person), int64(tx.Now))
}

// Stranger is an account that belongs to nobody.
type Stranger struct {
	ToldAt parley.Micros
	Tries  int // of codes
}

// LockStranger reads what is known of an account that belongs to nobody.
func (tx *Tx) LockStranger(program, account string) (s Stranger, err error) {
	err = tx.one(`SELECT told_at, tries FROM bridge_stranger WHERE program = $1 AND account = $2 /*lock*/`,
		func(r Row) { s = Stranger{ToldAt: parley.Micros(r.Int(0)), Tries: int(r.Int(1))} }, program, account)
	return s, err
}

// PutStranger stores it, and forgets those that were told before a time.
func (tx *Tx) PutStranger(program, account string, s Stranger, old parley.Micros) {
	tx.exec(`DELETE FROM bridge_stranger WHERE told_at < $1`, int64(old))
	tx.exec(`INSERT INTO bridge_stranger (program, account, told_at, tries) VALUES ($1, $2, $3, $4)
		ON CONFLICT (program, account) DO UPDATE SET told_at = excluded.told_at, tries = excluded.tries`,
		program, account, int64(s.ToldAt), int64(s.Tries))
}

// ChatEvent is something that came from a chat program and was dealt with.
type ChatEvent struct {
	Team         parley.TeamID
	Program      string
	Event        string // the program's id of it
	At           parley.Micros
	Conversation string
	Posted       string // the program's id of the chat message; empty for none
	Message      parley.MessageID
}

// chatKept is how long events and posts that have ended are kept: far longer than a
// program repeats one, and than people answer or edit.
const chatKept = 30 * 24 * time.Hour

// ChatEventKnown reports whether an event was dealt with.
func (tx *Tx) ChatEventKnown(team parley.TeamID, program, event string) (known bool, err error) {
	err = tx.query(`SELECT 1 FROM bridge_event WHERE team_id = $1 AND program = $2 AND event = $3`, func(Row) { known = true }, int64(team), program, event)
	return known, err
}

// TakeChatEvent stores that an event was dealt with. It reports whether this was the
// first time.
func (tx *Tx) TakeChatEvent(e ChatEvent) (first bool, err error) {
	tx.wrote = true
	err = tx.query(`INSERT INTO bridge_event (team_id, program, event, at, conversation, posted, message_id) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (team_id, program, event) DO NOTHING RETURNING 1`, func(Row) { first = true },
		int64(e.Team), e.Program, e.Event, int64(tx.Now), e.Conversation, e.Posted, int64(e.Message))
	if err == nil && first {
		old := int64(tx.Now.Add(-chatKept))
		tx.exec(`DELETE FROM bridge_event WHERE at < $1`, old)
		tx.exec(`DELETE FROM bridge_posted WHERE post_id IN (SELECT id FROM bridge_post WHERE ended_at > 0 AND ended_at < $1)`, old)
		tx.exec(`DELETE FROM bridge_post WHERE ended_at > 0 AND ended_at < $1`, old)
	}
	return first, err
}

// ChatSaid finds what became of a chat message; ErrNotFound if nothing did.
func (tx *Tx) ChatSaid(team parley.TeamID, program, conversation, posted string) (e ChatEvent, err error) {
	err = tx.one(`SELECT event, at, message_id FROM bridge_event WHERE team_id = $1 AND program = $2 AND conversation = $3 AND posted = $4 AND message_id > 0
		ORDER BY at LIMIT 1`, func(r Row) {
		e = ChatEvent{Team: team, Program: program, Conversation: conversation, Posted: posted, Event: r.Text(0), At: parley.Micros(r.Int(1)), Message: parley.MessageID(r.Int(2))}
	}, int64(team), program, conversation, posted)
	return e, err
}

// ChatPosition is how far the history of a conversation was read; empty at first.
func (tx *Tx) ChatPosition(team parley.TeamID, program, conversation string) (position string, err error) {
	err = tx.query(`SELECT position FROM bridge_position WHERE team_id = $1 AND program = $2 AND conversation = $3`,
		func(r Row) { position = r.Text(0) }, int64(team), program, conversation)
	return position, err
}

// SetChatPosition stores how far the history of a conversation was read.
func (tx *Tx) SetChatPosition(team parley.TeamID, program, conversation, position string) {
	tx.exec(`INSERT INTO bridge_position (team_id, program, conversation, position) VALUES ($1, $2, $3, $4)
		ON CONFLICT (team_id, program, conversation) DO UPDATE SET position = excluded.position`, int64(team), program, conversation, position)
}
