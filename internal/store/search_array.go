package store

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// rowsPerStatement is how many rows of the index one statement adds.
const rowsPerStatement = 1000

// appendPostingArrays passes rows as arrays, many to a statement: on a server a
// statement costs more than a row.
func (tx *Tx) appendPostingArrays(rows []PostingRow) {
	for len(rows) > 0 {
		some := rows[:min(len(rows), rowsPerStatement)]
		rows = rows[len(some):]
		var teams, kinds, words, chunks, sizes, docs arrayText
		for _, r := range some {
			teams.int(int64(r.Team))
			kinds.int(int64(r.Kind))
			words.text(r.Word)
			chunks.int(r.Chunk)
			sizes.int(int64(r.N))
			docs.bytes(r.Docs)
		}
		tx.exec(`INSERT INTO posting (team_id, kind, word, chunk, n, docs)
			SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[])
			ON CONFLICT (team_id, kind, word, chunk) DO UPDATE SET n = posting.n + excluded.n, docs = posting.docs || excluded.docs`,
			teams.String(), kinds.String(), words.String(), chunks.String(), sizes.String(), docs.String())
	}
}

func (tx *Tx) addSearchWordArrays(words []PostingKey) {
	for len(words) > 0 {
		some := words[:min(len(words), rowsPerStatement)]
		words = words[len(some):]
		var teams, kinds, spelled arrayText
		for _, k := range some {
			teams.int(int64(k.Team))
			kinds.int(int64(k.Kind))
			spelled.text(k.Word)
		}
		tx.exec(`INSERT INTO search_word (team_id, kind, backward)
			SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[]) ON CONFLICT DO NOTHING`,
			teams.String(), kinds.String(), spelled.String())
	}
}

// arrayText writes an array in PostgreSQL's notation.
type arrayText struct{ b strings.Builder }

func (a *arrayText) next() {
	if a.b.Len() > 0 {
		a.b.WriteByte(',')
	}
}

func (a *arrayText) int(v int64) {
	a.next()
	a.b.WriteString(strconv.FormatInt(v, 10))
}

// escapes covers the two characters that are special within quotes.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func (a *arrayText) text(s string) {
	a.next()
	a.b.WriteByte('"')
	a.b.WriteString(escapes.Replace(s))
	a.b.WriteByte('"')
}

func (a *arrayText) bytes(v []byte) {
	a.next()
	a.b.WriteString(`"\\x`)
	a.b.WriteString(hex.EncodeToString(v))
	a.b.WriteByte('"')
}

func (a *arrayText) String() string { return "{" + a.b.String() + "}" }
