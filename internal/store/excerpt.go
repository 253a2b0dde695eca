package store

import (
	"encoding/binary"
	"slices"

	"parley"
)

// excerpt is the newest part of a conversation, for Recent. Its messages are packed one
// behind the other, the oldest first, each with its length at its end: whoever asks for the
// last twenty reads one piece of memory from its end. And there are hundreds of thousands
// of messages, and whatever the collector can reach it visits, several times a second when
// much is said: it sees one piece without a pointer for each conversation.
//
// A message of a transaction that failed may stand between the others. Nobody finds it:
// the next one does not name it as the one before.
type excerpt struct {
	thread       parley.ThreadID
	older, newer *excerpt // in the order of use

	packed []byte
	count  int
	// large are the messages with long texts. They would be copied too often, and there
	// are few of them. What is packed of them is only the id.
	large map[parley.MessageID]*parley.Message
	heavy int // bytes of their texts
}

const (
	// An excerpt that has grown to the most goes back to the fewest, which a turn shows
	// with room for a request and its answer.
	fewestKept = 22
	mostKept   = 32
	// largeText is a text that is kept as it is.
	largeText = 4 << 10
	// excerptBytes is what an excerpt takes besides its messages, and messageBytes a large
	// message besides its texts, roughly.
	excerptBytes = 150
	messageBytes = 250
)

// size is roughly what the excerpt takes.
func (x *excerpt) size() int {
	return excerptBytes + cap(x.packed) + messageBytes*len(x.large) + x.heavy
}

// add puts a new message at the end.
func (x *excerpt) add(m *parley.Message) {
	if x.count == mostKept {
		x.drop(x.count - fewestKept)
	}
	if texts := len(m.Body) + len(m.Context); texts > largeText {
		if x.large == nil {
			x.large = map[parley.MessageID]*parley.Message{}
		}
		own := *m
		x.large[m.ID] = &own
		x.heavy += texts
		m = &parley.Message{ID: m.ID, N: m.N, Prev: m.Prev}
	}
	x.grow(packedSize(m))
	x.packed = pack(x.packed, m)
	x.count++
}

// grow makes room. There are many excerpts, so a quarter more has to do.
func (x *excerpt) grow(bytes int) {
	if need := len(x.packed) + bytes; need > cap(x.packed) {
		x.packed = append(make([]byte, 0, need+need/4), x.packed...)
	}
}

// drop takes the oldest messages away.
func (x *excerpt) drop(n int) {
	begin := len(x.packed)
	for range x.count - n {
		begin = x.begin(begin)
	}
	for at := begin; at > 0 && len(x.large) > 0; {
		at = x.begin(at)
		if m := x.large[x.id(at)]; m != nil {
			x.heavy -= len(m.Body) + len(m.Context)
			delete(x.large, m.ID)
		}
	}
	x.packed = x.packed[:copy(x.packed, x.packed[begin:])]
	x.count -= n
}

// insert puts messages that were read, the newest first, before those that are newer and
// in the place of all others.
func (x *excerpt) insert(list []parley.Message) {
	newer := x.after(list[0].N)
	if len(newer) >= fewestKept {
		return
	}
	list = append(newer, list...)
	*x = excerpt{thread: x.thread, older: x.older, newer: x.newer}
	for _, m := range slices.Backward(list[:min(len(list), fewestKept)]) {
		x.add(&m)
	}
}

// after has the messages with a higher number, the newest first.
func (x *excerpt) after(n int) (list []parley.Message) {
	for end := len(x.packed); end > 0; {
		at := x.begin(end)
		if x.n(at) <= n {
			break
		}
		list = append(list, x.unpack(at, string(x.packed[at:end])))
		end = at
	}
	return list
}

// back finds the messages of Recent.Back.
func (x *excerpt) back(from parley.MessageID, downTo, limit int) (list []parley.Message, next parley.MessageID) {
	var places [mostKept]int
	found, begin, end := 0, len(x.packed), 0
	for next = from; next != 0 && found < limit && begin > 0; {
		after := begin
		begin = x.begin(after)
		if x.id(begin) != next {
			continue
		}
		if x.n(begin) <= downTo {
			next = 0
			break
		}
		if found == 0 {
			end = after
		}
		places[found] = begin
		found++
		next = x.prev(begin)
	}
	if found == limit {
		next = 0
	}
	if found == 0 {
		return nil, next
	}
	first := places[found-1]
	texts := string(x.packed[first:end]) // one copy for all
	list = make([]parley.Message, found)
	for i, at := range places[:found] {
		list[i] = x.unpack(at, texts[at-first:])
	}
	return list, next
}

// A packed message has its numbers, of which the first are its id, its number and the id of
// the one before, then the lengths of its texts, the texts, and the length of all that.
// Numbers have their full width: reading them is most of what it costs to find a
// conversation.
const (
	packedNumbers = 11
	packedLengths = 4
	packedHead    = 8*packedNumbers + 4*packedLengths
	packedTail    = 4
)

func packedSize(m *parley.Message) int {
	return packedHead + len(m.Kind) + len(m.Key) + len(m.Body) + len(m.Context) + packedTail
}

func pack(b []byte, m *parley.Message) []byte {
	for _, n := range [packedNumbers]int64{
		int64(m.ID), int64(m.N), int64(m.Prev), int64(m.Team), int64(m.Thread), int64(m.Author), int64(m.Priority),
		int64(m.Task), int64(m.Origin), int64(m.At), int64(m.Question),
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	for _, n := range [packedLengths]int{len(m.Kind), len(m.Key), len(m.Body), len(m.Context)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, m.Kind...)
	b = append(b, m.Key...)
	b = append(b, m.Body...)
	b = append(b, m.Context...)
	return binary.LittleEndian.AppendUint32(b, uint32(packedSize(m)))
}

// begin is where the message begins that ends at a place.
func (x *excerpt) begin(end int) int {
	return end - int(binary.LittleEndian.Uint32(x.packed[end-packedTail:]))
}

func (x *excerpt) number(at, i int) int64 {
	return int64(binary.LittleEndian.Uint64(x.packed[at+8*i:]))
}

func (x *excerpt) id(at int) parley.MessageID   { return parley.MessageID(x.number(at, 0)) }
func (x *excerpt) n(at int) int                 { return int(x.number(at, 1)) }
func (x *excerpt) prev(at int) parley.MessageID { return parley.MessageID(x.number(at, 2)) }

// length is that of one of the texts of the message at a place.
func (x *excerpt) length(at, i int) int {
	return int(binary.LittleEndian.Uint32(x.packed[at+8*packedNumbers+4*i:]))
}

// unpack reads the message at a place. packed is a copy of it and of whatever follows, of which its
// texts are parts.
func (x *excerpt) unpack(at int, packed string) parley.Message {
	id := x.id(at)
	if m := x.large[id]; m != nil {
		return *m
	}
	key := packedHead + x.length(at, 0)
	body := key + x.length(at, 1)
	context := body + x.length(at, 2)
	end := context + x.length(at, 3)
	return parley.Message{
		ID: id, N: x.n(at), Prev: x.prev(at), Team: parley.TeamID(x.number(at, 3)), Thread: parley.ThreadID(x.number(at, 4)),
		Author: parley.AgentID(x.number(at, 5)), Priority: parley.Priority(x.number(at, 6)), Task: parley.TaskID(x.number(at, 7)),
		Origin: parley.TaskID(x.number(at, 8)), At: parley.Micros(x.number(at, 9)), Question: parley.QuestionID(x.number(at, 10)),
		Kind: parley.MessageKind(packed[packedHead:key]), Key: packed[key:body], Body: packed[body:context], Context: packed[context:end],
	}
}
