package store

import "parley"

// List names ids that are looked up by an owner: the unread mail of an agent, the children
// of a task. On PostgreSQL each is a partial index of its table. An index by owner has the
// rows of one commit lie on as many pages, so a Lister keeps them apart and in memory
// first.
//
// A statement that reads through a list has the mark /*list NAME*/ behind its table, and
// repeats the conditions of the list: a list may name more than there is. In a recursive
// statement the part that goes on with the children of a task stands between the marks
// /*children*/ and /*end*/.
type List int

const (
	// MailList has the unread mail of an agent: mail = 1 AND seen_at = 0.
	MailList List = iota
	// PullList has what an agent has yet to fetch: pull = 1 AND seen_at = 0.
	PullList
	// AboutList has the unread mail about tasks: about_id <> 0 AND seen_at = 0.
	AboutList
	// ChildList has the children of a task: parent_id > 0.
	ChildList
	// InboxList has the messages in the inbox of a task.
	InboxList
	ListCount
)

// ListNames are those in the marks.
var ListNames = [ListCount]string{"mail", "pull", "about", "child", "inbox"}

// Lister is a Conn that keeps lists. It hears of every id that comes into a list or
// leaves it.
type Lister interface {
	AddTo(list List, owner, id int64)
	TakeFrom(list List, owner, id int64)
}

// addTo adds an id to a list, where there are any.
func (tx *Tx) addTo(list List, owner, id int64) {
	if l, ok := tx.conn.(Lister); ok {
		l.AddTo(list, owner, id)
	}
}

// enlist adds to the lists of a recipient what a new delivery belongs to.
func (tx *Tx) enlist(r Recipient, id int64) {
	l, ok := tx.conn.(Lister)
	if !ok {
		return
	}
	if r.Mail {
		l.AddTo(MailList, int64(r.ID), id)
	}
	if r.Pulls {
		l.AddTo(PullList, int64(r.ID), id)
	}
	if r.About != 0 {
		l.AddTo(AboutList, int64(r.ID), id)
	}
}

// delist takes a delivery out of some lists; without any, out of all.
func (tx *Tx) delist(recipient, id int64, from ...List) {
	l, ok := tx.conn.(Lister)
	if !ok {
		return
	}
	if len(from) == 0 {
		from = deliveryLists
	}
	for _, list := range from {
		l.TakeFrom(list, recipient, id)
	}
}

var deliveryLists = []List{MailList, PullList, AboutList}

// relist adds a delivery to its lists again.
func (tx *Tx) relist(recipient, id int64) {
	if _, ok := tx.conn.(Lister); !ok {
		return
	}
	to := Recipient{ID: parley.AgentID(recipient)}
	// What fails here fails the transaction.
	_ = tx.query(`SELECT pull, mail, about_id FROM delivery WHERE message_id = $1 AND recipient_id = $2 AND seen_at = 0`, func(r Row) {
		to.Pulls, to.Mail, to.About = r.Int(0) != 0, r.Int(1) != 0, parley.TaskID(r.Int(2))
	}, id, recipient)
	tx.enlist(to, id)
}
