package reading

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/search"
	"parley/internal/store"
)

// Search says what to look for. A zero field sets no condition.
type Search struct {
	Text    string
	Agent   string // who wrote it, by name
	Channel string // a group channel, by name
	// Since is inclusive, Until exclusive.
	Since, Until parley.Micros
	// Newest asks for the newest documents that have all the words, instead of the
	// best.
	Newest bool
	Kind   search.Kind
	// Tasks asks for the tasks that the matches belong to.
	Tasks bool
	Limit int
}

// SearchResult is what a search found.
type SearchResult struct {
	List []Found
	// Behind is how many messages that the caller may read are not in the index yet;
	// they were searched one by one. Incomplete says that there was no time for all.
	Behind     int
	Incomplete bool
}

// Found is a match with its context.
type Found struct {
	search.Hit
	Channel parley.Channel
	Task    parley.Task // of the message; zero if there is none, or if the caller may not see it
	// More is how many other matches the same task has, if tasks were asked for.
	More int
}

// hitsPerResult is how many hits are fetched for each result: the same text may stand
// where it was said and where it was delivered, and in several keepers.
const hitsPerResult = 2

// messagesPerTask is how many messages are fetched for each task, if tasks are asked
// for.
const messagesPerTask = 5

// Search finds what was said, in what the caller may read.
func (s *Service) Search(ctx context.Context, c access.Caller, r Search) ([]Found, error) {
	found, err := s.Find(ctx, c, r)
	return found.List, err
}

// Find is Search that also tells how far the index has come.
func (s *Service) Find(ctx context.Context, c access.Caller, r Search) (SearchResult, error) {
	q := search.Query{Team: c.Team, Kind: r.Kind, Text: r.Text, Since: r.Since, Until: r.Until, Newest: r.Newest, Limit: r.Limit}
	if !s.seesAll(c) {
		q.Reader = c.Agent
	}
	if r.Since != 0 && r.Until != 0 && r.Until <= r.Since {
		return SearchResult{}, parley.Errorf(parley.Conflict, "The time asked for ends before it begins.")
	}
	if err := s.store.View(ctx, func(tx *store.Tx) error { return s.resolveNames(tx, c, r, &q) }); err != nil {
		return SearchResult{}, err
	}
	q.Limit *= hitsPerResult
	if r.Tasks {
		q.Limit *= messagesPerTask
	}
	found, err := s.index.Search(ctx, q)
	if err != nil {
		return SearchResult{}, err
	}
	list, err := s.describe(ctx, c, withoutCopies(found.Hits, q.Limit/hitsPerResult))
	if r.Tasks {
		list = byTask(list, r.Limit)
	}
	return SearchResult{List: list, Behind: found.Behind, Incomplete: found.Incomplete}, err
}

// withoutCopies drops copies of earlier hits.
func withoutCopies(hits []search.Hit, limit int) (list []search.Hit) {
	seen := map[any]bool{}
	for _, h := range hits {
		if key := copyKey(h); key == nil || !seen[key] {
			seen[key] = true
			list = append(list, h)
		}
	}
	return list[:min(len(list), limit)]
}

// copyKey is what a hit and its copies have in common; nil if it cannot have copies.
func copyKey(h search.Hit) any {
	type words struct {
		author parley.AgentID
		task   parley.TaskID
		text   string
	}
	switch of := h.Source.(type) {
	case store.FoundMessage:
		if of.Task != 0 {
			return words{of.Author, of.Task, h.Text}
		}
	case store.FoundKept:
		if of.Message != 0 {
			return of.Message
		}
	}
	return nil
}

// resolveNames finds the author and the channel by their names.
func (s *Service) resolveNames(tx *store.Tx, c access.Caller, r Search, q *search.Query) error {
	if r.Agent != "" {
		a, err := tx.AgentByName(c.Team, r.Agent) // even one that is gone from the files
		if errors.Is(err, store.ErrNotFound) {
			_, err = s.dir.Find(c.Team, r.Agent)
		}
		if err != nil {
			return err
		}
		q.Author = a.ID
	}
	if r.Channel == "" {
		return nil
	}
	ch, err := s.access.Group(tx, c, r.Channel)
	q.Channel = ch.ID
	return err
}

// describe adds the channel and the task of each hit.
func (s *Service) describe(ctx context.Context, c access.Caller, hits []search.Hit) (list []Found, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list = make([]Found, 0, len(hits))
		for _, h := range hits {
			f := Found{Hit: h}
			if m, ok := h.Source.(store.FoundMessage); ok {
				if err := s.describeMessage(tx, c, m, &f); err != nil {
					return err
				}
			}
			if k, ok := h.Source.(store.FoundKept); ok {
				if err := s.describeKept(tx, c, k, &f); err != nil {
					return err
				}
			}
			list = append(list, f)
		}
		return nil
	})
	return list, err
}

// describeKept adds where a kept message was said, and in which task.
func (s *Service) describeKept(tx *store.Tx, c access.Caller, k store.FoundKept, f *Found) (err error) {
	if k.Of.Channel != 0 {
		if f.Channel, err = tx.Channel(k.Of.Channel); err != nil {
			return err
		}
	}
	if k.Of.Task == 0 {
		return nil
	}
	t, err := tx.Task(k.Of.Task)
	if err == nil && s.seesTask(c, t) {
		f.Task = t
	}
	return err
}

func (s *Service) describeMessage(tx *store.Tx, c access.Caller, m store.FoundMessage, f *Found) (err error) {
	f.Channel = m.Channel
	if m.Channel.Kind == parley.Group {
		if f.Channel, err = tx.Channel(m.Channel.ID); err != nil {
			return err
		}
	}
	id := m.Task
	if id == 0 {
		id = m.Origin
	}
	if id == 0 {
		return nil
	}
	t, err := tx.Task(id)
	if err == nil && s.seesTask(c, t) {
		f.Task = t
	}
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return err
}

// byTask keeps the first hit of each task.
func byTask(list []Found, limit int) (tasks []Found) {
	at := map[parley.TaskID]int{}
	for _, f := range list {
		if f.Task.ID == 0 {
			continue
		}
		if i, ok := at[f.Task.ID]; ok {
			tasks[i].More++
			continue
		}
		if len(tasks) < limit {
			at[f.Task.ID] = len(tasks)
			tasks = append(tasks, f)
		}
	}
	return tasks
}
