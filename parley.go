// Package parley holds the vocabulary of the hub: the nouns that every other
// package uses, the texts that agents read, and the closed set of error kinds.
// It imports the standard library only, and everything may import it.
//
// A hub hosts teams. The agents of a team hand each other tasks and write
// messages, which form threads, which belong to channels.
// docs/architecture.md follows one ask and one delegation through the packages.
package parley

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IDs are growing integers, so that what happens at the same time is stored in
// the same place. People and agents see them as task-101 or msg-2041.
type (
	TeamID    int64
	AgentID   int64
	ChannelID int64
	ThreadID  int64
	MessageID int64
	TaskID    int64
	EventID   int64
)

func (id TaskID) String() string    { return "task-" + strconv.FormatInt(int64(id), 10) }
func (id MessageID) String() string { return "msg-" + strconv.FormatInt(int64(id), 10) }
func (id ThreadID) String() string  { return "thread-" + strconv.FormatInt(int64(id), 10) }

// ParseTaskID reads task-101; the bare number is accepted too.
func ParseTaskID(s string) (TaskID, error) {
	n, err := parseID(s, "task-")
	return TaskID(n), err
}

// ParseMessageID reads msg-2041; the bare number is accepted too.
func ParseMessageID(s string) (MessageID, error) {
	n, err := parseID(s, "msg-")
	return MessageID(n), err
}

// ParseThreadID reads thread-7; the bare number is accepted too.
func ParseThreadID(s string) (ThreadID, error) {
	n, err := parseID(s, "thread-")
	return ThreadID(n), err
}

func parseID(s, prefix string) (int64, error) {
	digits := strings.TrimPrefix(strings.TrimSpace(s), prefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != digits {
		return 0, Errorf(Invalid, "%q is not an id like %s101.", s, prefix)
	}
	return n, nil
}

// Micros is a point in time as stored: microseconds since 1970 UTC. Zero
// means "not set".
type Micros int64

// Team is the boundary of isolation: nothing crosses it.
type Team struct {
	ID   TeamID
	Name string
	// Paused says that no turn of the team begins or goes on.
	Paused bool
}

// MainTeam is the name of a team for which nobody chose another.
const MainTeam = "main"

// CheckName checks whether s may name a team, an agent or a channel.
func CheckName(s string) error {
	if n := len([]rune(s)); n < 1 || n > 64 {
		return Errorf(Invalid, "A name has 1 to 64 characters; %q has %d.", s, n)
	}
	if strings.TrimSpace(s) != s {
		return Errorf(Invalid, "The name %q begins or ends with a space.", s)
	}
	for _, r := range s {
		if !nameRune(r) {
			return Errorf(Invalid, "The name %q contains %q; letters, digits, space and -_. are allowed.", s, r)
		}
	}
	if strings.Trim(s, ".") == "" {
		return Errorf(Invalid, "The name %q is only dots, which stand for a folder.", s)
	}
	return nil
}

// FoldName brings a name into the form for comparing, which ignores case.
func FoldName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// Clip shortens s to one line of at most n runes, for a list or a title.
func Clip(s string, n int) string {
	bound := 8 * n // enough for one line, however long the text is
	long := len(s) > bound
	if long {
		s = strings.ToValidUTF8(s[:bound], "")
	}
	if !evenlySpaced(s) {
		s = strings.Join(strings.Fields(s), " ")
	}
	s = strings.TrimSpace(s)
	if !long && (len(s) <= n || utf8.RuneCountInString(s) <= n) {
		return s
	}
	runes := 0
	for i := range s {
		if runes++; runes == n {
			s = s[:i]
			break
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD") + "…"
}

// evenlySpaced reports whether words are apart by single spaces, as in one line.
func evenlySpaced(s string) bool {
	space := false
	for _, r := range s {
		if r == ' ' && space || r != ' ' && unicode.IsSpace(r) {
			return false
		}
		space = r == ' '
	}
	return true
}

// pieceRunes is how long a piece is.
const pieceRunes = 300

// Pieces cuts a text, put on one line, into pieces between its words. What is shown of
// a long text to those who search is one of them, so that a redaction finds it.
func Pieces(s string) (list []string) {
	piece, size := "", 0
	add := func() {
		if piece != "" {
			list = append(list, piece)
		}
		piece, size = "", 0
	}
	for word := range strings.FieldsSeq(s) {
		for n := utf8.RuneCountInString(word); n > 0; n = utf8.RuneCountInString(word) {
			part := word
			if n > pieceRunes {
				part = string([]rune(word)[:pieceRunes])
			}
			word = word[len(part):]
			if n = utf8.RuneCountInString(part); size > 0 && size+1+n > pieceRunes {
				add()
			}
			if size > 0 {
				piece, size = piece+" ", size+1
			}
			piece, size = piece+part, size+n
		}
	}
	add()
	return list
}
