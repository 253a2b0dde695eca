package parley

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ApprovalID is the number of an approval, approval-7 at the edge. The whole id
// has letters too.
type ApprovalID int64

func (id ApprovalID) String() string { return "approval-" + strconv.FormatInt(int64(id), 10) }

// ApprovalRef is an approval as somebody names it who decides about it. Letters
// and Digest are what they were shown of it; empty if they did not say.
type ApprovalRef struct {
	ID      ApprovalID
	Letters string
	Digest  string
}

// ParseApprovalRef reads approval-7 or approval-7-kqwzmtrp; the bare number is
// accepted too.
func ParseApprovalRef(s string) (ApprovalRef, error) {
	number, letters, whole := strings.Cut(strings.TrimPrefix(strings.TrimSpace(s), approvalPrefix), "-")
	id, err := parseID(number, approvalPrefix)
	if err != nil || whole && !isLetters(letters) {
		return ApprovalRef{}, Errorf(Invalid, "%q is not an id like approval-101.", s)
	}
	return ApprovalRef{ID: ApprovalID(id), Letters: letters}, nil
}

const approvalPrefix = "approval-"

// ParseApprovalID reads the number of an approval, with or without letters.
func ParseApprovalID(s string) (ApprovalID, error) {
	ref, err := ParseApprovalRef(s)
	return ref.ID, err
}

// lettersLength makes some 2e11 endings: nobody guesses one.
const lettersLength = 8

// NewApprovalLetters makes the end of an approval's id.
func NewApprovalLetters() string {
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // never fails
	n := binary.LittleEndian.Uint64(seed[:])
	letters := make([]byte, lettersLength)
	for i := range letters {
		letters[i] = 'a' + byte(n%26)
		n /= 26
	}
	return string(letters)
}

func isLetters(s string) bool {
	return len(s) == lettersLength && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
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
	// Letters end its id. Whoever is shown the approval knows them, and the agent
	// that wants it does not. An old record has none.
	Letters string
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

// Name is the whole id.
func (a Approval) Name() string {
	if a.Letters == "" {
		return a.ID.String()
	}
	return a.ID.String() + "-" + a.Letters
}

// ShortDigest is as much of the digest as a decision has to give.
func (a Approval) ShortDigest() string { return a.Digest[:min(len(a.Digest), digestDigits)] }

const digestDigits = 12

// Shown reports whether somebody names the approval as only those can who were
// shown it: by its whole id, and by its digest or the beginning of it.
func (a Approval) Shown(to ApprovalRef) bool {
	return a.Letters != "" && to.Letters == a.Letters &&
		len(to.Digest) >= digestDigits && strings.HasPrefix(a.Digest, strings.ToLower(to.Digest))
}

// Contradicts reports whether what somebody says of the approval is wrong.
func (a Approval) Contradicts(said ApprovalRef) bool {
	return said.Letters != "" && said.Letters != a.Letters || !strings.HasPrefix(a.Digest, strings.ToLower(said.Digest))
}

// Of binds the approval to a call. One that is too long to be shown to a manager
// whole is left to people.
func (a Approval) Of(tool, args string) Approval {
	a.Tool, a.Args, a.Digest = tool, args, CallDigest(tool, args)
	a.PeopleOnly = a.PeopleOnly || utf8.RuneCountInString(ShownArgs(args)) > ManagerArgs
	return a
}

// ManagerArgs is how many characters of arguments a manager is shown at most.
const ManagerArgs = 16000

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
