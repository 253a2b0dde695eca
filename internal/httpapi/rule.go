package httpapi

import (
	"context"
	"net/http"
	"strings"

	"parley"
	"parley/api"
	"parley/internal/reading"
)

func (s *Server) registerRules() {
	handle(s, operation{id: "explain", method: http.MethodGet, path: "/v1/explain", tag: "Rules",
		summary: "Explain what the rules say",
		description: "What the rules would decide about an action, with every rule that was looked at. Nothing is done and nothing is recorded. " +
			"People may ask about anyone in their team, an agent only about itself.",
		errors: []parley.Kind{parley.NotFound, parley.Conflict}}, s.explain)
}

func (s *Server) explain(ctx context.Context, in *struct {
	From   string `query:"from" doc:"Who would act; you if left out." maxLength:"64"`
	To     string `query:"to" doc:"Who would be contacted; left out for an action that contacts nobody." maxLength:"64"`
	Action string `query:"action" required:"true" minLength:"1" example:"ask" doc:"ask, delegate or notify, or an action like tool:agent_comm:list." maxLength:"4096"`
}) (api.Explanation, error) {
	e, err := s.cfg.Reading.Explain(ctx, caller(ctx), in.From, in.To, in.Action)
	return explanation(e), err
}

func explanation(e reading.Explanation) api.Explanation {
	out := api.Explanation{From: e.From, To: e.To, Action: e.Action, Verdict: spell(e.Verdict.String()), Rule: e.Rule.String(),
		Reason: e.Reason(), Path: make([]api.RuleStep, 0, len(e.Path))}
	deciding := e.Deciding()
	for i, step := range e.Path {
		out.Path = append(out.Path, api.RuleStep{Rule: step.Rule.String(), Verdict: spell(step.Verdict), Why: step.Why, Decides: i == deciding})
	}
	return out
}

// spell writes a verdict as one word.
func spell(verdict string) string { return strings.ReplaceAll(verdict, " ", "_") }
