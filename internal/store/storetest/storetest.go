// Package storetest is the conformance suite that every store passes. A
// driver's tests call Run.
//
// No closure here calls FailNow: closures run on a driver's goroutine.
package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// Open opens one database. After the store is closed, it opens the same database
// again.
type Open func(clock parley.Clock) (store.Store, error)

// Run runs the suite. fresh creates an empty database that is removed when the test
// ends.
func Run(t *testing.T, fresh func(t testing.TB) Open) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open Open)
	}{
		{"A failure stores nothing", failureStoresNothing},
		{"A failing operation in a group commit must not sink the others in the batch", groupCommitIsolates},
		{"Signals go out after the commit and never for a failure", signalsFollowCommit},
		{"A swallowed error cannot commit", swallowedError},
		{"Two who store the same name find each other", sameNameTwice},
		{"A view does not write", viewDoesNotWrite},
		{"A failed view does not spoil the next", failedViewSpoilsNothing},
		{"A context that has ended stops the work before it begins", endedContext},
		{"A closed store says so", closedStore},

		{"A view is a snapshot", viewIsSnapshot},
		{"A view never sees half a transaction", viewSeesWholeTransactions},
		{"Time does not go back when the clock is set back", clockSetBack},
		{"Rates refill while time stands still", steadyClock},
		{"Reopening continues the ids", reopenContinuesIDs},

		{"Teams, agents and tokens", agentsRoundTrip},
		{"Going through the agents of a team", eachAgent},
		{"Tokens that end", tokens},
		{"Sessions of browsers", sessions},
		{"Links that sign in", links},
		{"What is not there is not found", notFound},
		{"A contact is read in one go", contactState},
		{"Posts to one thread make a gapless list", postsAreGapless},
		{"Two posts in one transaction follow each other", postsInOneTransaction},
		{"What was sent under a key is found, and nothing of a longer key", sentWithKey},
		{"Two who make a dm at once make one", oneDM},
		{"Threads of a channel", threads},
		{"A key stands for one message", keyIsUnique},
		{"A request under a key is carried out once", requestKey},
		{"A target is told through by one hub at a time", tellings},
		{"A bridge is held by one hub, and posts in order", bridges},
		{"Whoever has gone has no chat account", goneFromChats},
		{"Chat accounts, codes and strangers", chatAccounts},
		{"A due time is taken by one hub", schedules},
		{"A reminder is taken once", reminders},
		{"Tasks without progress are found until somebody was told", idleTasks},
		{"Deliveries never go back", deliveriesNeverGoBack},
		{"A place in a thread never goes back", readNeverGoesBack},
		{"Mail", mail},
		{"News", news},
		{"UnreadMail", unreadMail},
		{"MailIsTakenOnce", mailIsTakenOnce},
		{"It is quiet until something comes", quiet},
		{"What is unseen comes by priority, with its tasks", unseenMessages},
		{"What is taken back is not handed out", recalledMessages},
		{"What a client holds is forsaken when it is gone", clientLeases},
		{"Whoever waits hears of their own messages", mailSignals},
		{"Texts come back as they went in", texts},

		{"Tasks come back as they went in", taskRoundTrip},
		{"Claimable work comes by priority, then by age", claimableOrder},
		{"Two claimers never get the same task", claimersNeverShare},
		{"Open tasks are counted", openTasks},
		{"A tree is read parents first", trees},
		{"Lists of tasks", taskLists},
		{"An inbox keeps its order", inboxOrder},
		{"Steps keep their order", stepOrder},
		{"Due times and deadlines", dueTimes},
		{"Workers and leases", workers},
		{"Tasks that wait for a provider", providerWaits},

		{"Approvals come back as they went in", approvalRoundTrip},
		{"A call has one approval", approvalKey},
		{"Approvals from outside", approvalOutside},
		{"Lists of approvals and their expiry", approvalLists},
		{"Of two who decide at once one wins", decideAtOnce},

		{"Keepers come back as they went in", keeperRoundTrip},
		{"Keepers do not come back reversed", keepersDoNotComeBackReversed},
		{"The use of keepers", keeperUse},
		{"Removed keepers leave no number to be given out again", keeperRemoval},
		{"What keepers hold goes in time", keeperRetention},
		{"A task that was resumed stays as long as the one that goes on", resumedTasks},
		{"Texts are found in keepers", keptCopies},
		{"A thread says that parts of it were put away", keptThreads},
		{"Topics are found with a message that others may read", keptTopics},

		{"Messages are counted between pairs", pairs},
		{"Questions and their routes come back as they went in", questionRoundTrip},
		{"Asking twice under a key is asking once", questionKey},
		{"Lists of questions and when they are due", questionLists},
		{"Answering and expiring at once: one wins", answerAgainstExpiry},
		{"Old questions go", oldQuestions},

		{"Budgets come back as they went in", budgetRoundTrip},
		{"Days of a team", daysRoundTrip},
		{"A reservation counts only under its lease", reservationsFollowTheLease},
		{"Tasks that wait for a budget", waitingForBudgets},
		{"What steps have spent is added up", spentIsAddedUp},
		{"A paused team has nothing to claim", pausedTeams},
		{"Two turns cannot both reserve the last of a budget", reserveAtOnce},
		{"A turn settles while a contact counts and somebody raises", settleAgainstContact},
		{"The first who spend on a day make one row", daysAtOnce},
		{"Group channels come back as they went in", groupRoundTrip},
		{"A group is no dm", groupIsNoDM},
		{"Two who make a channel at once make one", twoMakeOneGroup},
		{"A place in a channel never goes back", groupReading},
		{"Tasks of mentions are found by message and by cause", mentionTasks},
		{"The chain of the last mention is found by looking back", mentionChain},
		{"A post is read in one go", postState},
		{"What a page of a conversation shows is read at once", conversationPages},

		{"Claims come back as they went in and end in time", claimRoundTrip},
		{"A claim ends with its task", claimEndsWithTask},
		{"No claim is held by two", claimAtOnce},
		{"Who works on a path", busyOn},
		{"A task waits for what it depends on", dependencies},
		{"Changes of files come back as they went in", changes},
		{"A task ends while another comes to depend on it", dependAgainstEnd},

		{"Sequences commit out of order and readers skip nothing", outOfOrderCommits},
		{"Events are of one team", eventsOfOneTeam},
		{"Event cursors", eventCursors},
		{"Events by agent, task, tree, kind and time", eventFilters},
		{"A filter moves on over what it leaves out", filterMovesOn},
		{"Steps are stored out of order and readers skip nothing", stepsOutOfOrder},
		{"The times of steps are read without what they say", stepTimes},
		{"Steps by agent, task and tree, forwards and backwards", stepFilters},
		{"A step is read with the call that it belongs to", stepsWithTheirCalls},

		{"Long texts are visited with everything that they say", longTexts},
		{"A redacted message has lost its text everywhere", redactedMessage},
		{"Texts are found where they are copied", copies},

		{"Old messages go, and what they hang on", oldMessages},
		{"What was spent is added up, also after its steps were removed", costs},
		{"Old requests from outside go", oldRequests},
		{"What somebody needs is not too old", neededMessages},
		{"Old events go", oldEvents},

		{"Postings come back as they went in", postingsRoundTrip},
		{"Postings of odd words, and of many", postingsOfOddWords},
		{"Marks and gaps of the search index", searchMarks},
		{"Only one adds to the search index", oneIndexes},
		{"Words of the search index by their beginnings and ends", searchWords},
		{"Messages with where they stand", foundMessages},
		{"Messages that are stored late lie in gaps", lateMessages},

		{"A child finishes while its tree is cancelled", finishAgainstCancel},
		{"Two children finish while their parent's turn ends", childrenAgainstTurnEnd},
		{"Contacts in both directions at once", contactsBothWays},
		{"Many mentions at once are all counted in their chain", mentionsAtOnce},
		{"Many who send at once draw no more than the bucket holds", bucketAtOnce},
		{"Two turns mark each other's messages", marksBothWays},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, fresh(t)) })
	}
}

// world is a store with a team of three in it.
type world struct {
	store.Store
	t     testing.TB
	team  parley.Team
	ann   parley.Agent // native
	bob   parley.Agent // native
	carol parley.Agent // a person
}

func newWorld(t testing.TB, open Open) *world { return newWorldAt(t, open, time.Now) }

func newWorldAt(t testing.TB, open Open, clock parley.Clock) *world {
	t.Helper()
	w := &world{t: t, Store: mustOpen(t, open, clock), team: parley.Team{Name: "Main"}}
	w.update(func(tx *store.Tx) error {
		tx.InsertTeam(&w.team)
		w.ann = parley.Agent{Team: w.team.ID, Name: "Ann", Kind: parley.Native, Turns: 8}
		w.bob = parley.Agent{Team: w.team.ID, Name: "Bob", Kind: parley.Native, Turns: 8}
		w.carol = parley.Agent{Team: w.team.ID, Name: "Carol", Kind: parley.Person, Turns: 1}
		for _, a := range []*parley.Agent{&w.ann, &w.bob, &w.carol} {
			tx.InsertAgent(a)
		}
		return nil
	})
	return w
}

func mustOpen(t testing.TB, open Open, clock parley.Clock) store.Store {
	t.Helper()
	s, err := open(clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func (w *world) update(fn func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.Update(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) view(fn func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.View(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// dm is the channel of Ann and Bob.
func (w *world) dm() (c parley.Channel) {
	w.t.Helper()
	w.update(func(tx *store.Tx) (err error) {
		c, err = tx.EnsureDM(w.team.ID, w.ann.ID, w.bob.ID)
		return err
	})
	return c
}

// post stores a message of Ann's.
func (w *world) post(tx *store.Tx, in parley.ThreadID, body string, to ...parley.Agent) (parley.Message, error) {
	m := parley.Message{Team: w.team.ID, Thread: in, Author: w.ann.ID, Kind: parley.NotificationMessage, Body: body}
	recipients := make([]store.Recipient, len(to))
	for i, a := range to {
		recipients[i] = store.Recipient{ID: a.ID, Pulls: a.Pulls()}
	}
	return m, tx.Post(&m, recipients...)
}

// insert stores a task and fills in what the test left out.
func (w *world) insert(tx *store.Tx, t parley.Task) parley.Task {
	return w.insertAs(tx, t, tx.NewTaskID())
}

func (w *world) insertAs(tx *store.Tx, t parley.Task, id parley.TaskID) parley.Task {
	t.ID = id
	if t.Team == 0 {
		t.Team = w.team.ID
	}
	if t.Root == 0 {
		t.Root = t.ID
	}
	if t.Agent == 0 {
		t.Agent = w.bob.ID
	}
	if t.Requester == 0 {
		t.Requester = w.ann.ID
	}
	if t.Pattern == "" {
		t.Pattern = parley.Delegate
	}
	if t.Priority == 0 {
		t.Priority = parley.Normal
	}
	if t.State == 0 {
		t.State = parley.Queued
	}
	tx.InsertTask(&t)
	return t
}

func (w *world) task(t parley.Task) (stored parley.Task) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error { stored = w.insert(tx, t); return nil })
	return stored
}

func (w *world) readTask(id parley.TaskID) (t parley.Task) {
	w.t.Helper()
	w.view(func(tx *store.Tx) (err error) { t, err = tx.Task(id); return err })
	return t
}

// atOnce runs fn n times at the same moment and reports failures.
func atOnce(t testing.TB, n int, fn func(i int) error) {
	t.Helper()
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			if err := fn(i); err != nil {
				t.Errorf("number %d: %v", i, err)
			}
		})
	}
	close(start)
	wg.Wait()
}

// manualClock is a clock that moves only when a test moves it.
type manualClock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *manualClock { return &manualClock{at: time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)} }

func (h *manualClock) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *manualClock) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}
