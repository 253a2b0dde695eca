package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/contact"
	"parley/internal/reading"
)

func (s *Server) registerQuestions() {
	const tag = "Questions"
	missing := []parley.Kind{parley.NotFound}
	routed := []parley.Kind{parley.NotFound, parley.Conflict, parley.Unavailable, parley.Limited}
	handle(s, operation{id: "list-questions", method: http.MethodGet, path: "/v1/questions", tag: tag, summary: "List questions",
		description: "Questions with their routes, newest first. A person sees all questions of the team, an agent those that it asked or was asked.",
		errors:      missing}, s.listQuestions)
	handle(s, operation{id: "get-question", method: http.MethodGet, path: "/v1/questions/{id}", tag: tag, summary: "Read a question",
		description: "One question: who asked whom, who forwarded it and why, and what was answered.", errors: missing}, s.getQuestion)
	handle(s, operation{id: "ask-question", method: http.MethodPost, path: "/v1/questions", tag: tag, summary: "Ask a question",
		description: "Asks one agent, or everyone whom you may contact: first up to five who probably know, and the others if none of them has answered within a minute. The response comes as soon as the question is stored; the answers come to your task, or to your inbox. " +
			"If the question needs approval, it is asked when somebody approves it.", errors: routed}, s.askQuestion)
	handle(s, operation{id: "answer-question", method: http.MethodPost, path: "/v1/questions/{id}/answer", tag: tag, summary: "Answer a question",
		description: "Answers a question that you were asked. You can answer once, and the asker gets the answer at once. With pass you say that you do not know: nothing is delivered.", errors: routed}, s.answerQuestion)
	handle(s, operation{id: "forward-question", method: http.MethodPost, path: "/v1/questions/{id}/forward", tag: tag, summary: "Forward a question",
		description: "Passes on a question that you were asked to somebody who knows better. A question can be forwarded five times at most.",
		errors:      routed}, s.forwardQuestion)
}

// QuestionPath names a question in a path.
type QuestionPath struct {
	ID string `path:"id" example:"query-12" doc:"The question."`
}

type listQuestionsInput struct {
	Page
	Open  bool   `query:"open" doc:"Only open questions."`
	Agent string `query:"agent" doc:"Only what this participant asked or was asked."`
}

func (s *Server) listQuestions(ctx context.Context, in *listQuestionsInput) (api.QuestionList, error) {
	list, err := s.cfg.Reading.Questions(ctx, caller(ctx), reading.QuestionFilter{Agent: in.Agent, Open: in.Open, Limit: in.Limit})
	out := api.QuestionList{Questions: make([]api.Question, 0, len(list))}
	for _, q := range list {
		out.Questions = append(out.Questions, s.question(ctx, q))
	}
	return out, err
}

func (s *Server) getQuestion(ctx context.Context, in *QuestionPath) (api.Question, error) {
	id, err := parley.ParseQuestionID(in.ID)
	if err != nil {
		return api.Question{}, err
	}
	q, err := s.cfg.Reading.Question(ctx, caller(ctx), id)
	if err != nil {
		return api.Question{}, err
	}
	return s.question(ctx, q), nil
}

func (s *Server) askQuestion(ctx context.Context, in *struct{ Body api.QuestionRequest }) (api.AskedQuestion, error) {
	c, r := caller(ctx), in.Body
	if r.TaskID != "" {
		// The use case checks that the task is the caller's.
		var err error
		if c.Task, err = parley.ParseTaskID(r.TaskID); err != nil {
			return api.AskedQuestion{}, err
		}
	}
	asked, err := s.cfg.Contacts.Question(ctx, c, contact.Request{Target: r.Target, Message: r.Question, Context: r.Context, Key: keyOf(ctx, r.Key)})
	if need, ok := parley.AsNeedsApproval(err); ok && need.Approval != 0 {
		held, err := s.waiting(ctx, c, need.Approval)
		return api.AskedQuestion{Target: held.Agent, Text: held.Notice, Approval: held.Approval}, err
	}
	if err != nil {
		return api.AskedQuestion{}, err
	}
	return api.AskedQuestion{ID: asked.ID.String(), Target: asked.Target, Asked: asked.To, Text: parley.QuestionSentText(asked.Target, asked.ID)}, nil
}

func (s *Server) answerQuestion(ctx context.Context, in *struct {
	QuestionPath
	Body api.AnswerRequest
}) (api.Question, error) {
	return s.routed(ctx, &in.QuestionPath, func(id parley.QuestionID) error {
		if in.Body.Pass {
			return s.cfg.Contacts.PassQuestion(ctx, caller(ctx), id)
		}
		return s.cfg.Contacts.AnswerQuestion(ctx, caller(ctx), id, in.Body.Answer, keyOf(ctx, in.Body.Key))
	})
}

func (s *Server) forwardQuestion(ctx context.Context, in *struct {
	QuestionPath
	Body api.ForwardRequest
}) (api.Question, error) {
	return s.routed(ctx, &in.QuestionPath, func(id parley.QuestionID) error {
		_, err := s.cfg.Contacts.ForwardQuestion(ctx, caller(ctx), contact.Forwarding{Question: id, Target: in.Body.Target,
			Enrichment: in.Body.Enrichment, Key: keyOf(ctx, in.Body.Key)})
		return err
	})
}

// routed returns the question as it is after the change.
func (s *Server) routed(ctx context.Context, in *QuestionPath, do func(parley.QuestionID) error) (api.Question, error) {
	id, err := parley.ParseQuestionID(in.ID)
	if err != nil {
		return api.Question{}, err
	}
	if err := do(id); err != nil {
		return api.Question{}, err
	}
	return s.getQuestion(ctx, in)
}

func (s *Server) question(ctx context.Context, q reading.Question) api.Question {
	out := api.Question{
		ID: q.ID.String(), State: q.State.String(), Asker: s.name(ctx, q.Asker), Target: s.name(ctx, q.Target), Text: q.Text, Context: q.Question.Context,
		Task: taskID(q.Task), Hops: q.Hops, Created: instant(q.CreatedAt), Expires: instant(q.ExpiresAt), Closed: moment(q.ClosedAt),
		Routes: make([]api.QuestionRoute, 0, len(q.Routes)),
	}
	for _, r := range q.Routes {
		out.Routes = append(out.Routes, api.QuestionRoute{Agent: s.name(ctx, r.Agent), By: s.name(ctx, r.By), Hop: r.Hop, Task: taskID(r.Task),
			State: r.State.String(), Enrichment: r.Enrichment, Answer: r.Said, AnswerID: messageID(r.Answer), At: instant(r.At)})
	}
	return out
}
