package search

import (
	"strconv"

	"parley"
	"parley/internal/store"
)

// Kind is a kind of document that has its own index.
type Kind = store.SearchKind

const (
	Messages = store.SearchMessages
	Kept     = store.SearchKept
)

// Document is something that can be found.
type Document struct {
	ID   int64
	Team parley.TeamID
	At   parley.Micros
	Text string
	// Marks say who wrote it, where it belongs and who may read it.
	Marks []string
	// Source is what the document was made from, for those who show it.
	Source any
}

// Documents reads the documents of one kind.
type Documents interface {
	// Read reads the documents with these ids that still exist.
	Read(tx *store.Tx, ids []int64) ([]Document, error)
	// After reads the documents of all teams with ids after mark, oldest first.
	After(tx *store.Tx, mark int64, limit int) ([]Document, error)
}

// Each mark begins with a character that no word begins with.

// AuthorMark marks what an agent wrote.
func AuthorMark(id parley.AgentID) string { return "@" + strconv.FormatInt(int64(id), 10) }

// ReaderMark marks what an agent may read as one of two.
func ReaderMark(id parley.AgentID) string { return ">" + strconv.FormatInt(int64(id), 10) }

// GroupMark marks what the members of a group channel may read.
func GroupMark(id parley.ChannelID) string { return "#" + strconv.FormatInt(int64(id), 10) }

// KeeperMark marks what is in a keeper.
func KeeperMark(id parley.KeeperID) string { return "=" + strconv.FormatInt(int64(id), 10) }

// TeamMark marks what everyone in the team may read.
const TeamMark = "*"

// everyMark marks every document, so that those of a team can be counted.
const everyMark = "!"

// foreignMark marks documents whose Latin words are stemmed in another language than
// English.
const foreignMark = "~"

// ReaderMarks are the marks of a channel's readers.
func ReaderMarks(c parley.Channel) []string {
	if c.Kind == parley.Group {
		return []string{GroupMark(c.ID)}
	}
	return []string{ReaderMark(c.A), ReaderMark(c.B)}
}

// messages reads the messages of the record as documents.
type messages struct{}

func (messages) Read(tx *store.Tx, ids []int64) ([]Document, error) {
	list, err := tx.FoundMessages(ids)
	return messageDocuments(list), err
}

func (messages) After(tx *store.Tx, mark int64, limit int) ([]Document, error) {
	list, err := tx.MessagesAfter(mark, limit)
	return messageDocuments(list), err
}

func messageDocuments(list []store.FoundMessage) []Document {
	docs := make([]Document, len(list))
	for i, m := range list {
		docs[i] = messageDocument(m)
	}
	return docs
}

func messageDocument(m store.FoundMessage) Document {
	text := m.Body
	if m.Whole != "" {
		text = m.Whole
	}
	if m.Context != "" {
		text += "\n" + m.Context
	}
	marks := append(ReaderMarks(m.Channel), AuthorMark(m.Author))
	return Document{ID: int64(m.ID), Team: m.Team, At: m.At, Text: text, Marks: marks, Source: m}
}
