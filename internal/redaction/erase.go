package redaction

import (
	"slices"

	"parley"
	"parley/internal/store"
)

// erasure takes what was found away, in one transaction.
type erasure struct {
	found  *finding
	tx     *store.Tx
	by     parley.AgentID
	reason string

	requests  []parley.MessageID // to managers, who were shown the call
	approvals []parley.ApprovalID
}

// reasonRunes bounds the reason on record.
const reasonRunes = 300

func (e *erasure) run() error {
	if done, err := e.tx.Redacted(e.found.message.ID); err != nil || done {
		return err
	}
	if err := e.found.s.index.Forget(e.tx, slices.Concat(e.found.messages, e.found.carried)); err != nil { // its lock comes first
		return err
	}
	if err := e.eraseKept(); err != nil {
		return err
	}
	var tasks []parley.TaskID
	for _, id := range e.found.messages {
		of, err := e.eraseMessage(id)
		if err != nil {
			return err
		}
		tasks = append(tasks, of...)
	}
	if err := e.eraseTrees(tasks); err != nil {
		return err
	}
	for _, id := range e.found.readers {
		t, err := e.tx.Task(id)
		if err == nil {
			err = e.eraseTask(t)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range e.found.carried {
		e.tx.ForgetContext(id)
	}
	if err := e.eraseChat(); err != nil {
		return err
	}
	for _, c := range e.found.contents {
		e.tx.ForgetContent(c.task, c.hash)
	}
	for _, event := range e.found.events {
		e.tx.SetEventDetail(event.ID, e.found.mark)
	}
	e.tx.Record(parley.Event{Team: e.found.team, Kind: parley.EventRedacted, Actor: e.by, Target: e.found.message.Author,
		Task: e.found.message.Task, Message: e.found.message.ID, Detail: parley.Clip(e.reason, reasonRunes)})
	return nil
}

// eraseChat takes the text out of what is about to be said in chat programs, and out of the
// names of accounts there. What was posted is shown anew, without it.
func (e *erasure) eraseChat() error {
	if err := e.tx.LockBridges(e.found.team); err != nil {
		return err
	}
	for _, id := range slices.Concat(e.found.messages, e.found.carried, e.requests) {
		e.tx.RedactedMessage(id)
	}
	for _, id := range e.approvals {
		e.tx.RedactedApproval(id)
	}
	e.tx.RedactedTitles(e.found.team, e.found.message.At)
	accounts, err := e.tx.ChatAccounts(e.found.team)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if len(a.Name) >= distinctive && e.found.secrets.scrub(a.Name, e.found.mark) != a.Name {
			e.tx.ForgetChatName(a)
		}
	}
	texts := map[parley.ChatPostID]string{}
	err = e.tx.ChatTexts(e.found.team, func(id parley.ChatPostID, text string) {
		if scrubbed := e.found.secrets.scrub(text, e.found.mark); scrubbed != text {
			texts[id] = scrubbed
		}
	})
	for id, text := range texts {
		e.tx.SetChatText(id, text)
	}
	return err
}

// eraseMessage takes away what a message says, and what it asked somebody to decide
// about. It returns the tasks that may have stored the text too.
func (e *erasure) eraseMessage(id parley.MessageID) ([]parley.TaskID, error) {
	m, err := e.tx.Message(id)
	if err != nil {
		return nil, err
	}
	approvals, err := e.tx.ApprovalsForMessage(id) // of a caller from outside, who may have no task
	if err != nil {
		return nil, err
	}
	if err := e.eraseApprovals(approvals); err != nil {
		return nil, err
	}
	e.tx.Redact(m, e.by, e.found.mark, e.reason)
	if err := e.eraseQuestion(m); err != nil {
		return nil, err
	}
	mentions, err := e.tx.MentionsOf(id)
	tasks := []parley.TaskID{m.Task, m.Origin}
	for _, t := range mentions {
		tasks = append(tasks, t.ID)
	}
	return tasks, err
}

// eraseTrees takes the text out of what the turns of these tasks, and of all
// others in the same trees, have stored.
func (e *erasure) eraseTrees(tasks []parley.TaskID) error {
	var roots []parley.TaskID // and of those that go on with their steps
	for _, id := range tasks {
		if id == 0 {
			continue
		}
		t, err := e.tx.Task(id)
		if err != nil {
			return err
		}
		roots = append(roots, t.Root)
	}
	slices.Sort(roots)
	done := map[parley.TaskID]bool{}
	for len(roots) > 0 {
		root := roots[0]
		if roots = roots[1:]; done[root] {
			continue
		}
		done[root] = true
		more, err := e.tx.ResumedRoots(root)
		if err != nil {
			return err
		}
		roots = append(roots, more...)
		tree, err := e.tx.Subtree(root)
		if err != nil {
			return err
		}
		for _, t := range tree {
			if err := e.eraseTask(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *erasure) eraseTask(t parley.Task) error {
	if text := e.found.secrets.scrub(t.Error, e.found.mark); text != t.Error {
		e.tx.SetTaskError(t.ID, text)
	}
	steps, err := e.tx.Steps(t.ID)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if content, changed := e.found.secrets.scrubJSON(string(step.Content), e.found.mark); changed {
			step.Content = []byte(content)
			e.tx.SetStep(step)
		}
	}
	approvals, err := e.tx.ApprovalsOf(t.ID)
	if err != nil {
		return err
	}
	return e.eraseApprovals(approvals)
}

// eraseApprovals takes the text out of calls. One that still waits is withdrawn:
// nobody could see any more what they decide about.
func (e *erasure) eraseApprovals(list []parley.Approval) error {
	for _, a := range list {
		args, changed := e.found.secrets.scrubJSON(a.Args, e.found.mark)
		reason := e.found.secrets.scrub(a.Reason, e.found.mark)
		if !changed && reason == a.Reason {
			continue
		}
		e.tx.SetApprovalText(a.ID, args, reason)
		e.approvals = append(e.approvals, a.ID)
		if err := e.eraseRequests(a); err != nil {
			return err
		}
		if err := e.found.s.approvals.Retract(e.tx, a, "What it says was redacted.", e.by); err != nil {
			return err
		}
	}
	return nil
}

// eraseRequests takes away what managers were sent of a call.
func (e *erasure) eraseRequests(a parley.Approval) error {
	list, err := e.found.s.approvals.Requests(e.tx, a)
	if err != nil {
		return err
	}
	for _, m := range list {
		if slices.Contains(e.found.messages, m.ID) || slices.Contains(e.requests, m.ID) {
			continue
		}
		if err := e.found.s.index.Forget(e.tx, []parley.MessageID{m.ID}); err != nil {
			return err
		}
		e.tx.Redact(m, e.by, e.found.mark, e.reason)
		e.requests = append(e.requests, m.ID)
		if err := e.eraseTrees([]parley.TaskID{m.Task}); err != nil {
			return err
		}
	}
	return nil
}
