package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/model"
)

// minds are the models of all agents. Each step of a turn stops here until the
// test says what the model replies.
type minds struct {
	mu       sync.Mutex
	thoughts []*thought // under way
	begun    []*thought // since the last look
}

// thought is a model whose turn it is to reply.
type thought struct {
	life    *life
	agent   string
	task    parley.TaskID
	request model.Request
	answer  chan answer
	checked bool
}

type answer struct {
	reply model.Reply
	err   error
}

// mind is the model of the agents of one hub.
type mind struct {
	*minds
	life *life
}

var errLifeEnded = errors.New("the hub is dead")

// Estimate is called before each step, and delays the turn a little: each task by its
// own fraction of the stored microsecond. So what several turns do at the same moment
// happens one after the other, in the same order in every run.
func (m mind) Estimate(req model.Request) model.Usage {
	wait(time.Duration(1+taskOf(req)%mostTasks) * apart)
	return model.Usage{}
}

const (
	apart     = time.Nanosecond
	mostTasks = 101
	mostApart = 500 * time.Nanosecond
)

// Step waits for the test, for the turn to be stopped, or for the end of a killed
// hub, whose goroutines would otherwise leak.
func (m mind) Step(ctx context.Context, req model.Request, _ func(model.Delta)) (model.Reply, error) {
	th := &thought{life: m.life, agent: req.Agent, task: taskOf(req), request: req, answer: make(chan answer)}
	m.add(th)
	defer m.remove(th)
	select {
	case a := <-th.answer:
		return a.reply, a.err
	case <-ctx.Done():
		return model.Reply{}, ctx.Err()
	case <-m.life.ended:
		return model.Reply{}, errLifeEnded
	}
}

// taskOf is what a request says that its turn works on.
func taskOf(req model.Request) (id parley.TaskID) {
	for text := range strings.Lines(req.System) {
		if _, err := fmt.Sscanf(text, "You work on task-%d,", &id); err == nil {
			break
		}
	}
	return id
}

func (m *minds) add(th *thought) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.thoughts = append(m.thoughts, th)
	m.begun = append(m.begun, th)
}

// take returns what was begun since the last look.
func (m *minds) take() []*thought {
	m.mu.Lock()
	defer m.mu.Unlock()
	begun := m.begun
	m.begun = nil
	return begun
}

func (m *minds) remove(th *thought) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.thoughts = slices.DeleteFunc(m.thoughts, func(o *thought) bool { return o == th })
}

// reading is what the waiting models of a hub are shown.
func (m *minds) reading(l *life) map[parley.TaskID]map[string]bool {
	all := map[parley.TaskID]map[string]bool{}
	for _, th := range m.of(l) {
		all[th.task] = map[string]bool{}
		for _, message := range th.request.Messages {
			all[th.task][message.Text] = true
		}
	}
	return all
}

// of lists the thoughts of a hub by task, so that the same choice means the
// same thing in every run.
func (m *minds) of(l *life) []*thought {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []*thought
	for _, th := range m.thoughts {
		if th.life == l {
			list = append(list, th)
		}
	}
	slices.SortFunc(list, func(a, b *thought) int { return cmp.Compare(a.task, b.task) })
	return list
}
