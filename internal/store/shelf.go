package store

import (
	"encoding/binary"

	"parley"
)

// shelf holds messages for Recent. There are hundreds of thousands of them, and whatever
// the collector can reach it visits, several times a second when much is said. So they
// are packed into slabs and found through numbers: the collector sees a few large pieces
// without a pointer. Who takes one gets a copy.
type shelf struct {
	places map[parley.MessageID]place
	slabs  [][]byte
	large  map[parley.MessageID]*parley.Message
	size   int // roughly what it takes, in bytes
}

// place is where a message lies.
type place struct{ slab, at, length uint32 }

const (
	// slabBytes is the size of a slab.
	slabBytes = 256 << 10
	// largeText is a text that is kept as it is: it would be copied too often, and there
	// are few of them.
	largeText = 4 << 10
	// placeBytes is what finding a packed message takes, messageBytes a large one without
	// its texts.
	placeBytes   = 40
	messageBytes = 250
)

// shelfSize is what a message takes at most.
func shelfSize(m *parley.Message) int {
	return messageBytes + len(m.Body) + len(m.Context)
}

func (s *shelf) has(id parley.MessageID) bool {
	if _, ok := s.places[id]; ok {
		return true
	}
	_, ok := s.large[id]
	return ok
}

func (s *shelf) get(id parley.MessageID) (parley.Message, bool) {
	if p, ok := s.places[id]; ok {
		return unpack(id, s.at(p)), true
	}
	if m, ok := s.large[id]; ok {
		return *m, true
	}
	return parley.Message{}, false
}

func (s *shelf) at(p place) []byte { return s.slabs[p.slab][p.at:][:p.length] }

func (s *shelf) put(m *parley.Message) {
	if s.has(m.ID) {
		return
	}
	if len(m.Body)+len(m.Context) > largeText {
		if s.large == nil {
			s.large = map[parley.MessageID]*parley.Message{}
		}
		own := *m
		s.large[m.ID] = &own
		s.size += shelfSize(m)
		return
	}
	if n := len(s.slabs); n == 0 || cap(s.slabs[n-1])-len(s.slabs[n-1]) < packedSize(m) {
		s.slabs = append(s.slabs, make([]byte, 0, slabBytes))
	}
	if s.places == nil {
		s.places = map[parley.MessageID]place{}
	}
	last := len(s.slabs) - 1
	begins := len(s.slabs[last])
	s.slabs[last] = pack(s.slabs[last], m)
	length := len(s.slabs[last]) - begins
	s.places[m.ID] = place{slab: uint32(last), at: uint32(begins), length: uint32(length)}
	s.size += placeBytes + length
}

// remove takes a message away, with what it said.
func (s *shelf) remove(id parley.MessageID) {
	if p, ok := s.places[id]; ok {
		clear(s.at(p))
		delete(s.places, id)
	}
	delete(s.large, id)
}

// Before the texts of a packed message are its numbers and the lengths of all but the
// last text.
const (
	packedNumbers = 10
	packedLengths = 3
	packedHead    = 8*packedNumbers + 4*packedLengths
)

func packedSize(m *parley.Message) int {
	return packedHead + len(m.Kind) + len(m.Key) + len(m.Body) + len(m.Context)
}

// pack appends a message without its id. Numbers have their full width: reading them is
// most of what it costs to find a conversation.
func pack(b []byte, m *parley.Message) []byte {
	for _, n := range [packedNumbers]int64{
		int64(m.Team), int64(m.Thread), int64(m.N), int64(m.Prev), int64(m.Author), int64(m.Priority),
		int64(m.Task), int64(m.Origin), int64(m.At), int64(m.Question),
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	for _, n := range [packedLengths]int{len(m.Kind), len(m.Key), len(m.Body)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, m.Kind...)
	b = append(b, m.Key...)
	b = append(b, m.Body...)
	return append(b, m.Context...)
}

// unpack reads what pack has written. The texts are one copy.
func unpack(id parley.MessageID, b []byte) parley.Message {
	head := b[:packedHead]
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(head[8*i:])) }
	length := func(i int) int { return int(binary.LittleEndian.Uint32(head[8*packedNumbers+4*i:])) }
	texts := string(b[packedHead:])
	key := length(0)
	body := key + length(1)
	context := body + length(2)
	return parley.Message{
		ID: id, Team: parley.TeamID(number(0)), Thread: parley.ThreadID(number(1)), N: int(number(2)),
		Prev: parley.MessageID(number(3)), Author: parley.AgentID(number(4)), Priority: parley.Priority(number(5)),
		Task: parley.TaskID(number(6)), Origin: parley.TaskID(number(7)), At: parley.Micros(number(8)), Question: parley.QuestionID(number(9)),
		Kind: parley.MessageKind(texts[:key]), Key: texts[key:body], Body: texts[body:context], Context: texts[context:],
	}
}
