package contact

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/budget"
	"parley/internal/policy"
	"parley/internal/question"
	"parley/internal/store"
)

// A question to all is asked in two waves: first of those who probably know, then of
// the others, unless somebody has answered by then. When that is due is stored with
// the question, so that it happens after a restart and at any hub.

// broadcast asks several in one transaction.
type broadcast struct {
	s       *Service
	tx      *store.Tx
	caller  access.Caller
	request Request
	account *budget.Account // of the caller's tree; nil if it has no budget

	question parley.Question
	asked    int
}

func (s *Service) askAll(ctx context.Context, c access.Caller, r Request) (Asked, error) {
	err := s.checkRequest(c, &r, "the others")
	var b broadcast
	if err == nil {
		ranked := s.rank(c, r) // reads files, so not within the transaction
		err = s.store.Update(ctx, func(tx *store.Tx) error {
			b = broadcast{s: s, tx: tx, caller: c, request: r}
			return b.run(ranked)
		})
	}
	if err != nil {
		if parley.RuleOf(err) != "" && !c.Waits(err) {
			s.access.RecordRefused(ctx, c, 0, err, access.RefusalText(string(parley.QuestionPattern), err))
		}
		return Asked{}, err
	}
	return Asked{ID: b.question.ID, To: b.asked}, nil
}

// rank orders those whom the caller may contact, whoever probably knows first. It looks
// only at what the caller may read of them, and leaves out whom the rules refuse.
func (s *Service) rank(c access.Caller, r Request) []parley.AgentID {
	who, room := s.access.PartyOf(c.Agent), docsRead
	listed := policy.Authorize(&who, policy.Call{Action: policy.Action(policy.AgentComm, "list")}).Verdict == policy.Allow
	var list []question.Candidate
	for _, id := range s.dir.Everyone(c.Team) {
		e, known := s.dir.Entry(id)
		to := e.Party()
		if !known || id == c.Agent || policy.Authorize(&who, policy.Send(&to)).Verdict != policy.Allow {
			continue
		}
		one := question.Candidate{Agent: id, Person: e.Kind == parley.Person, About: e.Name}
		if listed {
			one.About += "\n" + e.Role + "\n" + e.Description
		}
		if s.Docs != nil && room > 0 && e.Docs.Folder != "" && s.access.ReadsDocs(c.Agent, to) {
			one.Docs = s.Docs(e.Docs)
			room -= len(one.Docs)
		}
		list = append(list, one)
	}
	return question.Rank(r.Message+"\n"+r.Context, list)
}

// docsRead bounds how much of the docs of a team is read for one question.
const docsRead = 8 << 20

func (b *broadcast) run(ranked []parley.AgentID) (err error) {
	if b.account, err = lockBudget(b.tx, b.caller); err != nil {
		return err
	}
	if _, err := b.tx.LockAgent(b.caller.Agent); err != nil {
		return err
	}
	if found, err := b.again(); found || err != nil {
		return err
	}
	first, more, err := b.choose(ranked)
	if err != nil {
		return err
	}
	b.question = b.s.newQuestion(b.tx, b.caller, b.request)
	if more {
		b.question.NextAt = b.tx.Now.Add(parley.OthersAskedAfter(b.question.ExpiresAt.Since(b.tx.Now)))
	}
	for _, id := range first {
		if err := b.ask(id); err != nil {
			return err
		}
	}
	if b.asked == 0 {
		return parley.Errorf(parley.Unavailable, "There is nobody whom you may ask.").WithRule("nobody").
			WithHint("Answer with what you know, or ask a person.")
	}
	return nil
}

// choose picks those who are asked first, in the order in which dms are locked, and
// says whether there are others. Who is offline is not asked.
func (b *broadcast) choose(ranked []parley.AgentID) (first []parley.AgentID, more bool, err error) {
	for _, id := range ranked {
		a, err := b.tx.Agent(id)
		if err != nil {
			return nil, false, err
		}
		if a.Gone() {
			continue
		}
		if len(first) == parley.FirstAsked {
			more = true
			break
		}
		first = append(first, id)
	}
	slices.Sort(first)
	return first, more, nil
}

// again finds what was asked under the same key before.
func (b *broadcast) again() (found bool, err error) {
	if b.request.Key == "" {
		return false, nil
	}
	in, err := b.caller.Keyed(b.tx)
	if err != nil {
		return false, err
	}
	q, err := b.tx.QuestionByKey(in, b.caller.Agent, b.request.Key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	routes, err := b.tx.Routes(q.ID)
	if err == nil && (!q.All() || q.Text != b.request.Message || q.Context != b.request.Context) {
		err = errKeyUsed(b.request.Key)
	}
	for _, r := range routes {
		if r.Hop == 0 {
			b.asked++
		}
	}
	b.question = q
	return true, err
}

// ask asks one of them. It leaves out whoever is offline and whom the caller may
// contact only with approval, or not at all.
func (b *broadcast) ask(id parley.AgentID) error {
	o := opening{s: b.s, tx: b.tx, caller: b.caller, request: b.request, pattern: parley.QuestionPattern, account: b.account,
		question: b.question, asked: b.asked}
	o.request.paid = b.asked > 0
	if o.request.Key != "" {
		o.request.Key = fmt.Sprintf("%s/%d", b.request.Key, id)
	}
	if err := o.read(id); err != nil {
		return err
	}
	if o.state.Target.Gone() || o.authorize() != nil {
		return nil
	}
	if err := o.make(nil); err != nil {
		return err
	}
	b.question, b.asked = o.question, o.asked
	return nil
}

// askOthers asks everyone who was not asked before. The question stays the asker's,
// who may have ended the task that asks. One whom the limits refuse is left out: there
// is no call any more that could fail.
func (q *lockedQuestion) askOthers(account *budget.Account) error {
	b := broadcast{s: q.s, tx: q.tx, account: account, question: q.Question, asked: len(q.routes),
		caller:  access.Caller{Team: q.Team, Agent: q.Asker, Task: q.Task},
		request: Request{Message: q.Text, Context: q.Question.Context, Key: q.Key, Priority: parley.Normal, afterwards: true}}
	for _, id := range q.s.dir.Everyone(q.Team) { // in the order in which dms are locked
		if id == q.Asker || question.RouteOf(q.routes, id) != nil {
			continue
		}
		if err := b.ask(id); err != nil {
			if refused := (*parley.Error)(nil); !errors.As(err, &refused) {
				return err
			}
		}
	}
	q.NextAt = q.ExpiresAt
	q.tx.UpdateQuestion(&q.Question)
	if b.asked > len(q.routes) {
		return nil
	}
	return q.settle(parley.NobodyCouldAnswer)
}
