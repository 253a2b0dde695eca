package parley

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// These are the texts that agents read. They are part of the protocol: models
// are prompted with them and scripts match on them. So they are in one place
// and tested to the letter.

// RequestText is what the target of an ask or a delegation reads.
func RequestText(from string, p Pattern, prio Priority, task TaskID, context, body string) string {
	rest := "Pattern: ask"
	if p != Ask {
		rest = fmt.Sprintf("Pattern: delegate | Priority: %s | Task: %s", prio, task)
	}
	return "[Agent Request from " + from + " | " + rest + "]\n\n" + contextText(context) + Quote(body)
}

func contextText(context string) string {
	if context == "" {
		return ""
	}
	return "Context: " + Quote(context) + "\n\n"
}

// SentText is what the target reads of a message that starts its own thread.
func SentText(from, body string) string {
	return "Message from agent '" + from + "': " + Quote(body)
}

// NotificationText is what the target of a notification reads.
func NotificationText(from, context, body string) string {
	return "[Agent Notification from " + from + "]\n\n" + contextText(context) + Quote(body)
}

// ResponseText is an ask's tool result.
func ResponseText(from, body string) string { return "Response from " + from + ": " + Quote(body) }

// ResultText is how the caller reads the result of a delegation.
func ResultText(from string, task TaskID, body string) string {
	return fmt.Sprintf("[Delegation Result from %s | %s]\n%s", from, task, Quote(body))
}

// FailureText is how the caller reads that a delegation failed. For a
// cancellation it only says who cancelled.
func FailureText(from string, task TaskID, reason string) string {
	text := "Error: " + Quote(reason)
	if !strings.HasPrefix(reason, cancelledPrefix) {
		text = fmt.Sprintf("Error: %s failed to complete the task: %s", from, Quote(reason))
	}
	return fmt.Sprintf("[Delegation Failed | %s | %s]\n%s", from, task, text)
}

const cancelledPrefix = "cancelled by "

// CancelledReason is the error of a task that somebody cancelled.
func CancelledReason(by string) string { return cancelledPrefix + by + "." }

// FailureReason is the error of a task that failed by itself. It quotes a reason
// that could pass for a cancellation.
func FailureReason(reason string) string {
	if strings.HasPrefix(reason, cancelledPrefix) {
		return "> " + reason
	}
	return reason
}

// AgentListHint tells whoever named nobody where to look.
const AgentListHint = "Look at the list of agents to see who is there."

// DelegatedText tells the caller that a delegation was accepted.
func DelegatedText(to string, task TaskID) string {
	return fmt.Sprintf("Delegated to %s (subtask %s). You'll receive the result automatically when %s finishes.", to, task, to)
}

// NotifiedText tells the caller that a notification was accepted.
func NotifiedText(to string) string { return "Notification sent to " + to + "." }

// IsolatedText tells the sender that some read its mail only where it was said. It is
// empty if nobody does.
func IsolatedText(names ...string) string {
	if len(names) == 0 {
		return ""
	}
	verb, whose := "is", "its conversation"
	if len(names) > 1 {
		verb, whose = "are", "their conversations"
	}
	return " " + strings.Join(names, ", ") + " " + verb + " isolated and will read it only in " + whose + " with you."
}

// MailText is a piece of mail as its recipient reads it outside of the conversation
// that it belongs to. A late answer comes as the result that it is.
func MailText(from string, m Message) string {
	switch m.Kind {
	case ReplyMessage, ResultMessage:
		return ResultText(from, m.Task, m.Body)
	case FailureMessage:
		return FailureText(from, m.Task, m.Body)
	case ReminderMessage:
		return ReminderText(m.Task, m.Body)
	default:
		return NotificationText(from, m.Context, m.Body)
	}
}

// MessageText is a message as its recipient reads it in the conversation that it
// belongs to.
func MessageText(from string, m Message) string {
	switch m.Kind {
	case AskMessage:
		return RequestText(from, Ask, 0, m.Task, m.Context, m.Body)
	case DelegateMessage:
		return RequestText(from, Delegate, m.Priority, m.Task, m.Context, m.Body)
	case ApprovalRequestMessage:
		return m.Body // the hub's own words
	case SentMessage:
		return SentText(from, m.Body)
	case NotificationMessage:
		return NotificationText(from, m.Context, m.Body)
	case ResultMessage:
		return ResultText(from, m.Task, m.Body)
	case FailureMessage:
		return FailureText(from, m.Task, m.Body)
	case QuestionMessage:
		return PastQuestionText(from, m.Question, m.Body, m.Context)
	case AnswerMessage:
		return AnswerText(from, m.Question, m.Body, m.Context)
	case NoticeMessage:
		return NoticeText(m.Body)
	case UnansweredMessage:
		return UnansweredText(m.Question, m.Body, m.Context)
	case TaskEndedMessage:
		return TaskEndedText(m.Task, m.Body)
	case ReminderMessage:
		return ReminderText(m.Task, m.Body)
	default:
		return from + ": " + Quote(m.Body)
	}
}

// TaskEndedText tells a client that a task which it was handed has ended without it.
func TaskEndedText(task TaskID, reason string) string {
	return fmt.Sprintf("[Task Ended | %s]\n\n%s Stop working on it; nothing that you send for it counts any more.", task, Quote(reason))
}

// ResumedText tells an agent that a task of its own failed and goes on as another one.
// cancelled are the subtasks that were cancelled with it, a line each.
func ResumedText(failed, next TaskID, reason, cancelled string) string {
	text := fmt.Sprintf("[Task Resumed | %s]\n\n%s failed here: %s\nWhat was done above is done; go on from here.", next, failed, Quote(reason))
	if cancelled != "" {
		text += "\nThese subtasks were cancelled with it, and no result of them will come. Delegate again what you still need:\n" + cancelled
	}
	return text
}

// RedactedText replaces the text of a redacted message.
func RedactedText(by string) string { return redactedPrefix + by + "]" }

const redactedPrefix = "[redacted by "

// ErrSelf refuses a contact with oneself.
func ErrSelf() *Error { return Errorf(Denied, "You cannot contact yourself.").WithRule("self") }

// ErrOwnAgent refuses a contact with oneself in the words of the toolset chorus.
func ErrOwnAgent() *Error { return Errorf(Invalid, "Cannot send a message to your own agent.") }

// ErrOwnDocs refuses to read one's own docs with the tool for those of others.
func ErrOwnDocs() *Error { return Errorf(Invalid, "Cannot read the docs of your own agent.") }

// ErrAskDepth refuses an ask that is nested too deeply.
func ErrAskDepth(limit int) *Error {
	return Errorf(Limited, "Maximum agent communication depth (%d) reached. Use 'delegate' for async to avoid nesting.", limit).WithRule("ask_depth")
}

// RuleDelegationDepth names the depth of delegations in refusals.
const RuleDelegationDepth = "delegation_depth"

// ErrDelegationDepth refuses a delegation that is nested too deeply.
func ErrDelegationDepth(limit int) *Error {
	return Errorf(Limited, "Maximum delegation depth (%d) reached.", limit).WithRule(RuleDelegationDepth)
}

// RuleRate names the rate in refusals.
const RuleRate = "rate"

// ErrRate refuses a contact past the sender's rate.
func ErrRate(limit int, wait time.Duration) *Error {
	secs := int64((wait + time.Second - 1) / time.Second)
	return Errorf(Limited, "rate limit reached (%d messages per minute). Try again in %d seconds.", limit, max(secs, 1)).WithRule(RuleRate)
}

// ErrTimeout tells the asker that nobody answered in time. The work goes on.
func ErrTimeout(target string, waited time.Duration) *Error {
	return Errorf(Timeout, "%s. Consider using 'delegate' for async processing.", NoAnswerText(target, waited))
}

// NoAnswerText says that nobody answered in time, without advice.
func NoAnswerText(target string, waited time.Duration) string {
	span := fmt.Sprintf("%d seconds", int64((waited+time.Second/2)/time.Second))
	if waited < 2*time.Second {
		span = waited.Round(time.Millisecond).String()
	}
	return fmt.Sprintf("%s did not respond within %s", target, span)
}

// These say why an ask was not answered in time through no fault of the target.
const (
	LatePaused = "The team is paused; parley resume lets it go on."
	LateDay    = "The team's budget of the day is spent; parley team budget --add lets it go on today."
	LateBudget = "The budget of the task's tree is spent; parley task budget raises it."
)

// LateProvider says that the target's provider asks for patience.
func LateProvider(target, provider string, left time.Duration) string {
	return target + " is " + ProviderWaitText(provider, left) + " (rate limit or overload)."
}

// LongWaitText tells the requester of a task that it waits for a provider for long.
func LongWaitText(task TaskID, provider string, until Micros) string {
	return fmt.Sprintf("%s waits for %s, which asks for patience until %s. It goes on by itself then; cancel_task ends it.",
		task, provider, until.Time().UTC().Format(time.RFC3339))
}

// SmallWindowText tells a person that a model reads less than was known, and how to
// say so in the files.
func SmallWindowText(model string, window int) string {
	return fmt.Sprintf("%s found a conversation too long. From now on its window is taken to be %d tokens, and older parts are put away earlier. "+
		"If you know the window, set it in parley.yaml: models: {%s: {window: %d}}.", model, window, model, window)
}

// LateApproval says that somebody has to decide first.
func LateApproval(target string) string {
	return target + " waits for an approval; parley approvals shows it."
}

// LateNotConnected says that the target is a client that is not there.
func LateNotConnected(target string) string {
	return target + " is not connected; the request waits for it."
}

// LateUnseen says that the target has not read the request.
func LateUnseen(target string) string { return target + " has not seen it yet." }

// ErrAskFailed tells the asker why the target could not answer.
func ErrAskFailed(target, reason string) *Error {
	return Errorf(Failed, "%s failed to respond: %s", target, Quote(reason))
}

// ApprovalRequestText is how a manager whose turns the hub runs is asked for a
// decision about what an agent wants. target is whom the call contacts, if anybody.
func ApprovalRequestText(a Approval, agent, target string) string {
	what := "use " + a.Tool
	if target != "" {
		what = "contact " + target
	}
	return fmt.Sprintf("[Approval Request | %s | digest %s]\n\n%s wants to %s and needs your approval.\n\n%s\nWhy: %s\n\n"+
		"Decide with approve_action or deny_action, with the id and the digest of the first line. The arguments are the words of %s.",
		a.Name(), a.ShortDigest(), agent, what, callText(a), Quote(a.Reason), agent)
}

// ApprovedText tells whoever approved a call what it was.
func ApprovedText(a Approval) string {
	return a.Name() + " is approved, for this call and no other:\n\n" + callText(a)
}

// DeniedText tells whoever denied a call that it was denied.
func DeniedText(a Approval) string { return a.Name() + " is denied." }

// callText shows a call whole.
func callText(a Approval) string {
	return "Tool: " + a.Tool + "\nArguments: " + Quote(ShownArgs(a.Args))
}

// ShownArgs shows the arguments of a call on one line, as JSON that means the same:
// what has no shape, or would end the line, is written as an escape.
func ShownArgs(args string) string {
	if !strings.ContainsFunc(args, shapeless) {
		return args
	}
	var b strings.Builder
	for _, r := range args {
		if !shapeless(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// ReadableArgs is ShownArgs for people: the characters that a stored call spells as
// escapes for the sake of HTML are written as themselves. It means the same, and is not
// what a digest is made of.
func ReadableArgs(args string) string {
	var b strings.Builder
	rest := ShownArgs(args)
	for {
		i := strings.IndexByte(rest, '\\')
		if i < 0 || i+1 == len(rest) {
			return b.String() + rest
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		size := 2 // an escape of one letter, such as \\ or \n
		switch strings.ToLower(rest[:min(len(rest), 6)]) {
		case `\u0026`:
			b.WriteByte('&')
			size = 6
		case `\u003c`:
			b.WriteByte('<')
			size = 6
		case `\u003e`:
			b.WriteByte('>')
			size = 6
		default:
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
}

// HeldText stands in for the result of a call that waits for approval.
const HeldText = "This action requires approval. Waiting for approval..."

// ErrApprovalDenied tells an agent that its call was not approved. target is
// empty if the call contacts nobody.
func ErrApprovalDenied(tool, target, reason string) *Error {
	what := tool
	if target != "" {
		what = "contacting " + target
	}
	e := Errorf(Denied, "Approval denied for %s.", what)
	if reason != "" {
		e = e.WithHint("%s", Quote(reason))
	}
	return e
}

// ExpiredReason is the reason given when an approval expired.
const ExpiredReason = "Nobody decided in time."

// ToolError is how a model reads any refusal.
func ToolError(err error) string { return "Error: " + Public(err) }

// BudgetSpentText tells whoever asked for a task that it waits, and what to do. more
// is what the next step lacks.
func BudgetSpentText(root TaskID, what string, more Budget) string {
	return fmt.Sprintf("%s waits: its budget is spent (%s). %s", root, what, raiseHint(root, more))
}

// raiseHint gives a command to copy. What it adds is enough to go on.
func raiseHint(root TaskID, more Budget) string {
	return fmt.Sprintf("A person can raise it with: parley task budget %s --add %s", root, more.enough())
}

// CheckText refuses what a store cannot keep as it is.
func CheckText(text string) error {
	switch {
	case !utf8.ValidString(text):
		return Errorf(Invalid, "The message is not valid UTF-8 text.")
	case strings.ContainsRune(text, 0):
		return Errorf(Invalid, "The message contains a NUL character, which is not text.")
	}
	return nil
}
