package parley

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
)

// ApprovalID is the number of an approval, approval-7 at the edge.
type ApprovalID int64

func (id ApprovalID) String() string { return "approval-" + strconv.FormatInt(int64(id), 10) }

// ParseApprovalID reads approval-7; the bare number is accepted too.
func ParseApprovalID(s string) (ApprovalID, error) {
	n, err := parseID(s, "approval-")
	return ApprovalID(n), err
}

// ApprovalState is the state of an approval. Every state but pending is final.
type ApprovalState int

const (
	ApprovalPending   ApprovalState = 1
	ApprovalApproved  ApprovalState = 2
	ApprovalDenied    ApprovalState = 3
	ApprovalExpired   ApprovalState = 4 // nobody decided in time; the agent reads it as a denial
	ApprovalWithdrawn ApprovalState = 5 // its task ended first
)

var approvalStates = [...]string{ApprovalPending: "pending", ApprovalApproved: "approved", ApprovalDenied: "denied",
	ApprovalExpired: "expired", ApprovalWithdrawn: "withdrawn"}

func (s ApprovalState) String() string {
	if s < ApprovalPending || s > ApprovalWithdrawn {
		return "unknown"
	}
	return approvalStates[s]
}

// Approval is a decision that somebody has to make or has made: about a tool
// call of a turn, or about a contact that a caller outside any turn wants to
// make. It stores everything that the decision is about, so that what runs
// later is exactly what was shown.
type Approval struct {
	ID   ApprovalID
	Team TeamID
	// Task, Turn and Call are the key of the call. A caller outside any turn has
	// no Turn, and no Task unless it works on one.
	Task  TaskID
	Turn  int
	Call  string
	Agent AgentID // who wants to make the call

	Tool   string
	Args   string  // as the model wrote them, in the spelling of CanonicalArgs
	Digest string  // of Tool and Args
	Target AgentID // whom the call contacts; 0 if nobody

	Rule   string // the rule that requires the approval
	Reason string // the rule in a sentence

	// PeopleOnly leaves the decision to people: no manager is asked, and none may
	// decide.
	PeopleOnly bool

	State     ApprovalState
	CreatedAt Micros
	ExpiresAt Micros
	DecidedAt Micros
	DecidedBy AgentID // 0 if it expired
	Comment   string  // by whoever decided; tells the agent why it was denied

	// Message is the contact that was made for a caller outside any turn. Failure
	// is why it could not be made although it was approved.
	Message MessageID
	Failure string
}

// Outside reports whether no turn waits for the decision. The contact is then
// made at the moment of approval.
func (a Approval) Outside() bool { return a.Turn == 0 }

// CanonicalArgs spells the arguments of a call as a stored step does. A reply
// that was just made then equals the same reply read back.
func CanonicalArgs(args json.RawMessage) string {
	if len(args) == 0 {
		return "null"
	}
	b, err := json.Marshal(args)
	if err != nil {
		return string(args)
	}
	return string(b)
}

// CallDigest binds an approval to the call that was shown.
func CallDigest(tool, args string) string {
	sum := sha256.Sum256([]byte(tool + "\x00" + args))
	return hex.EncodeToString(sum[:])
}

// NeedsApproval refuses a call that somebody may still approve. A turn waits
// for the decision, and so does a contact by a caller outside any turn. For
// anything else it is a plain refusal.
type NeedsApproval struct {
	Rule   string
	Reason string
	Target AgentID // whom the call contacts; 0 if nobody
	// Approval is the record of a contact from outside that waits.
	Approval ApprovalID
}

func (e *NeedsApproval) Error() string { return e.public().Error() }

// Unwrap makes it an Error with a kind.
func (e *NeedsApproval) Unwrap() error { return e.public() }

func (e *NeedsApproval) public() *Error {
	if e.Approval != 0 {
		return Errorf(Denied, HeldText).WithHint("It is %s. %s", e.Approval, e.Reason)
	}
	return Errorf(Denied, "This action requires approval.").
		WithHint("%s Only a contact, or the turn of an agent that the hub runs, can wait for one.", e.Reason)
}

// AsNeedsApproval reports whether an approval would lift the refusal.
func AsNeedsApproval(err error) (*NeedsApproval, bool) {
	var need *NeedsApproval
	ok := errors.As(err, &need)
	return need, ok
}
