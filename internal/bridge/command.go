package bridge

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"parley"
)

// command splits a text that begins with a slash. The name may be followed by that of the
// bot, as in /tasks@parley_bot.
func command(text string) (name, rest string, ok bool) {
	if !strings.HasPrefix(text, "/") {
		return "", "", false
	}
	name, rest, _ = strings.Cut(text[1:], " ")
	if first, more, several := strings.Cut(name, "\n"); several {
		name, rest = first, more+" "+rest
	}
	name, _, _ = strings.Cut(name, "@")
	return strings.ToLower(name), strings.TrimSpace(rest), true
}

// help is what can be said. It is the same in every program.
const help = `Write to me and I pass it on: to the agent you name first (@name do this), to the one whose message you answer, else to the team's lead.
/ask NAME QUESTION asks an agent
/tasks shows what is open
/approvals shows what waits for a decision
/pause stops all turns, /resume lets them go on`

// mostApprovals is how many approvals are posted at once.
const mostApprovals = 5

func (t *taking) command(ctx context.Context, name, rest string) error {
	me := t.person.Agent
	switch name {
	case "ask":
		return t.ask(ctx, rest)
	case "tasks":
		t.direct("tasks", parley.ChatPost{Kind: parley.ChatTasks})
		if !t.Private {
			t.tell("I have sent you what is open by direct message.")
		}
	case "approvals":
		return t.approvals(ctx)
	case "pause":
		if err := t.Contacts.Pause(ctx, t.caller(me, t.key)); err != nil {
			return err
		}
		t.tell("The team is paused: its turns stop at their next step. /resume lets them go on.")
	case "resume":
		if err := t.Contacts.Resume(ctx, t.caller(me, t.key)); err != nil {
			return err
		}
		t.tell("The team goes on.")
	case "start", "help", "link":
		t.tell("You are %s here.\n\n%s", t.Reading.Name(ctx, me), help)
	default:
		t.tell("There is no command /%s.\n\n%s", line(name, 40), help)
	}
	return nil
}

// ask asks an agent, and does not wait: the answer comes as a message.
func (t *taking) ask(ctx context.Context, rest string) error {
	name, text, ok := t.named(strings.TrimPrefix(rest, "@"))
	if !ok {
		name, text, _ = strings.Cut(strings.TrimPrefix(rest, "@"), " ")
	}
	if name == "" || strings.TrimSpace(text) == "" {
		t.tell("Say whom and what: /ask NAME QUESTION")
		return nil
	}
	made, err := t.Contacts.OpenAsk(ctx, t.as(t.person.Agent), t.request(name, text, 0))
	t.made = made.Message
	return err
}

// approvals posts what waits for the person's decision, with buttons. They are shown to
// that person alone.
func (t *taking) approvals(ctx context.Context) error {
	list, err := t.Reading.Deciding(ctx, t.as(t.person.Agent), 100)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		t.tell("Nothing waits for your decision.")
		return nil
	}
	for i, a := range list[:min(len(list), mostApprovals)] {
		t.direct("approval-"+strconv.Itoa(i), parley.ChatPost{Kind: parley.ChatApproval, Approval: a.ID})
	}
	if more := len(list) - mostApprovals; more > 0 {
		t.tell("%d more wait. Decide about these, then ask again.", more)
	} else if !t.Private {
		t.tell("I have sent you %d by direct message.", len(list))
	}
	return nil
}

// direct has something posted to the person alone, wherever the event came from: others
// there may not see what that person sees.
func (t *taking) direct(name string, p parley.ChatPost) {
	p.Agent = t.person.Agent
	t.post(name, p)
	if last := &t.posts[len(t.posts)-1]; last.Conversation != t.person.Conversation {
		last.Conversation, last.Thread, last.ReplyTo = t.person.Conversation, "", ""
	}
}

// What buttons send: a verb, and what it is about.
const (
	pressApprove = "approve"
	pressDeny    = "deny"
	pressWhy     = "why" // deny, with a reason
	pressShow    = "show"
	pressChoose  = "choose"
)

func (t *taking) hearPressed(ctx context.Context) error { return t.press(ctx, t.Data, t.Text) }

// press does what a button stands for. text is what its prompt asked for.
func (t *taking) press(ctx context.Context, data, text string) error {
	words := strings.Fields(data)
	if len(words) != 3 {
		return parley.Errorf(parley.Invalid, "This button is not known.").WithHint("It may be from an earlier version. Use /approvals.")
	}
	if words[0] == pressChoose {
		return t.choose(ctx, words[1], words[2])
	}
	ref, err := parley.ParseApprovalRef(words[1])
	if err != nil {
		return err
	}
	if ref.Digest = words[2]; len(ref.Digest) < 12 || ref.Letters == "" {
		return parley.Errorf(parley.Invalid, "It is not said what was shown.").WithHint("Use /approvals.")
	}
	person := t.caller(t.person.Agent, t.key)
	switch words[0] {
	case pressApprove:
		if _, err = t.Contacts.Approve(ctx, person, ref); err == nil {
			t.answer = fmt.Sprintf("%s is approved.", ref.ID)
		}
	case pressDeny:
		err = t.deny(ctx, ref, "")
	case pressWhy:
		if text = strings.TrimSpace(text); text != "" {
			return t.deny(ctx, ref, text)
		}
		t.direct("prompt", parley.ChatPost{Kind: parley.ChatPrompt, Text: data})
	case pressShow:
		t.direct("payload", parley.ChatPost{Kind: parley.ChatPayload, Approval: ref.ID, ReplyTo: t.Message})
	default:
		return parley.Errorf(parley.Invalid, "This button is not known.").WithHint("Use /approvals.")
	}
	return err
}

func (t *taking) deny(ctx context.Context, ref parley.ApprovalRef, reason string) error {
	_, err := t.Contacts.Deny(ctx, t.caller(t.person.Agent, t.key), ref, reason)
	if err == nil {
		t.answer = fmt.Sprintf("%s is denied.", ref.ID)
	}
	return err
}

// choose answers what the person was asked with one of its choices.
func (t *taking) choose(ctx context.Context, task, number string) error {
	id, err := parley.ParseTaskID(task)
	if err != nil {
		return err
	}
	person := t.caller(t.person.Agent, t.key)
	asked, err := t.Reading.Task(ctx, person, id)
	if err != nil {
		return err
	}
	m, err := t.Reading.Message(ctx, person, asked.Request)
	if err != nil {
		return err
	}
	_, options := parley.Choices(m.Body)
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(options) {
		return parley.Errorf(parley.Invalid, "There is no choice %s any more.", line(number, 10))
	}
	if err := t.Contacts.Reply(ctx, person, id, options[n-1]); err != nil {
		return err
	}
	t.answer = "You answered: " + clipLabel(options[n-1])
	return nil
}
