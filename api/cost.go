package api

import "time"

// Cost is what a team has spent, in all and under each heading.
type Cost struct {
	By    string     `json:"by" enum:"agent,model,task,day" doc:"What it is added up by."`
	Since *time.Time `json:"since,omitempty" doc:"Only what was spent from then on; missing for all."`
	Zone  string     `json:"zone,omitempty" doc:"By day: the time zone in which days begin."`
	Total CostLine   `json:"total" doc:"All headings together, also those that are left out."`
	Lines []CostLine `json:"lines" doc:"The most expensive first; by day the oldest first."`
	// LeftOut is about the limit of the request.
	LeftOut int `json:"left_out,omitempty" doc:"Headings beyond the limit."`
}

// CostLine is what was spent under one heading.
type CostLine struct {
	Key       string  `json:"key,omitempty" doc:"The agent, the model (empty if it is not known), the top task of a tree, or the day, such as 2026-11-16."`
	Title     string  `json:"title,omitempty" doc:"Of a task."`
	Calls     int64   `json:"calls" doc:"Replies of models."`
	Input     int64   `json:"input_tokens" doc:"Tokens that models read."`
	Cached    int64   `json:"cached_tokens,omitempty" doc:"Those of them that came from a provider's cache."`
	Output    int64   `json:"output_tokens" doc:"Tokens that models wrote."`
	Money     float64 `json:"money" doc:"US dollars; models whose price is not known count as free."`
	Active    float64 `json:"active_seconds" doc:"How long turns have run."`
	Estimated bool    `json:"estimated,omitempty" doc:"Partly a guess, because replies never came or broke off."`
}

// StepEstimate is what the first step of an agent may cost.
type StepEstimate struct {
	Agent    string    `json:"agent" doc:"The agent, in the spelling of its file."`
	Estimate *Estimate `json:"estimate,omitempty" doc:"Missing if its model has no price, or the hub does not run it."`
}

// Estimate is what the first step of a new tree may cost.
type Estimate struct {
	Model  string  `json:"model" doc:"The model that is asked."`
	Input  int64   `json:"input_tokens" doc:"Tokens that it reads at most: its instructions, its tools and the message. What was said before comes on top."`
	Output int64   `json:"output_tokens" doc:"Tokens that a usual reply has at most."`
	Money  float64 `json:"money" doc:"US dollars."`
}
