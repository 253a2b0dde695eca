package postgres

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"parley/internal/store"
)

// binaryFormat asks for all columns in binary.
var binaryFormat = []int16{pgtype.BinaryFormatCode}

// maxBuffer is how large a buffer a connection keeps for its arguments. A larger one,
// for a long text, is freed.
const maxBuffer = 64 << 10

// params are the arguments of one statement in the protocol's form. The slices are
// reused for the next statement, since sending copies them.
type params struct {
	values  [][]byte
	formats []int16
	types   []uint32
	buffer  []byte
}

// encode sets the arguments. Integers are declared as BIGINT; the server infers the
// types of texts and nulls.
func (p *params) encode(args []any) {
	p.values, p.formats, p.types, p.buffer = p.values[:0], p.formats[:0], p.types[:0], p.buffer[:0]
	if cap(p.buffer) > maxBuffer {
		p.buffer = nil
	}
	for _, arg := range args {
		switch v := arg.(type) {
		case int64:
			p.buffer = binary.BigEndian.AppendUint64(p.buffer, uint64(v))
			p.add(p.buffer[len(p.buffer)-8:], pgtype.BinaryFormatCode, pgtype.Int8OID)
		case string:
			start := len(p.buffer)
			p.buffer = append(p.buffer, store.Storable(v)...)
			p.add(p.buffer[start:], pgtype.TextFormatCode, 0)
		case []byte:
			p.add(v, pgtype.BinaryFormatCode, pgtype.ByteaOID)
		case nil:
			p.add(nil, pgtype.TextFormatCode, 0)
		case column:
			start, t := len(p.buffer), columnTypes[v.kind()]
			p.appendColumn(v, t.element)
			p.add(p.buffer[start:], pgtype.BinaryFormatCode, t.array)
		default:
			panic(fmt.Sprintf("store: argument of type %T", arg))
		}
	}
}

// appendColumn encodes an array of one dimension.
func (p *params) appendColumn(c column, element uint32) {
	int32s := func(list ...uint32) {
		for _, n := range list {
			p.buffer = binary.BigEndian.AppendUint32(p.buffer, n)
		}
	}
	const dimensions, nulls, from = 1, 1, 1
	int32s(dimensions, nulls, element, uint32(len(c.rows)), from)
	for _, r := range c.rows {
		switch v := r.args[c.at].(type) {
		case int64:
			int32s(8)
			p.buffer = binary.BigEndian.AppendUint64(p.buffer, uint64(v))
		case string:
			v = store.Storable(v)
			int32s(uint32(len(v)))
			p.buffer = append(p.buffer, v...)
		case []byte:
			int32s(uint32(len(v)))
			p.buffer = append(p.buffer, v...)
		case nil:
			int32s(nullLength)
		default:
			panic(fmt.Sprintf("store: argument of type %T", v))
		}
	}
}

// nullLength stands for a null instead of the length of a value: -1.
const nullLength = 1<<32 - 1

func (p *params) add(value []byte, format int16, oid uint32) {
	p.values = append(p.values, value)
	p.formats = append(p.formats, format)
	p.types = append(p.types, oid)
}

// row reads the values of the current row directly from the connection's buffer.
type row struct{ values [][]byte }

var _ store.Row = (*row)(nil)

// Int reads an integer of any width, or a boolean; a null is 0.
func (r *row) Int(col int) int64 {
	switch v := r.values[col]; len(v) {
	case 8:
		return int64(binary.BigEndian.Uint64(v))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	case 1:
		return int64(v[0])
	case 0:
		return 0
	default:
		panic(fmt.Sprintf("store: column %d is not an integer; a sum of integers needs a cast to bigint", col))
	}
}

// Text copies a text; a null is empty.
func (r *row) Text(col int) string { return string(r.values[col]) }

// Bytes copies bytes; a null is empty.
func (r *row) Bytes(col int) []byte { return bytes.Clone(r.values[col]) }
