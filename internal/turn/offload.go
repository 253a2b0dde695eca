package turn

import (
	"context"
	"fmt"
	"slices"

	"parley"
	"parley/internal/keeper/topic"
	"parley/internal/model"
	"parley/internal/step"
	"parley/internal/store"
)

const (
	// fullAt and emptyTo are shares of the window, in hundredths: past the first a
	// conversation is too long, and it is brought down to the second. Each time costs
	// a small model call, and changes what a provider has in its cache.
	fullAt  = 80
	emptyTo = 50
	// leastRoom is the share of the room for messages, in hundredths, that is left
	// filled where instructions and tools take half of the window by themselves.
	leastRoom = 20
	// minKept is how many messages a keeper has at least, unless the conversation
	// would not fit: a keeper of two messages is a name for nothing.
	minKept = 8
)

type offloadKeeper = step.Keeper

// offload is what is no longer shown of a conversation, and the keepers that are
// named in its place: before the request, and since.
type offload struct {
	messages      map[parley.MessageID]bool
	past          int
	before, since []offloadKeeper
}

func (o *offload) add(s offloadStep) {
	if len(s.Messages) > 0 {
		o.addBefore(s)
	}
	if s.Past > o.past {
		o.past = s.Past
		o.since = o.join(o.since, s.Keepers)
	}
}

// addBefore takes in what was put away of the conversation before the request.
func (o *offload) addBefore(s offloadStep) {
	if o.messages == nil {
		o.messages = map[parley.MessageID]bool{}
	}
	for _, id := range s.Messages {
		o.messages[id] = true
	}
	o.before = o.join(o.before, s.Keepers)
}

// join adds keepers that are not named yet.
func (o *offload) join(list, more []offloadKeeper) []offloadKeeper {
	for _, k := range more {
		named := func(other offloadKeeper) bool { return other.ID == k.ID }
		if !slices.ContainsFunc(o.before, named) && !slices.ContainsFunc(list, named) {
			list = append(list, k)
		}
	}
	return list
}

// maxLines is how many keepers have a line of their own.
const maxLines = 10

// show adds the lines that stand in the place of what was put away.
func (o offload) show(list []offloadKeeper, add func(model.Message, source)) {
	var keepers []parley.Keeper
	for _, k := range list {
		keepers = append(keepers, parley.Keeper{ID: k.ID, Topic: k.Topic, Count: k.Count, Size: k.Size})
	}
	if len(o.before)+len(o.since) > maxLines && len(list) > 1 {
		add(model.Message{Role: model.User, Text: parley.PutAwayTogetherText(keepers)}, source{kind: theHub})
		return
	}
	for _, k := range keepers {
		add(model.Message{Role: model.User, Text: parley.PutAwayText(k)}, source{kind: theHub})
	}
}

// namedKeepers bounds how many keepers of a thread a turn names.
const namedKeepers = 100

// loadKept finds what earlier tasks in the thread have put away.
func (r *run) loadKept(tx *store.Tx) (*offloadStep, error) {
	if r.task.Turns > 0 {
		return nil, nil // the first turn has stored it
	}
	list, err := tx.ThreadKeepers(r.task.Thread, r.lease.Agent, namedKeepers)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	s := &offloadStep{}
	for _, k := range list {
		s.Keepers = append(s.Keepers, offloadKeeper{ID: k.ID, Topic: k.Topic, Count: k.Count, Size: k.Size})
	}
	kept, err := tx.KeptBy(r.lease.Agent, idsOf(r.history))
	for _, m := range r.history {
		if kept[m.ID] != 0 {
			s.Messages = append(s.Messages, m.ID)
		}
	}
	return s, err
}

// makeRoom puts the oldest of the conversation into a keeper when it has become
// too long for the model. The step that says so is stored with the keeper, so that
// a resumed turn shows the same and nothing is put away twice.
func (r *run) makeRoom(ctx context.Context) error {
	b, ok := r.agent.Model.(model.Bounded)
	if !ok || r.hasRoom {
		return nil
	}
	request, _, from := r.whole(r.agent)
	var unseen []parley.MessageID
	if r.start != nil {
		unseen = append(r.prompt.UnreadIDs(), r.start.Seen...)
	}
	chosen := chooseOffload(request, from, b, unseen)
	if len(chosen) == 0 {
		return nil
	}
	var messages []model.Message
	var sources []source
	step := offloadStep{Past: r.offload.past}
	for _, i := range chosen {
		messages, sources = append(messages, request.Messages[i]), append(sources, from[i])
		if from[i].kind == beforeRequest {
			step.Messages = append(step.Messages, from[i].stored.ID)
		} else {
			step.Past++
		}
	}
	return r.storeOffload(ctx, step, r.kept(messages, sources))
}

// chooseOffload are the places of the messages to put away: the oldest first, until
// the conversation is short enough and there are enough for a keeper. The request and
// the newest stay, and a call is not parted from its result. What the model has never
// been shown goes only if it could not be shown either. Where too few can go, nothing
// does as long as everything fits.
func chooseOffload(r model.Request, from []source, b model.Bounded, unseen []parley.MessageID) (chosen []int) {
	window, reply := b.Window()
	units := unitsOf(r.Messages)
	total, count := 0, 0
	for _, u := range units {
		total += u.tokens
	}
	fits := room(window, reply) - frame(r)
	most := min(window*fullAt/100-frame(r), fits)
	if window <= 0 || most <= 0 || total <= most {
		return nil // or what is not said fills it already
	}
	target := max(window*emptyTo/100-frame(r), most*leastRoom/100)
	fitted := total <= fits
	gone := make([]bool, len(units))
	take := func(i int) {
		if gone[i] || i == len(units)-1 || !from[units[i].from].movable() {
			return
		}
		gone[i] = true
		total -= units[i].tokens
		count += units[i].to - units[i].from
	}
	for i, u := range units {
		if total <= target && count >= minKept {
			break
		}
		if m := from[u.from].stored; m == nil || !slices.Contains(unseen, m.ID) {
			take(i)
		}
	}
	if fitted && count < minKept {
		return nil
	}
	for i := 0; i < len(units) && total > fits; i++ {
		take(i)
	}
	for i, u := range units {
		for at := u.from; gone[i] && at < u.to; at++ {
			chosen = append(chosen, at)
		}
	}
	return chosen
}

// storeOffload stores a keeper with what is not in one yet, and the step. What a
// turn begins with is stored with it, if it is not yet: a turn that went on from
// between the two could not tell any more what its model has never been shown.
func (r *run) storeOffload(ctx context.Context, s offloadStep, list []parley.KeptMessage) error {
	name := r.nameTopic(ctx, list)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var drafts []draft
	if r.start != nil {
		drafts = append(drafts, draft{content: r.prompt})
	}
	return r.storeSteps(ctx, append(drafts, draft{spent: r.sideSpent(), build: func(tx *store.Tx, task *parley.Task) (content, error) {
		keepers, err := r.keep(tx, task, name, list)
		return offloadStep{Keepers: keepers, Messages: s.Messages, Past: s.Past}, err
	}})...)
}

// keep stores what no keeper of the agent has yet, and names all that have
// something of the list: a later task in the same thread begins with the same
// history.
func (r *run) keep(tx *store.Tx, task *parley.Task, name string, list []parley.KeptMessage) (keepers []offloadKeeper, err error) {
	var ids []parley.MessageID
	for _, m := range list {
		if m.Message != 0 {
			ids = append(ids, m.Message)
		}
	}
	before, err := tx.KeptBy(r.lease.Agent, ids)
	if err != nil {
		return nil, err
	}
	var fresh []parley.KeptMessage
	named := map[parley.KeeperID]bool{}
	for _, m := range list {
		id := before[m.Message]
		if id == 0 {
			fresh = append(fresh, m)
		}
		if id == 0 || named[id] {
			continue
		}
		named[id] = true
		k, err := tx.Keeper(id)
		if err != nil {
			return nil, err
		}
		keepers = append(keepers, offloadKeeper{ID: k.ID, Topic: k.Topic, Count: k.Count, Size: k.Size})
	}
	if len(fresh) == 0 {
		return keepers, nil
	}
	if len(fresh) < len(list) { // another task was quicker: the name is of more than this keeper has
		name = topic.Words(fresh)
	}
	tx.MarkThreadKept(task.Thread)
	k := parley.Keeper{Team: task.Team, Owner: task.Agent, Channel: r.place.ID, Thread: task.Thread, Task: task.ID, Topic: name, Automatic: true}
	tx.InsertKeeper(&k, fresh)
	tx.Record(parley.Event{Team: task.Team, Kind: parley.EventKept, Actor: task.Agent, Task: task.ID,
		Detail: fmt.Sprintf("%s: %d messages, automatic", k.ID, k.Count)})
	return append(keepers, offloadKeeper{ID: k.ID, Topic: k.Topic, Count: k.Count, Size: k.Size}), nil
}

// nameTopic has the agent's model say what the messages are about. Where it
// cannot, the words that stand out do.
func (r *run) nameTopic(ctx context.Context, list []parley.KeptMessage) string {
	reply, err := r.consult(ctx, topic.Request(list))
	if err == nil {
		if name, ok := topic.Clean(reply.Text); ok {
			return name
		}
	}
	return topic.Words(list)
}
