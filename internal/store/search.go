package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
)

// The search index is plain rows, the same on both engines. Package search decides
// what a word is, how documents are packed into bytes and who may find what.

// SearchKind is a kind of document that has its own index.
type SearchKind int64

const (
	SearchMessages SearchKind = 1
	SearchKept     SearchKind = 2
)

// searchTables hold the documents of each kind, with id and time.
var searchTables = map[SearchKind]string{SearchMessages: "message", SearchKept: "kept"}

// LateAfter is how much later than its neighbours a document may still appear under
// an id that was drawn before theirs.
const LateAfter = 2 * time.Hour

// SearchMark is how far an index has come.
type SearchMark struct {
	Upto     int64 // the last document in the index
	Removals int64 // how often something was removed
}

// SearchMark reads how far an index has come.
func (tx *Tx) SearchMark(kind SearchKind) (m SearchMark, err error) {
	return tx.searchMark(kind, "")
}

// LockSearchMark reads and locks the mark for a transaction that adds to the index.
// Only one can at a time: ErrNotFound says that another one does.
func (tx *Tx) LockSearchMark(kind SearchKind) (SearchMark, error) {
	return tx.searchMark(kind, " /*skip locked*/")
}

func (tx *Tx) searchMark(kind SearchKind, lock string) (m SearchMark, err error) {
	err = tx.one(`SELECT upto, removals FROM search_mark WHERE kind = $1`+lock,
		func(r Row) { m = SearchMark{Upto: r.Int(0), Removals: r.Int(1)} }, int64(kind))
	return m, err
}

// MoveSearchMark stores that everything up to a document is in the index, except the
// gaps.
func (tx *Tx) MoveSearchMark(kind SearchKind, upto int64) {
	tx.exec(`UPDATE search_mark SET upto = $1 WHERE kind = $2`, upto, int64(kind))
}

// CountRemoval must be called before anything is removed from the index. It waits for
// a transaction that adds to the index.
func (tx *Tx) CountRemoval(kind SearchKind) {
	tx.exec(`UPDATE search_mark SET removals = removals + 1 WHERE kind = $1`, int64(kind))
}

// LastDocument is the newest document id of a kind.
func (tx *Tx) LastDocument(kind SearchKind) (id int64, err error) {
	table, ok := searchTables[kind]
	if !ok {
		return 0, nil
	}
	err = tx.query(`SELECT max(id) FROM `+table, func(r Row) { id = r.Int(0) })
	return id, err
}

// SearchState is what a search starts from.
type SearchState struct {
	Mark   SearchMark
	Last   int64            // the newest document
	Late   []int64          // documents that appeared in a gap, oldest first
	Groups []parley.Channel // of which the reader is a member
}

// SearchState reads what a search starts from, in one round trip; at most late
// documents from gaps.
func (tx *Tx) SearchState(kind SearchKind, reader parley.AgentID, late int) (s SearchState, err error) {
	table, ok := searchTables[kind]
	if !ok {
		return s, nil
	}
	qs := []Query{
		{SQL: `SELECT upto, removals FROM search_mark WHERE kind = $1`, Args: []any{int64(kind)},
			Row: func(r Row) { s.Mark = SearchMark{Upto: r.Int(0), Removals: r.Int(1)} }},
		{SQL: `SELECT max(id) FROM ` + table, Row: func(r Row) { s.Last = r.Int(0) }},
	}
	if reader != 0 {
		qs = append(qs, Query{SQL: groupsOf, Args: []any{int64(reader)},
			Row: func(r Row) { s.Groups = append(s.Groups, scanChannel(r)) }})
	}
	if tx.OutOfOrder() {
		qs = append(qs, Query{SQL: inGaps(table), Args: []any{int64(kind), int64(late)},
			Row: func(r Row) { s.Late = append(s.Late, r.Int(0)) }})
	}
	err = tx.conn.Query(qs...)
	return s, err
}

// DocumentFrom is the first document whose id is at least from, with its time; 0 if
// there is none.
func (tx *Tx) DocumentFrom(kind SearchKind, from int64) (id int64, at parley.Micros, err error) {
	table, ok := searchTables[kind]
	if !ok {
		return 0, 0, nil
	}
	err = tx.query(`SELECT id, at FROM `+table+` WHERE id >= $1 ORDER BY id LIMIT 1`,
		func(r Row) { id, at = r.Int(0), parley.Micros(r.Int(1)) }, from)
	return id, at, err
}

// OutOfOrder reports whether a document may appear after others with greater ids.
func (tx *Tx) OutOfOrder() bool { return tx.conn.Engine() == PostgreSQL }

// SearchGap is a range of ids that did not exist when the index passed them.
type SearchGap struct {
	First, Last int64
	Found       parley.Micros
}

// SearchGaps reads the gaps of an index, oldest first.
func (tx *Tx) SearchGaps(kind SearchKind) (list []SearchGap, err error) {
	err = tx.query(`SELECT first_id, last_id, found_at FROM search_gap WHERE kind = $1 ORDER BY first_id`, func(r Row) {
		list = append(list, SearchGap{First: r.Int(0), Last: r.Int(1), Found: parley.Micros(r.Int(2))})
	}, int64(kind))
	return list, err
}

// SetSearchGaps replaces the gaps of an index.
func (tx *Tx) SetSearchGaps(kind SearchKind, list []SearchGap) {
	tx.exec(`DELETE FROM search_gap WHERE kind = $1`, int64(kind))
	for _, g := range list {
		tx.exec(`INSERT INTO search_gap (kind, first_id, last_id, found_at) VALUES ($1, $2, $3, $4)`,
			int64(kind), g.First, g.Last, int64(g.Found))
	}
}

// InSearchGaps finds documents that appeared in a gap, oldest first.
func (tx *Tx) InSearchGaps(kind SearchKind, limit int) (ids []int64, err error) {
	table, ok := searchTables[kind]
	if !ok || !tx.OutOfOrder() {
		return nil, nil
	}
	err = tx.query(inGaps(table), func(r Row) { ids = append(ids, r.Int(0)) }, int64(kind), int64(limit))
	return ids, err
}

// inGaps looks into one gap after the other. A plain join would be planned as a scan
// over all documents that checks each one against the gaps.
func inGaps(table string) string {
	return `SELECT d.id FROM search_gap g JOIN LATERAL
		(SELECT m.id FROM ` + table + ` m WHERE m.id BETWEEN g.first_id AND g.last_id ORDER BY m.id LIMIT $2) d ON true
		WHERE g.kind = $1 ORDER BY d.id LIMIT $2`
}

// PostingKey names a row of the index.
type PostingKey struct {
	Team  parley.TeamID
	Kind  SearchKind
	Word  string
	Chunk int64
}

func (k PostingKey) args(more ...any) []any {
	return append([]any{int64(k.Team), int64(k.Kind), k.Word, k.Chunk}, more...)
}

// PostingRow is documents to be added to a row of the index.
type PostingRow struct {
	PostingKey
	N    int
	Docs []byte
}

// AppendPostings adds documents to rows and creates missing rows. Each row may occur
// only once, and in the order of the table: neighbours share pages, and two
// transactions that change rows at once cannot deadlock.
func (tx *Tx) AppendPostings(rows []PostingRow) {
	if tx.conn.Engine() == PostgreSQL {
		tx.appendPostingArrays(rows)
		return
	}
	for _, r := range rows {
		tx.exec(`INSERT INTO posting (team_id, kind, word, chunk, n, docs) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (team_id, kind, word, chunk) DO UPDATE SET n = posting.n + excluded.n,
			docs = CAST(posting.docs || excluded.docs AS BLOB)`, r.args(int64(r.N), r.Docs)...)
	}
}

// SetPosting replaces the documents of a row, and deletes a row that has none left.
func (tx *Tx) SetPosting(k PostingKey, n int, docs []byte) {
	if n == 0 {
		tx.exec(`DELETE FROM posting WHERE team_id = $1 AND kind = $2 AND word = $3 AND chunk = $4`, k.args()...)
		return
	}
	tx.exec(`UPDATE posting SET n = $5, docs = $6 WHERE team_id = $1 AND kind = $2 AND word = $3 AND chunk = $4`,
		k.args(int64(n), docs)...)
}

// Posting is a row of the index.
type Posting struct {
	Word  string
	Chunk int64
	N     int
	Docs  []byte // nil if only the size was read
}

// PostingSizes reads the rows of each word without their documents, newest first and
// at most limit(word) of them, in one round trip.
func (tx *Tx) PostingSizes(team parley.TeamID, kind SearchKind, words []string, limit func(word string) int, each func(Posting)) error {
	return tx.postings(words, func(word string) Query {
		return Query{SQL: `SELECT chunk, n FROM posting WHERE team_id = $1 AND kind = $2 AND word = $3 ORDER BY chunk DESC LIMIT $4`,
			Args: []any{int64(team), int64(kind), word, int64(limit(word))},
			Row:  func(r Row) { each(Posting{Word: word, Chunk: r.Int(0), N: int(r.Int(1))}) }}
	})
}

// Postings reads the rows of each word from the chunk from(word) up to the chunk to,
// in one round trip.
func (tx *Tx) Postings(team parley.TeamID, kind SearchKind, words []string, from func(word string) int64, to int64, each func(Posting)) error {
	return tx.postings(words, func(word string) Query {
		return Query{SQL: `SELECT chunk, n, docs FROM posting
			WHERE team_id = $1 AND kind = $2 AND word = $3 AND chunk >= $4 AND chunk <= $5 ORDER BY chunk DESC`,
			Args: []any{int64(team), int64(kind), word, from(word), to},
			Row:  func(r Row) { each(Posting{Word: word, Chunk: r.Int(0), N: int(r.Int(1)), Docs: r.Bytes(2)}) }}
	})
}

// PostingsFrom reads the rows after a key up to, but not including, the word end, in
// the order of the table.
func (tx *Tx) PostingsFrom(after PostingKey, end string, limit int, each func(Posting)) error {
	return tx.query(`SELECT word, chunk, n, docs FROM posting
		WHERE team_id = $1 AND kind = $2 AND (word, chunk) > ($3, $4) AND word < $5 ORDER BY word, chunk LIMIT $6`,
		func(r Row) { each(Posting{Word: r.Text(0), Chunk: r.Int(1), N: int(r.Int(2)), Docs: r.Bytes(3)}) },
		after.args(end, int64(limit))...)
}

// SearchWords visits the words of the index from the word from up to, but not
// including, the word end. It goes from word to word, however many rows each has.
func (tx *Tx) SearchWords(team parley.TeamID, kind SearchKind, from, end string, each func(word string)) error {
	return tx.query(`WITH RECURSIVE sub (word) AS (
			SELECT min(word) FROM posting WHERE team_id = $1 AND kind = $2 AND word >= $3 AND word < $4
			UNION ALL
			SELECT (SELECT min(p.word) FROM posting p WHERE p.team_id = $1 AND p.kind = $2 AND p.word > sub.word AND p.word < $4)
			FROM sub WHERE sub.word IS NOT NULL)
		SELECT word FROM sub WHERE word IS NOT NULL`, func(r Row) { each(r.Text(0)) }, int64(team), int64(kind), from, end)
}

// SearchWordsBackward is SearchWords by the ends of words: it visits words that are
// spelled from their last letter.
func (tx *Tx) SearchWordsBackward(team parley.TeamID, kind SearchKind, from, end string, each func(word string)) error {
	return tx.query(`SELECT backward FROM search_word WHERE team_id = $1 AND kind = $2 AND backward >= $3 AND backward < $4`,
		func(r Row) { each(r.Text(0)) }, int64(team), int64(kind), from, end)
}

// AddSearchWords stores words, spelled from their last letter, in the order of the
// table. Those that are known are left as they are.
func (tx *Tx) AddSearchWords(words []PostingKey) {
	if tx.conn.Engine() == PostgreSQL {
		tx.addSearchWordArrays(words)
		return
	}
	for _, k := range words {
		tx.exec(`INSERT INTO search_word (team_id, kind, backward) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			int64(k.Team), int64(k.Kind), k.Word)
	}
}

// RemoveSearchWord forgets a word if no row of the index has it any more. backward is
// the word spelled from its last letter.
func (tx *Tx) RemoveSearchWord(k PostingKey, backward string) {
	tx.exec(`DELETE FROM search_word WHERE team_id = $1 AND kind = $2 AND backward = $3 AND NOT EXISTS
		(SELECT 1 FROM posting WHERE team_id = $1 AND kind = $2 AND word = $4)`, int64(k.Team), int64(k.Kind), backward, k.Word)
}

func (tx *Tx) postings(words []string, query func(word string) Query) error {
	if len(words) == 0 {
		return nil
	}
	qs := make([]Query, len(words))
	for i, word := range words {
		qs[i] = query(word)
	}
	return tx.conn.Query(qs...)
}

// FoundMessage is a message with its channel and, if its body is only the beginning,
// its full text.
type FoundMessage struct {
	parley.Message
	Channel parley.Channel // id, kind and the two of a dm
	Whole   string
}

const foundMessage = `SELECT ` + messageColsOfM + `, c.id, c.kind, c.a_id, c.b_id, a.body
	FROM message m JOIN thread t ON t.id = m.thread_id JOIN channel c ON c.id = t.channel_id
	LEFT JOIN attachment a ON a.message_id = m.id`

func scanFoundMessage(r Row) FoundMessage {
	const next = messageColCount
	m := FoundMessage{Message: scanMessage(r), Whole: r.Text(next + 4)}
	m.Channel = parley.Channel{ID: parley.ChannelID(r.Int(next)), Team: m.Team, Kind: parley.ChannelKind(r.Text(next + 1)),
		A: parley.AgentID(r.Int(next + 2)), B: parley.AgentID(r.Int(next + 3))}
	return m
}

// MessagesAfter reads messages of all teams with greater ids than the given one,
// oldest first.
func (tx *Tx) MessagesAfter(id int64, limit int) (list []FoundMessage, err error) {
	err = tx.query(foundMessage+` WHERE m.id > $1 ORDER BY m.id LIMIT $2`,
		func(r Row) { list = append(list, scanFoundMessage(r)) }, id, int64(limit))
	return list, err
}

// FoundMessages reads the messages with these ids that still exist, oldest first.
func (tx *Tx) FoundMessages(ids []int64) (list []FoundMessage, err error) {
	err = tx.queryIDs(foundMessage+` WHERE m.id IN (`+idPlaceholders+`) ORDER BY m.id`, ids,
		func(r Row) { list = append(list, scanFoundMessage(r)) })
	return list, err
}

// queryIDs runs a statement for any number of ids, in one round trip.
func (tx *Tx) queryIDs(sql string, ids []int64, row func(Row)) error {
	var qs []Query
	for some := range slices.Chunk(ids, idsPerStatement) {
		qs = append(qs, Query{SQL: sql, Args: padIDs(some), Row: row})
	}
	return tx.conn.Query(qs...)
}

// idsPerStatement is how many ids a statement names. Unused places are filled with 0,
// an id that no row has, so that there is only one statement to prepare.
const idsPerStatement = 50

var idPlaceholders = func() string {
	marks := make([]string, idsPerStatement)
	for i := range marks {
		marks[i] = "$" + strconv.Itoa(i+1)
	}
	return strings.Join(marks, ", ")
}()

func padIDs(ids []int64) []any {
	if len(ids) > idsPerStatement {
		panic(fmt.Sprintf("store: %d ids in one statement", len(ids)))
	}
	args := make([]any, idsPerStatement)
	for i := range args {
		args[i] = int64(0)
		if i < len(ids) {
			args[i] = ids[i]
		}
	}
	return args
}
