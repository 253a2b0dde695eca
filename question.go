package parley

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// QuestionID is the number of a question. Agents read it as query-12.
type QuestionID int64

func (id QuestionID) String() string { return "query-" + strconv.FormatInt(int64(id), 10) }

// ParseQuestionID reads query-12; the bare number is accepted too.
func ParseQuestionID(s string) (QuestionID, error) {
	n, err := parseID(s, "query-")
	return QuestionID(n), err
}

// QuestionState is the state of a question. Every state but open is final.
type QuestionState int

const (
	QuestionOpen     QuestionState = 1
	QuestionAnswered QuestionState = 2
	QuestionExpired  QuestionState = 3 // nobody answered in time, or the asker wants no answer any more
	QuestionFailed   QuestionState = 4 // everyone who was asked has failed or passed
)

var questionStates = [...]string{QuestionOpen: "open", QuestionAnswered: "answered", QuestionExpired: "expired", QuestionFailed: "failed"}

func (s QuestionState) String() string {
	if s < QuestionOpen || s > QuestionFailed {
		return "unknown"
	}
	return questionStates[s]
}

// Question is what somebody asked one agent or all of them, and what became of
// it. Its routes say whom it reached.
type Question struct {
	ID      QuestionID
	Team    TeamID
	Asker   AgentID
	Task    TaskID  // whose turn asks; 0 for a person, or a program outside any task
	Target  AgentID // 0: all
	Text    string
	Context string
	State   QuestionState
	Hops    int // forwards so far
	// Key makes asking idempotent, as for a message.
	Key       string
	CreatedAt Micros
	ExpiresAt Micros
	ClosedAt  Micros
	// NextAt is when the clock looks at the question: to ask those who were not
	// asked first, or else when it expires.
	NextAt Micros
}

// All reports whether everyone was asked.
func (q Question) All() bool { return q.Target == 0 }

// MoreToAsk reports whether others are asked if those who were asked first do not
// answer.
func (q Question) MoreToAsk() bool { return q.NextAt < q.ExpiresAt }

// How a question to all is asked: of those who probably know at first, and of the
// others when there is no answer after a while.
const (
	FirstAsked  = 5
	OthersAfter = time.Minute
)

// OthersAskedAfter is how long those who are asked first have for their answer. A
// question that lives shortly asks the others half-way.
func OthersAskedAfter(lifetime time.Duration) time.Duration { return min(OthersAfter, lifetime/2) }

// RouteState is what became of one route of a question.
type RouteState int

const (
	RouteAsked     RouteState = 1
	RouteAnswered  RouteState = 2
	RouteForwarded RouteState = 3
	RouteFailed    RouteState = 4 // its task ended without an answer
	RoutePassed    RouteState = 5 // it does not know
)

var routeStates = [...]string{RouteAsked: "asked", RouteAnswered: "answered", RouteForwarded: "forwarded", RouteFailed: "failed",
	RoutePassed: "passed"}

func (s RouteState) String() string {
	if s < RouteAsked || s > RoutePassed {
		return "unknown"
	}
	return routeStates[s]
}

// Route says that one agent was asked a question, and by whom.
type Route struct {
	Question QuestionID
	N        int // from 1, in the order of asking
	Agent    AgentID
	By       AgentID // the asker, or whoever forwarded the question
	Task     TaskID  // opened for Agent to answer the question
	Hop      int     // 0 if the asker itself asked Agent
	// Enrichment is what By added when it forwarded the question.
	Enrichment string
	State      RouteState
	Answer     MessageID
	At         Micros
}

// MaxHops is how often a question can be forwarded.
const MaxHops = 5

// QuestionText is how the agent that is asked reads a question. relevant is the
// context gathered for it on the way.
func QuestionText(from string, id QuestionID, body, context, relevant string) string {
	var b strings.Builder
	b.WriteString(PastQuestionText(from, id, body, context))
	if relevant != "" {
		fmt.Fprintf(&b, "\n\nRelevant context:\n%s", Quote(relevant))
	}
	fmt.Fprintf(&b, "\n\nYou can respond using peer_answer_question with query_id %q, or forward the question with "+
		"peer_forward_question if someone else is better suited to answer. If you do not know, pass with peer_answer_question and pass: true. "+
		"If you do none of these, what you say at the end of your turn is your answer.", id)
	return b.String()
}

// PastQuestionText is how an agent reads a question that it need not answer any
// more.
func PastQuestionText(from string, id QuestionID, body, context string) string {
	text := fmt.Sprintf("[Query from %s | ID: %s]\n%s", from, id, Quote(body))
	if context != "" {
		text += fmt.Sprintf("\n\nContext from %s: %s", from, Quote(context))
	}
	return text
}

// AnswerText is how the asker reads an answer.
func AnswerText(from string, id QuestionID, body, enrichments string) string {
	return fmt.Sprintf("[Answer from %s | Query: %s]\n%s", from, id, Quote(body)) + gathered(enrichments)
}

// UnansweredText tells the asker that a question was not answered.
func UnansweredText(id QuestionID, reason, enrichments string) string {
	return fmt.Sprintf("[Query Unanswered | ID: %s]\n%s", id, Quote(reason)) + gathered(enrichments)
}

func gathered(enrichments string) string {
	if enrichments == "" {
		return ""
	}
	return "\n\nEnrichments gathered during routing:\n" + Quote(enrichments)
}

// ExpiredQuestion is the reason given when nobody answered a question in time.
func ExpiredQuestion(lifetime time.Duration) string {
	return fmt.Sprintf("The question has expired: nobody answered within %s.", span(lifetime))
}

func span(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return plural(int64(d/time.Hour), "hour")
	case d%time.Minute == 0:
		return plural(int64(d/time.Minute), "minute")
	default:
		return plural(int64(d/time.Second), "second")
	}
}

func plural(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// FailedQuestion is the reason given when everyone who was asked has failed.
func FailedQuestion(last, reason string) string {
	return NobodyCouldAnswer + " " + last + ": " + reason
}

// NobodyCouldAnswer is the reason given when some who were asked have failed and the
// others have passed.
const NobodyCouldAnswer = "Nobody who was asked could answer."

// NobodyKnows is the reason given when everyone who was asked has passed.
const NobodyKnows = "Nobody knows: everyone who was asked has passed."

// QuestionSentText tells the asker that a question was accepted. to is empty if
// everyone was asked.
func QuestionSentText(to string, id QuestionID) string {
	if to == "" {
		to = "all agents"
	}
	return fmt.Sprintf("Question sent to %s. Query ID: %s. The answer will be delivered to you when available.", to, id)
}

// AnsweredText tells whoever answered that the answer was accepted.
func AnsweredText(id QuestionID) string { return fmt.Sprintf("Answer delivered for query %s.", id) }

// PassedText tells whoever passed that this was accepted.
func PassedText(id QuestionID) string {
	return fmt.Sprintf("You have passed on query %s. Nothing was delivered.", id)
}

// ForwardedText tells whoever forwarded a question that this was accepted.
func ForwardedText(to string) string { return "Question forwarded to " + to + " with enrichment." }

// MaxHopsText refuses to forward a question once more.
const MaxHopsText = "Maximum forwarding hops reached. Consider answering with what you know."

// QuestionGoneText says that a question is not open or does not exist. It
// repeats the id as the caller wrote it.
func QuestionGoneText(id string) string {
	return fmt.Sprintf("Query %s not found (may have expired).", Clip(id, 40))
}

// ErrQuestionGone refuses to answer or forward a question that is not open or
// does not exist.
func ErrQuestionGone(id string) *Error {
	return Errorf(NotFound, "%s", QuestionGoneText(id)).WithRule(ruleGone)
}

// ErrMaxHops refuses to forward a question once more.
func ErrMaxHops() *Error { return Errorf(Limited, MaxHopsText).WithRule(ruleHops) }

const (
	ruleGone = "question_gone"
	ruleHops = "question_hops"
)

// IsQuestionGone reports whether an answer or a forward was refused because the
// question is closed or has been forwarded too often. A model reads this as a
// plain result, since it has done nothing wrong.
func IsQuestionGone(err error) bool {
	rule := RuleOf(err)
	return rule == ruleGone || rule == ruleHops
}
