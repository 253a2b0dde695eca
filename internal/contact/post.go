package contact

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/store"
)

// Post is a message to a channel.
type Post struct {
	// Channel is a group's name, with or without its #.
	Channel string
	// Between are the two agents of a dm, instead of a group. Only people write in
	// the dms of others.
	Between [2]string
	Message string
	// Files follow the message: texts that somebody else may have written. Whom they
	// name is not mentioned.
	Files string
	// Attach is as in a Request.
	Attach bool
	// Key makes the post idempotent, as that of a Request.
	Key string

	whole   string // of a message that is only the beginning
	mention string // where mentions are looked for
}

// Posted is the outcome of an accepted post.
type Posted struct {
	Channel parley.Channel
	Message parley.MessageID
	// Tasks are the turns that its mentions start, now or later.
	Tasks []parley.Task
	// Away are the mentioned ones that are offline: nothing was started for them.
	Away []string
	// Unstarted are the mentioned ones for whom mentions by agents have caused too
	// many turns already.
	Unstarted []string
	// Misspelt are words after an @, each with the name that was probably meant.
	Misspelt [][2]string

	limit int // of turns by mentions
}

// Text says what came of the post.
func (p Posted) Text(name func(parley.AgentID) string) string {
	var now, later []string
	for _, t := range p.Tasks {
		if t.Due > 0 {
			later = append(later, name(t.Agent))
		} else {
			now = append(now, name(t.Agent))
		}
	}
	text := parley.PostedText(p.Channel.Place(), now, later, p.Away)
	if len(p.Unstarted) > 0 {
		text += " " + parley.UnstartedText(p.Unstarted, p.limit)
	}
	for _, m := range p.Misspelt {
		text += fmt.Sprintf(" Nobody here is called @%s; did you mean @%s?", m[0], m[1])
	}
	return text
}

// Post stores a message in a channel. Whoever it mentions gets a task of its own,
// whose reply goes to the same channel; nobody waits for it. Everyone else finds
// the message when they read the channel.
func (s *Service) Post(ctx context.Context, c access.Caller, r Post) (Posted, error) {
	if err := s.checkPost(c, &r); err != nil {
		if parley.RuleOf(err) != "" { // else it is malformed, and nobody was refused anything
			s.access.RecordRefused(ctx, c, 0, err, access.RefusalText("post", err))
		}
		return Posted{}, err
	}
	var pair [2]parley.AgentID
	var err error
	if r.Between[0] != "" {
		if pair, err = s.pair(c, r.Between); err != nil {
			return Posted{}, err
		}
	}
	var p posting
	attempt := func(c access.Caller) error {
		return s.store.Update(ctx, func(tx *store.Tx) error {
			p = posting{mentioning: mentioning{s: s, tx: tx}, caller: c, request: r, pair: pair}
			return p.run()
		})
	}
	err = attempt(c)
	if need, wanted := parley.AsNeedsApproval(err); wanted {
		if err = s.access.Await(ctx, c, need); err == nil {
			c.Approved = true
			err = attempt(c)
		}
	}
	if err != nil {
		if !c.Waits(err) {
			s.access.RecordRefused(ctx, c, p.refusal.target, err, p.refusal.text("post", err))
		}
		return Posted{}, err
	}
	if strings.ContainsRune(r.mention, '@') {
		p.out.Misspelt = parley.Misspelt(r.mention, s.dir.Names(c.Team))
	}
	return p.out, nil
}

// checkPost refuses what is refused whatever the rules say.
func (s *Service) checkPost(c access.Caller, r *Post) error {
	if strings.TrimSpace(r.Message+r.Files) == "" {
		return parley.Errorf(parley.Invalid, "The message is empty.")
	}
	r.Channel = parley.BareChannel(r.Channel)
	written := r.Message
	if r.Files != "" {
		r.Message = strings.TrimLeft(r.Message+"\n\n"+r.Files, "\n")
	}
	if r.Attach {
		var err error
		if r.whole, err = s.attach(c, &r.Message, ""); err != nil {
			return err
		}
	}
	r.mention = r.Message
	if r.Files != "" {
		r.mention = written
	}
	return s.checkBody(c, r.Message, r.Key)
}

// pair finds the two agents of a dm.
func (s *Service) pair(c access.Caller, names [2]string) (ids [2]parley.AgentID, err error) {
	for i, name := range names {
		e, err := s.dir.Find(c.Team, name)
		if err != nil {
			return ids, err
		}
		ids[i] = e.ID
	}
	slices.Sort(ids[:])
	if ids[0] == ids[1] {
		return ids, parley.Errorf(parley.NotFound, "A conversation has two participants.").WithHint("Name two different ones.")
	}
	return ids, nil
}

// posting is one run of the transaction.
type posting struct {
	mentioning
	caller  access.Caller
	request Post
	pair    [2]parley.AgentID // of a dm

	state   store.PostState
	joins   bool // the author is not a member yet
	refusal refusal
	out     Posted
}

// refusal is why a post is refused, for the record.
type refusal struct {
	target parley.AgentID
	ruling *policy.Ruling // nil if it was not the rules
}

func (r refusal) text(what string, err error) string {
	if r.ruling == nil {
		return access.RefusalText(what, err)
	}
	return what + ": " + r.ruling.Explained(err)
}

func (p *posting) run() error {
	var err error
	if p.caller.Task != 0 {
		if p.account, err = lockBudget(p.tx, p.caller); err != nil {
			return err
		}
	}
	mentioned := p.s.mentioned(p.caller.Team, p.caller.Agent, p.request.mention)
	if err := p.lock(len(mentioned) > 0); err != nil {
		return access.NotFound(err, "%s", p.caller.Task)
	}
	if p.state.Before.ID != 0 {
		return p.again()
	}
	if err := p.caller.CheckOwnTask(p.state.Task); err != nil {
		return err
	}
	if p.account == nil && p.state.Task.Budget != 0 {
		return &parley.BudgetGiven{Root: p.state.Task.Budget}
	}
	if err := p.enter(); err != nil {
		return err
	}
	limits := p.s.dir.Limits(p.caller.Agent)
	p.by(p.state.Author, p.state.Task, p.state.Chain, limits)
	if err := p.mentionAll(mentioned); err != nil {
		return err
	}
	if p.account != nil && len(p.tasks) > 0 {
		if err := moreTasks(p.account, p.caller.Task, len(p.tasks)); err != nil {
			return err
		}
	}
	rate, refused := policy.DecidePost(policy.Contact{Steady: p.tx.Steady, Sender: p.state.Author, Limits: limits, Approved: p.caller.Approved}, len(p.tasks))
	if refused != nil {
		return refused
	}
	if rate != p.state.Author.Rate {
		p.tx.SetRate(p.caller.Agent, rate)
	}
	return p.store()
}

// lock reads what the post rests on, and locks it.
func (p *posting) lock(mentions bool) (err error) {
	var chain parley.TaskID
	if mentions && !p.s.access.IsPerson(p.caller.Agent) {
		if chain, err = p.causes(); err != nil {
			return err
		}
	}
	first := chain
	if chain == p.caller.Task {
		first = 0
	}
	p.state, err = p.tx.PostState(p.caller.Agent, first, p.caller.Task, p.request.Key)
	if err == nil && p.state.Before.ID == 0 {
		p.state.Before, err = p.caller.MadeBefore(p.tx, p.request.Key)
	}
	if chain != 0 && first == 0 {
		p.state.Chain = p.state.Task
	}
	return err
}

// lookBack is how many messages of a channel are searched for what a post may answer.
const lookBack = 500

// causes finds the chain in which mentions by an agent are counted: that of the task
// that it works on. A program may post without naming one. If each of these posts began
// a chain, it and an agent could mention each other for ever. So such a post counts as
// caused by the last mention of the program in that channel, whether it was answered or
// not. A person who has written there since is a new cause, and if nobody mentions the
// program, each of its posts is one.
func (p *posting) causes() (parley.TaskID, error) {
	if p.caller.Task != 0 {
		t, err := p.tx.Task(p.caller.Task)
		return t.Chain, err
	}
	ch, err := p.tx.Group(p.caller.Team, p.request.Channel)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil // enter says so
	}
	if err != nil {
		return 0, err
	}
	return p.tx.MentionChain(ch.Main, p.caller.Agent, lookBack)
}

// again finds what the same post made before.
func (p *posting) again() error {
	m := p.state.Before
	thread, err := p.tx.Thread(m.Thread)
	if err != nil {
		return err
	}
	if p.out.Channel, err = p.tx.Channel(thread.Channel); err != nil {
		return err
	}
	said, err := says(p.tx, m, p.request.Message, "")
	if err != nil {
		return err
	}
	if m.Kind != parley.PostMessage || !said || !p.sameChannel(p.out.Channel) {
		return errKeyUsed(p.request.Key)
	}
	p.out.Message = m.ID
	if p.out.Tasks, err = p.tx.MentionsOf(m.ID); err != nil {
		return err
	}
	return p.findAway(m)
}

// sameChannel compares the channel of a post with the one that is asked for now.
func (p *posting) sameChannel(c parley.Channel) bool {
	if c.Kind == parley.Group {
		return parley.FoldName(c.Name) == parley.FoldName(p.request.Channel)
	}
	return p.pair == [2]parley.AgentID{c.A, c.B}
}

// findAway tells who was mentioned and got no task.
func (p *posting) findAway(m parley.Message) error {
	to, err := p.tx.Deliveries(m.ID)
	if p.out.Channel.Kind == parley.DM {
		return err // both have a record of it
	}
	for _, d := range to {
		if !hasTaskOf(p.out.Tasks, d.Recipient) {
			name, err := p.s.name(p.tx, d.Recipient)
			if err != nil {
				return err
			}
			p.out.Away = append(p.out.Away, name)
		}
	}
	return err
}

func hasTaskOf(list []parley.Task, id parley.AgentID) bool {
	for _, t := range list {
		if t.Agent == id {
			return true
		}
	}
	return false
}

// enter finds the channel, and whether the author may write there.
func (p *posting) enter() error {
	if p.pair[0] != 0 {
		return p.enterDM()
	}
	c, member, err := p.s.access.Membership(p.tx, p.caller, p.request.Channel)
	if err != nil {
		return err
	}
	// A person may write anywhere, and then wants to be answered.
	p.channel, p.joins = c, !member
	who := p.s.access.Party(p.state.Author)
	return p.judge(policy.Authorize(&who, policy.PostIn(c.Name)), 0)
}

// judge asks what a ruling means to the author, and keeps it for the record.
func (p *posting) judge(r policy.Ruling, target parley.AgentID) error {
	err := p.caller.Judge(r, target)
	if err != nil {
		p.refusal = refusal{target, &r}
	}
	return err
}

// enterDM lets a person write in the dm of two agents.
func (p *posting) enterDM() error {
	switch {
	case p.state.Author.Kind != parley.Person:
		return access.ErrPeopleOnly("write in the conversation of others")
	case slices.Contains(p.pair[:], p.caller.Agent):
		return parley.Errorf(parley.Conflict, "This is your own conversation.").WithHint("Use 'delegate', 'ask' or 'notify' for it.")
	}
	var err error
	p.channel, err = p.tx.EnsureDM(p.caller.Team, p.pair[0], p.pair[1])
	return err
}

// mentionAll decides about every mention. One that is refused refuses the post, unless
// it is one too many along the chain.
func (p *posting) mentionAll(mentioned []directory.Entry) error {
	for _, e := range mentioned {
		target, member, err := p.target(e)
		if err != nil {
			return err
		}
		if !member {
			p.refusal.target = e.ID
			return parley.ErrNotMember(e.Name, p.channel.Place())
		}
		if err := p.judge(p.ruling(target), e.ID); err != nil {
			return err
		}
		err = p.plan(target)
		if parley.RuleOf(err) == parley.RuleMentionTurns { // the post stands, and says so
			p.tx.Record(parley.Event{Team: p.caller.Team, Kind: parley.EventRefused, Actor: p.caller.Agent, Target: e.ID, Task: p.caller.Task,
				Detail: access.RefusalText("mention", err)})
			err = nil
		}
		if err != nil {
			p.refusal.target = e.ID
			return err
		}
	}
	return nil
}

// store writes the message, its deliveries, the tasks and the events.
func (p *posting) store() error {
	m := parley.Message{Team: p.caller.Team, Thread: p.channel.Main, Author: p.caller.Agent, Kind: parley.PostMessage,
		Body: p.request.Message, Origin: p.caller.Task, Key: p.request.Key}
	to, err := p.recipients()
	if err != nil {
		return err
	}
	if p.joins {
		p.tx.InsertMember(parley.Member{Channel: p.channel.ID, Agent: p.caller.Agent})
		p.tx.Record(parley.Event{Team: p.caller.Team, Kind: parley.EventChannel, Actor: p.caller.Agent, Target: p.caller.Agent,
			Detail: p.channel.Place() + ": joined"})
	}
	if err := p.tx.Post(&m, to...); err != nil {
		return err
	}
	if p.request.whole != "" {
		p.tx.InsertAttachment(m.ID, p.request.whole)
	}
	if p.channel.Kind == parley.Group {
		p.tx.ReadOwn(p.channel.ID, m)
	}
	p.tx.Record(parley.Event{Team: m.Team, Kind: parley.EventMessage, Actor: m.Author, Task: m.Origin, Message: m.ID,
		Detail: "post in " + p.channel.Place()})
	p.open(m)
	p.out = Posted{Channel: p.channel, Message: m.ID, Tasks: p.tasks, Away: p.away, Unstarted: p.unstarted, limit: p.limits.MentionTurns}
	return p.tell()
}
