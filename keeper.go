package parley

import (
	"fmt"
	"strconv"
	"strings"
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

// Keeper is a part of a conversation that was put away under a topic. It can be
// found again by what was said in it.
type Keeper struct {
	ID    KeeperID
	Team  TeamID
	Owner AgentID
	// Channel is where it was said. It decides who may read the keeper: the two of
	// a dm, or the present members of a group. 0 means the owner alone.
	Channel ChannelID
	Thread  ThreadID
	Task    TaskID
	Topic   string
	Count   int  // messages
	Size    int  // length of their texts, in characters
	Shared  bool // its owner lets the whole team read it
	// Automatic says that the hub made it because the conversation had grown too
	// long for the model.
	Automatic bool
	// Key is that of the call that made the keeper. A call that runs again after a
	// crash finds its keeper by it. Empty if no call made it.
	Key       string
	CreatedAt Micros
	UsedAt    Micros // when something was last found in it
	Uses      int
}

// KeptMessage is one message of a keeper. The oldest is number 1.
type KeptMessage struct {
	ID     int64
	Team   TeamID
	Keeper KeeperID
	N      int
	Role   string // as its owner's model knows it: user, assistant or tool
	Author AgentID
	Text   string // as its owner read it
	// Message is the stored message that this is a copy of; 0 if there is none.
	Message MessageID
	// Private says that the text was not said in the keeper's channel; the result
	// of a tool is an example. Only the owner reads it until the keeper is shared.
	Private bool
	At      Micros
}

// Name refers to the message within a text: keeper-7/3.
func (k KeptMessage) Name() string { return fmt.Sprintf("%s/%d", k.Keeper, k.N) }

// Characters is the total length of the messages.
func Characters(list []KeptMessage) (n int) {
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

// LastUsed is when something was last found in the keeper, or else when it was
// made.
func (k Keeper) LastUsed() Micros { return max(k.CreatedAt, k.UsedAt) }

// KeeperText stands where the messages of a keeper were.
func KeeperText(k Keeper) string { return "[Keeper:" + k.ID.String() + "] topic=" + k.Topic }

// OffloadedText tells an agent what it has put away.
func OffloadedText(k Keeper) string {
	return fmt.Sprintf("Offloaded %d messages. %s", k.Count, KeeperText(k))
}

// NothingToOffload tells an agent that its conversation is still too short.
const NothingToOffload = "No messages to offload (context too small)."

// PutAwayText stands where the hub put messages away because the conversation
// had grown too long for the model.
func PutAwayText(k Keeper) string {
	return fmt.Sprintf("%s (%d messages, %d characters)\nThese earlier messages were put away to make room. context_retrieve finds them.",
		KeeperText(k), k.Count, k.Size)
}

// together is how many keepers a line for several names.
const together = 20

// PutAwayTogetherText stands where the hub put messages away so often that a line for
// each keeper would be too much.
func PutAwayTogetherText(list []Keeper) string {
	var ids, topics []string
	messages, size := 0, 0
	for i, k := range list {
		messages, size = messages+k.Count, size+k.Size
		if i >= len(list)-together {
			ids, topics = append(ids, k.ID.String()), append(topics, Clip(k.Topic, 60))
		}
	}
	return fmt.Sprintf("[Keeper:%s] topics=%s (%d keepers, %d messages, %d characters)\n"+
		"These earlier messages were put away to make room. context_retrieve finds them.",
		strings.Join(ids, ", "), strings.Join(topics, "; "), len(list), messages, size)
}

// NothingFoundText answers a search that found no kept message.
func NothingFoundText(query string) string {
	r := []rune(query)
	return "No relevant context found for: " + string(r[:min(len(r), 80)])
}
