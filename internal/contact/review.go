package contact

import (
	"context"
	"parley/internal/access"

	"parley"
)

// reviewer is the role that is asked for a review if nobody is named.
const reviewer = "reviewer"

// reviewForm tells the reviewer how to answer.
const reviewForm = "\n\nBegin your answer with PASS: or FAIL:, and name each finding with its place as file:line."

// Review asks somebody, or the least loaded reviewer, to look at something, and
// returns at once. The review is mail for the caller.
func (s *Service) Review(ctx context.Context, c access.Caller, r Request) (Contact, error) {
	r, err := s.review(ctx, c, r)
	if err != nil {
		return Contact{}, err
	}
	return s.Send(ctx, c, r)
}

// AwaitReview asks for a review and takes it as the result of the same tool call,
// as AskPerson does: until it is there it returns parley.Awaits.
func (s *Service) AwaitReview(ctx context.Context, c access.Caller, r Request) (Response, error) {
	if c.Token == 0 {
		return Response{}, parley.Errorf(parley.Invalid, "Only the turn of an agent that the hub runs can wait for a review.").
			WithHint("Ask for it without waiting.")
	}
	r, err := s.review(ctx, c, r)
	if err != nil {
		return Response{}, err
	}
	return s.await(ctx, c, r)
}

// review fills in who reviews, and in which form.
func (s *Service) review(ctx context.Context, c access.Caller, r Request) (Request, error) {
	r.title, r.Message = titleOf(r.Message), r.Message+reviewForm
	if r.Target != "" {
		return r, nil
	}
	var err error
	r.Target, err = s.pickByRole(ctx, c, reviewer, r.Key)
	return r, err
}
