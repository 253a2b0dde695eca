package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"parley/internal/store"
)

// roundTripLimit is longer than all the waiting for locks that one round trip may do.
// After it, the server or the network must have failed silently.
const roundTripLimit = 2 * time.Minute

// session is one pooled connection with its prepared statements.
type session struct {
	pg         *pgconn.PgConn
	statements map[string]*statement
	frames     map[framed]string // of gathered statements
	params     params
	row        row
	counter    *counter // nil: nobody counts
	update     bool     // what it counts is of an Update
}

// statement is prepared when it is first used, in the same round trip.
type statement struct {
	name string
	sql  string // with the marks replaced
	// known is the server's description of it; nil until the server has sent it.
	known *pgconn.StatementDescription
	// sent says that the round trip under construction prepares it.
	sent bool
}

// request is one statement of a round trip.
type request struct {
	sql  string
	args []any
	row  func(store.Row)
	// tag is what the server must answer, if set.
	tag string
}

// sessionOf returns the session stored with a pooled connection.
func sessionOf(pg *pgconn.PgConn) *session {
	if s, ok := pg.CustomData()["session"].(*session); ok {
		return s
	}
	s := &session{pg: pg, statements: map[string]*statement{}}
	pg.CustomData()["session"] = s
	return s
}

// marks translates the places where the engines differ within a shared statement.
var marks = strings.NewReplacer(
	"/*lock*/", "FOR UPDATE",
	"/*skip locked*/", "FOR UPDATE SKIP LOCKED",
	"/*lock thread*/", "FOR UPDATE OF t",
	"/*lock rate*/", "FOR UPDATE OF r",
)

func (s *session) statement(sql string) *statement {
	st := s.statements[sql]
	if st == nil {
		st = &statement{name: "p" + strconv.Itoa(len(s.statements)), sql: marks.Replace(sql)}
		s.statements[sql] = st
	}
	return st
}

// roundTrip sends all requests at once and reads their results in order. It stops at
// the first failure, as the server does.
func (s *session) roundTrip(requests []request) error {
	// The deadline is on the socket, since a context would cost a goroutine each
	// time.
	if err := s.pg.Conn().SetDeadline(time.Now().Add(roundTripLimit)); err != nil {
		return err
	}
	s.counter.sent(s.update)
	p := s.pg.StartPipeline(context.Background())
	for i := range requests {
		s.send(p, &requests[i])
	}
	err := p.Sync()
	if err == nil {
		err = s.receive(p, requests)
	}
	if closeErr := p.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		s.forgetUnknown(requests)
	}
	_ = s.pg.Conn().SetDeadline(time.Time{}) // if this fails, so will the next use
	return err
}

func (s *session) send(p *pgconn.Pipeline, r *request) {
	st := s.statement(r.sql)
	s.params.encode(r.args)
	if st.known != nil {
		p.SendQueryStatement(st.known, s.params.values, s.params.formats, binaryFormat)
		return
	}
	if !st.sent {
		p.SendPrepare(st.name, st.sql, s.params.types)
		st.sent = true
	}
	p.SendQueryPrepared(st.name, s.params.values, s.params.formats, binaryFormat)
}

func (s *session) receive(p *pgconn.Pipeline, requests []request) error {
	for i := range requests {
		r := &requests[i]
		if err := s.receiveDescription(p, s.statements[r.sql]); err != nil {
			return err
		}
		result, err := p.GetResults()
		if err != nil {
			return err
		}
		reader, ok := result.(*pgconn.ResultReader)
		if !ok {
			return fmt.Errorf("result %T of %q", result, r.sql)
		}
		if err := s.read(reader, r); err != nil {
			return err
		}
	}
	_, err := p.GetResults() // the end of the round trip
	return err
}

// receiveDescription reads the description of a statement that this round trip
// prepares.
func (s *session) receiveDescription(p *pgconn.Pipeline, st *statement) error {
	if !st.sent {
		return nil
	}
	result, err := p.GetResults()
	if err != nil {
		return err
	}
	description, ok := result.(*pgconn.StatementDescription)
	if !ok {
		return fmt.Errorf("description %T of %q", result, st.sql)
	}
	description.Name = st.name
	st.known, st.sent = description, false
	return nil
}

func (s *session) read(reader *pgconn.ResultReader, r *request) error {
	for reader.NextRow() {
		if r.row != nil {
			s.row.values = reader.Values()
			r.row(&s.row)
		}
	}
	tag, err := reader.Close()
	if err == nil && r.tag != "" && tag.String() != r.tag {
		return errors.New(r.sql + " was answered with " + tag.String())
	}
	s.counter.ran(r.sql, s.update, tag.RowsAffected())
	return err
}

// forgetUnknown makes the next round trip prepare the statements that this one may
// not have prepared. Each gets a new name: the server may have processed more than we
// have read, and would then refuse the old one.
func (s *session) forgetUnknown(requests []request) {
	for i := range requests {
		if st := s.statements[requests[i].sql]; st != nil && st.sent {
			st.sent = false
			st.name += "x"
		}
	}
}
