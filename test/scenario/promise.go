package scenario

import (
	"parley"
	"parley/internal/store"
)

// CheckPromises checks what holds for every database at rest, whatever
// happened to it.
func (s *Stage) CheckPromises() {
	s.Helper()
	all := s.tasks()
	byID := map[parley.TaskID]parley.Task{}
	for _, t := range all {
		byID[t.ID] = t
	}
	opened, ended := s.countEvents()
	for _, t := range all {
		s.checkTask(t, byID, all)
		if opened[t.ID] != 1 {
			s.Errorf("%s was opened %d times according to the record", t.ID, opened[t.ID])
		}
		want := 1
		if t.State.Open() {
			want = 0
		}
		if ended[t.ID] != want {
			s.Errorf("%s is %s and ended %d times according to the record", t.ID, t.State, ended[t.ID])
		}
	}
	s.checkThreads(all)
	s.checkMentions(all)
	s.checkSeen(all)
	s.checkAccounts(all)
}

func (s *Stage) countEvents() (opened, ended map[parley.TaskID]int) {
	opened, ended = map[parley.TaskID]int{}, map[parley.TaskID]int{}
	for _, e := range s.record() {
		switch e.Kind {
		case parley.EventTask:
			opened[e.Task]++
		case parley.EventCompleted, parley.EventFailed, parley.EventCancelled:
			ended[e.Task]++
		}
	}
	return opened, ended
}

// checkTask checks one task against its children and its inbox.
func (s *Stage) checkTask(t parley.Task, byID map[parley.TaskID]parley.Task, all []parley.Task) {
	s.Helper()
	if e, _ := s.Directory.Entry(t.Agent); t.State == parley.Running && e.Kind != parley.Client { // a client has it as long as it likes
		s.Errorf("%s is running on a hub at rest", t.ID)
	}
	if t.InboxRead > t.InboxCount {
		s.Errorf("%s has read %d of %d", t.ID, t.InboxRead, t.InboxCount)
	}
	waitsFor := 0
	for _, c := range all {
		if c.Parent == t.ID && c.State.Open() && c.Counted() {
			waitsFor++
		}
	}
	if t.State.Open() && t.OpenChildren != waitsFor {
		s.Errorf("%s counts %d open children and has %d", t.ID, t.OpenChildren, waitsFor)
	}
	s.checkApprovals(t)
	if t.State == parley.Waiting && waitsFor == 0 && !t.Blocked() {
		s.Errorf("%s waits for nothing", t.ID)
	}
	if t.State == parley.Completed && s.Directory.Native(t.Agent) && (waitsFor > 0 || t.InboxRead < t.InboxCount) {
		s.Errorf("%s is completed with %d children open and %d of %d read", t.ID, waitsFor, t.InboxRead, t.InboxCount)
	}
	s.checkCallbacks(t, byID)
}

// checkApprovals makes sure that a task counts its pending approvals, and that
// none is left of one that has ended.
func (s *Stage) checkApprovals(t parley.Task) {
	s.Helper()
	var list []parley.Approval
	s.view(func(tx *store.Tx) (err error) { list, err = tx.ApprovalsOf(t.ID); return err })
	pending := 0
	for _, a := range list {
		if a.State == parley.ApprovalPending {
			pending++
		}
	}
	if pending != t.Approvals || pending > 0 && !t.State.Open() {
		s.Errorf("%s (%s) counts %d approvals and has %d", t.ID, t.State, t.Approvals, pending)
	}
}

// checkCallbacks makes sure that nothing came back twice, and nothing from a
// task that has not ended.
func (s *Stage) checkCallbacks(t parley.Task, byID map[parley.TaskID]parley.Task) {
	s.Helper()
	var inbox []parley.Message
	s.view(func(tx *store.Tx) (err error) { inbox, err = tx.Inbox(t.ID, 0, t.InboxCount); return err })
	if len(inbox) != t.InboxCount {
		s.Errorf("%s counts %d in its inbox and has %d", t.ID, t.InboxCount, len(inbox))
	}
	came := map[parley.TaskID]int{}
	for _, m := range inbox {
		if m.Kind == parley.UnansweredMessage {
			continue // of no task: that nobody answers
		}
		came[m.Task]++
		own := t
		for own.Resumes != 0 && byID[m.Task].Parent != own.ID {
			own = byID[own.Resumes] // it has what came back to the one that failed
		}
		if byID[m.Task].State.Open() || byID[m.Task].Parent != own.ID {
			s.Errorf("%s got %s of %s, which is %s", t.ID, m.Kind, m.Task, byID[m.Task].State)
		}
	}
	for id, n := range came {
		if n > 1 {
			s.Errorf("%s came back to %s %d times", id, t.ID, n)
		}
	}
}

// checkThreads makes sure that conversations have neither gaps nor loops.
func (s *Stage) checkThreads(all []parley.Task) {
	s.Helper()
	for id, thread := range s.allThreads(all) {
		for i, m := range thread {
			if m.N != len(thread)-i {
				s.Errorf("%s: %s has the number %d of %d", id, m.ID, m.N, len(thread))
			}
		}
	}
}

// allThreads are the conversations that tasks were worked on in, newest
// message first.
func (s *Stage) allThreads(all []parley.Task) map[parley.ThreadID][]parley.Message {
	s.Helper()
	threads := map[parley.ThreadID][]parley.Message{}
	for _, t := range all {
		s.view(func(tx *store.Tx) error {
			thread, err := tx.Thread(t.Thread)
			if err != nil {
				return err
			}
			threads[t.Thread], err = tx.Back(thread.ID, thread.Last, 0, 1<<20)
			return err
		})
	}
	return threads
}

// checkSeen makes sure that what counts as seen by a native agent was shown to
// its model.
func (s *Stage) checkSeen(all []parley.Task) {
	s.Helper()
	for id, thread := range s.allThreads(all) {
		for _, m := range thread {
			for _, d := range s.Deliveries(m.ID) {
				to, _ := s.Directory.Entry(d.Recipient)
				if to.Kind == parley.Native && d.Seen > 0 && !s.Models.Showed(to.Name, parley.Quote(m.Body)) && !s.Models.Showed(to.Name, parley.Entry(m.Body)) && !(m.AsksForDecision() && s.Models.Showed(to.Name, m.Body)) {
					s.Errorf("%s of %s counts as seen by %s and was never shown: %s", m.ID, id, to.Name, m.Body)
				}
			}
		}
	}
}
