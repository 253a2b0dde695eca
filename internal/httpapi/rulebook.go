package httpapi

import (
	"context"
	"net/http"
	"slices"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/rulebook"
)

func (s *Server) registerRulebook() {
	const tag, path = "Rules", "/v1/agents/{name}/rules/{key}"
	const people = " Only people may do this."
	missing := []parley.Kind{parley.NotFound}
	changing := []parley.Kind{parley.NotFound, parley.Conflict}
	handle(s, operation{id: "get-rules", method: http.MethodGet, path: "/v1/agents/{name}/rules", tag: tag,
		summary:     "Read an agent's rules",
		description: "The rules in force, each with its place in the files. People read the rules of anyone in their team, an agent only its own.", errors: missing}, s.getRules)
	handle(s, operation{id: "set-rule", method: http.MethodPut, path: path, tag: tag,
		summary: "Set a rule",
		description: "Writes the rule into the agent's file. It applies to every decision from then on. " +
			"The whole team is checked first; if the change would make a mistake, nothing is written." + people, errors: changing}, s.setRule)
	handle(s, operation{id: "add-rule", method: http.MethodPost, path: path, tag: tag,
		summary:     "Add to a rule",
		description: "Adds to contacts, can_invoke or the profile's patterns, as set-rule does. A contact rule replaces the one for the same name." + people, errors: changing}, s.addRule)
	handle(s, operation{id: "unset-rule", method: http.MethodDelete, path: path, tag: tag,
		summary:     "Remove a rule",
		description: "Removes the rule, or the given values of it, from the agent's file. Without the rule its default applies." + people, errors: changing}, s.unsetRule)
	handle(s, operation{id: "reload", method: http.MethodPost, path: "/v1/reload", tag: tag,
		summary: "Reload the team's files",
		description: "Reads the team's files now, instead of at the hub's next look, and says what has changed. " +
			"An agent whose file has a mistake stays as it was." + people, errors: changing}, s.reload)
}

// RulePath names a rule in a path.
type RulePath struct {
	Name string `path:"name" maxLength:"64" doc:"The agent."`
	Key  string `path:"key" maxLength:"40" example:"contacts" doc:"manager, can_invoke, contacts, mode, profile or behavior."`
}

type ruleInput struct {
	RulePath
	Body api.RuleRequest
}

// rules returns the use case for the caller's team, or an error if it has no files.
func (s *Server) rules(ctx context.Context) (*rulebook.Service, error) {
	if s.cfg.Rules != nil {
		if rules := s.cfg.Rules(caller(ctx).Team); rules != nil {
			return rules, nil
		}
	}
	return nil, parley.Errorf(parley.NotFound, "This hub has no files of your team.")
}

func (s *Server) getRules(ctx context.Context, in *struct {
	Name string `path:"name" maxLength:"64" doc:"The agent."`
}) (api.AgentRules, error) {
	rules, err := s.rules(ctx)
	if err != nil {
		return api.AgentRules{}, err
	}
	r, err := rules.Show(caller(ctx), in.Name)
	return agentRules(r), err
}

func (s *Server) setRule(ctx context.Context, in *ruleInput) (api.AgentRules, error) {
	return s.changeRule(ctx, in.RulePath, in.Body.Values, (*rulebook.Service).Set)
}

func (s *Server) addRule(ctx context.Context, in *ruleInput) (api.AgentRules, error) {
	return s.changeRule(ctx, in.RulePath, in.Body.Values, (*rulebook.Service).Add)
}

func (s *Server) unsetRule(ctx context.Context, in *struct {
	RulePath
	Values []string `query:"value,explode" doc:"Only these values of a list."`
}) (api.AgentRules, error) {
	return s.changeRule(ctx, in.RulePath, in.Values, func(r *rulebook.Service, ctx context.Context, c access.Caller, name, key string, values []string) (rulebook.Rules, error) {
		if len(values) == 0 {
			return r.Unset(ctx, c, name, key)
		}
		return r.Remove(ctx, c, name, key, values)
	})
}

type ruleChange func(r *rulebook.Service, ctx context.Context, c access.Caller, name, key string, values []string) (rulebook.Rules, error)

func (s *Server) changeRule(ctx context.Context, p RulePath, values []string, change ruleChange) (api.AgentRules, error) {
	rules, err := s.rules(ctx)
	if err != nil {
		return api.AgentRules{}, err
	}
	r, err := change(rules, ctx, caller(ctx), p.Name, p.Key, values)
	return agentRules(r), wellFormed(err) // the team's files would not be
}

func agentRules(r rulebook.Rules) api.AgentRules {
	out := api.AgentRules{Agent: r.Agent, File: r.File, Mistake: r.Mistake, Warnings: r.Warnings, Rules: make([]api.AgentRule, 0, len(r.Rules))}
	for _, rule := range r.Rules {
		out.Rules = append(out.Rules, api.AgentRule{Key: rule.Key, Values: orNone(rule.Words), Line: rule.Line})
	}
	return out
}

// orNone makes JSON write an empty list instead of null.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (s *Server) reload(ctx context.Context, _ *struct{}) (api.Reload, error) {
	rules, err := s.rules(ctx)
	if err != nil {
		return api.Reload{}, err
	}
	c, err := rules.Reload(ctx, caller(ctx))
	out := api.Reload{Joined: orNone(c.Joined), Removed: orNone(c.Removed), Problems: orNone(slices.Clone(c.Problems)), Restart: orNone(c.Restart), Models: c.Models,
		Changed: []api.AgentChange{}, Kept: []api.KeptAgent{}, Channels: []api.ChannelChange{}}
	for _, a := range c.Changed {
		out.Changed = append(out.Changed, api.AgentChange(a))
	}
	for _, ch := range c.Channels {
		out.Channels = append(out.Channels, api.ChannelChange(ch))
	}
	for _, k := range c.Kept {
		out.Kept = append(out.Kept, api.KeptAgent(k))
	}
	return out, err
}
