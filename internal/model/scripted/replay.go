package scripted

import (
	"fmt"

	"parley"
	"parley/internal/model"
)

// scene is one input with the rule that applies to it, and how far that rule
// has been followed.
type scene struct {
	req     *model.Request
	at      int // where the input is in the conversation; -1 for none
	input   string
	rule    *rule
	groups  []int // what the rule's pattern captured, as indexes into input
	results []string
	next    int // the step to look at next
}

// replay follows the conversation from the input that began the present turn,
// taking one step for each assistant message, and returns the step that is
// due now with the scene that it belongs to. A nil step means that the steps
// have run out.
//
// Callbacks may arrive at any moment and several at once. So that the timing
// does not decide what is done, they queue: each one's rule is followed after
// the steps of the inputs before it. Only a step that says something and calls
// nothing is passed over while another input is waiting, because it would end
// the turn. Any other input begins afresh.
func (s *Script) replay(req *model.Request) (*scene, *step) {
	messages, rules := req.Messages, s.rulesFor(req.Agent)
	start := turnStart(messages)
	q := queue{scenes: []*scene{s.meet(rules, req, start)}}
	for i := start + 1; i < len(messages); i++ {
		m := &messages[i]
		switch {
		case isInput(m):
			q.scenes = append(q.scenes, s.meet(rules, req, i))
		case m.Role == model.Assistant:
			q.take()
		case m.Role == model.ToolResult:
			sc := q.scenes[q.now]
			sc.results = append(sc.results, m.Text)
		}
	}
	return q.due()
}

func (s *Script) rulesFor(agent string) []*rule {
	if rules, ok := s.agents[parley.FoldName(agent)]; ok {
		return rules
	}
	return s.agents[anyAgent]
}

// turnStart walks back from the newest input over callbacks to the input at
// which the present turn began: one that is not a callback, or the first after
// a reply that ended a turn. It is -1 if there is no input at all.
func turnStart(messages []model.Message) int {
	at := newestInput(messages)
	for at >= 0 && isCallback(messages[at].Text) {
		before := previousInput(messages, at)
		if before < 0 || endsTurn(messages[before+1:at]) {
			break
		}
		at = before
	}
	return at
}

func endsTurn(messages []model.Message) bool {
	for i := range messages {
		if messages[i].Role == model.Assistant && len(messages[i].Calls) == 0 {
			return true
		}
	}
	return false
}

// meet finds the rule for the input at position at.
func (s *Script) meet(rules []*rule, req *model.Request, at int) *scene {
	sc := &scene{req: req, at: at}
	if at >= 0 {
		sc.input = req.Messages[at].Text
	}
	for _, r := range rules {
		if groups, ok := r.meets(sc); ok {
			sc.rule, sc.groups = r, groups
			return sc
		}
	}
	// Said and not failed, so that a script can be written one rule at a time.
	sc.rule = &rule{steps: []step{{say: text{fixed: fmt.Sprintf(
		"The script has no rule for %s that matches: %s", req.Agent, parley.Clip(sc.input, 100))}}}}
	return sc
}

func (r *rule) meets(sc *scene) ([]int, bool) {
	if r.match == nil {
		return nil, true
	}
	groups := r.match.FindStringSubmatchIndex(sc.input)
	return groups, groups != nil && (r.seen < 2 || r.count(sc) >= r.seen)
}

// count is how many inputs have matched so far, including this one. Callbacks
// count within their job, so that the results of an earlier job do not count.
func (r *rule) count(sc *scene) int {
	from := 0
	if isCallback(sc.input) {
		from = max(0, jobStart(sc.req.Messages, sc.at))
	}
	n := 0
	for i := from; i <= sc.at; i++ {
		if m := &sc.req.Messages[i]; isInput(m) && r.match.MatchString(m.Text) {
			n++
		}
	}
	return n
}

// queue holds the inputs of a turn in the order of their arrival.
type queue struct {
	scenes []*scene
	now    int // the scene whose steps are being taken
}

// due finds the next step that applies. A nil step means that the steps have
// run out.
func (q *queue) due() (*scene, *step) {
	for {
		sc, last := q.scenes[q.now], q.now == len(q.scenes)-1
		for ; sc.next < len(sc.rule.steps); sc.next++ {
			st := &sc.rule.steps[sc.next]
			if sc.applies(st) && (last || !st.onlySays()) {
				return sc, st
			}
		}
		if last {
			return sc, nil
		}
		q.now++
	}
}

// take takes the step that a recorded assistant message stands for.
func (q *queue) take() {
	if sc, st := q.due(); st != nil {
		sc.next++
	}
}

func (sc *scene) applies(st *step) bool {
	if st.when == nil {
		return true
	}
	n := len(sc.results)
	return n > 0 && st.when.MatchString(sc.results[n-1])
}
