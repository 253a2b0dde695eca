package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// Questions lists questions, newest first. With an agent it lists only those
// that concern it. A limit of 0 is the hub's default.
func (c *Client) Questions(ctx context.Context, agent string, open bool, limit int) ([]api.Question, error) {
	query := url.Values{}
	if agent != "" {
		query.Set("agent", agent)
	}
	if open {
		query.Set("open", "true")
	}
	setLimit(query, limit)
	var out api.QuestionList
	err := c.get(ctx, "/v1/questions", query, &out)
	return out.Questions, err
}

// Question reads one question.
func (c *Client) Question(ctx context.Context, id string) (api.Question, error) {
	var out api.Question
	err := c.get(ctx, questionPath(id, ""), nil, &out)
	return out, err
}

// AskQuestion asks one agent, or everyone.
func (c *Client) AskQuestion(ctx context.Context, r api.QuestionRequest) (api.AskedQuestion, error) {
	var out api.AskedQuestion
	err := c.send(ctx, http.MethodPost, "/v1/questions", r, &out)
	return out, err
}

// AnswerQuestion answers a question that you were asked.
func (c *Client) AnswerQuestion(ctx context.Context, id string, r api.AnswerRequest) (api.Question, error) {
	var out api.Question
	err := c.send(ctx, http.MethodPost, questionPath(id, "/answer"), r, &out)
	return out, err
}

// ForwardQuestion passes on a question that you were asked.
func (c *Client) ForwardQuestion(ctx context.Context, id string, r api.ForwardRequest) (api.Question, error) {
	var out api.Question
	err := c.send(ctx, http.MethodPost, questionPath(id, "/forward"), r, &out)
	return out, err
}

func questionPath(id, rest string) string { return "/v1/questions/" + url.PathEscape(id) + rest }
