package parley

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// KeeperID is the number of a keeper, keeper-7 at the edge.
type KeeperID int64

func (id KeeperID) String() string { return "keeper-" + strconv.FormatInt(int64(id), 10) }

// ParseKeeperID reads keeper-7; the bare number is accepted too.
func ParseKeeperID(s string) (KeeperID, error) {
	n, err := parseID(s, "keeper-")
	return KeeperID(n), err
}

// Keeper is a chunk of a conversation that was put away under a topic, to be
// found again by what was said in it.
type Keeper struct {
	ID    KeeperID
	Team  TeamID
	Owner AgentID
	// Channel is where it was said, and so who may read it: a dm's two, or those who
	// are in a group now. 0 is the owner alone.
	Channel ChannelID
	Thread  ThreadID
	Task    TaskID
	Topic   string
	Count   int  // of its messages
	Size    int  // of their texts, in characters
	Shared  bool // its owner lets the whole team read it
	// Automatic says that the hub made it, because the conversation no longer fitted.
	Automatic bool
	// Key finds the keeper again that a call made before; empty for none.
	Key       string
	CreatedAt Micros
	UsedAt    Micros // when something was last found in it
	Uses      int
}

// Kept is one message of a keeper, numbered from the oldest on.
type Kept struct {
	ID     int64
	Team   TeamID
	Keeper KeeperID
	N      int
	Role   string // as its owner's model knows it: user, assistant or tool
	Author AgentID
	Text   string // as its owner read it
	// Message is the stored message that it is a copy of; 0 if it is of none.
	Message MessageID
	// Private says that it was not said in the keeper's channel, such as the result
	// of a tool: it is for the owner until the keeper is shared.
	Private bool
	At      Micros
}

// Name is how a text refers to the message: keeper-7/3.
func (k Kept) Name() string { return fmt.Sprintf("%s/%d", k.Keeper, k.N) }

// Characters is how long the messages are together.
func Characters(list []Kept) (n int) {
	for i := range list {
		n += utf8.RuneCountInString(list[i].Text)
	}
	return n
}

// The roles of kept messages.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// LastUsed is when the keeper was last of use: at the latest when it was made.
func (k Keeper) LastUsed() Micros { return max(k.CreatedAt, k.UsedAt) }

// KeeperText names a keeper where its messages were.
func KeeperText(k Keeper) string { return "[Keeper:" + k.ID.String() + "] topic=" + k.Topic }

// OffloadedText tells an agent what it put away.
func OffloadedText(k Keeper) string {
	return fmt.Sprintf("Offloaded %d messages. %s", k.Count, KeeperText(k))
}

// NothingToOffload answers an agent that has said too little yet.
const NothingToOffload = "No messages to offload (context too small)."

// PutAwayText takes the place of what left a conversation because it no longer
// fitted.
func PutAwayText(k Keeper) string {
	return fmt.Sprintf("%s (%d messages, %d characters)\nThese earlier messages were put away to make room. context_retrieve finds them.",
		KeeperText(k), k.Count, k.Size)
}

// NothingFoundText answers a query that no kept message fits.
func NothingFoundText(query string) string {
	r := []rune(query)
	return "No relevant context found for: " + string(r[:min(len(r), 80)])
}
