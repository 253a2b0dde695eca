package crash

import "parley"

// question is a question with those whom it reached.
type question struct {
	id, task int64
	state    parley.QuestionState
	all      bool // it was asked of everyone
	more     bool // others have still to be asked
	routes   []route
	asked    int // how often it is on record that it was asked
	answers  []message
}

type route struct {
	agent, task, answer int64
	state               parley.RouteState
}

func (r *record) readQuestions(db database) error {
	r.questions = map[int64]*question{}
	err := db.each("SELECT id, task_id, state, target_id, expires_at - next_at FROM question", func(c cells) {
		r.questions[c.Int(0)] = &question{id: c.Int(0), task: c.Int(1), state: parley.QuestionState(c.Int(2)), all: c.Int(3) == 0, more: c.Int(4) > 0}
	})
	if err != nil {
		return err
	}
	err = db.each("SELECT question_id, task_id, answer_id, state, agent_id FROM question_route ORDER BY question_id, n", func(c cells) {
		q := r.questions[c.Int(0)]
		q.routes = append(q.routes, route{agent: c.Int(4), task: c.Int(1), answer: c.Int(2), state: parley.RouteState(c.Int(3))})
	})
	if err != nil {
		return err
	}
	err = db.each("SELECT id, question_id FROM message WHERE kind = 'answer'", func(c cells) {
		if q := r.questions[c.Int(1)]; q != nil {
			q.answers = append(q.answers, r.messages[c.Int(0)])
		}
	})
	if err != nil {
		return err
	}
	return db.each("SELECT detail FROM event WHERE kind = 'question.asked'", func(c cells) {
		if id, err := parley.ParseQuestionID(c.Text(0)); err == nil && r.questions[int64(id)] != nil {
			r.questions[int64(id)].asked++
		}
	})
}

// checkQuestions: each question was asked once, and nobody twice; as many answers as
// were given are there, each in one place; and no question is open that nobody can
// answer any more.
func (c *check) checkQuestions() {
	for _, q := range c.questions {
		if q.asked != 1 {
			c.wrong("query-%d was asked %d times according to the record", q.id, q.asked)
		}
		answered, waiting := 0, 0
		reached := map[int64]bool{}
		for _, r := range q.routes {
			if reached[r.agent] {
				c.wrong("query-%d was asked of the agent %d twice", q.id, r.agent)
			}
			reached[r.agent] = true
			switch r.state {
			case parley.RouteAnswered:
				answered++
			case parley.RouteAsked:
				waiting++
				if t := c.tasks[r.task]; t == nil || !t.state.Open() && q.state == parley.QuestionOpen {
					c.wrong("query-%d waits for task-%d, which has ended", q.id, r.task)
				}
			}
		}
		if len(q.answers) != answered || answered > 1 && !q.all {
			c.wrong("query-%d was answered %d times, and %d answers were delivered", q.id, answered, len(q.answers))
		}
		closedRight := q.state == parley.QuestionOpen || (q.state == parley.QuestionAnswered) == (answered > 0)
		openRight := q.state != parley.QuestionOpen || (waiting > 0 || q.more) && (q.all || answered == 0)
		if !closedRight || !openRight {
			c.wrong("query-%d is %s with %d answers and %d who have still to answer", q.id, q.state, answered, waiting)
		}
		for _, m := range q.answers {
			if n := c.arrivals(m); n != 1 {
				c.wrong("the answer %d to query-%d came %d times", m.id, q.id, n)
			}
		}
	}
}

// arrivals counts the places where a message reached its asker: an inbox, or a task
// of its own.
func (c *check) arrivals(m message) (n int) {
	for _, items := range c.inbox {
		for _, item := range items {
			if item.message == m.id {
				n++
			}
		}
	}
	for _, t := range c.tasks {
		if t.request == m.id {
			n++
		}
	}
	return n
}
