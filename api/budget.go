package api

// Budget bounds what may be spent. A bound that is left out, or 0, does not apply.
type Budget struct {
	Tokens  int64   `json:"tokens,omitempty" minimum:"0" maximum:"1000000000000000" doc:"Input and output together."`
	Money   float64 `json:"money,omitempty" minimum:"0" maximum:"1000000000" doc:"US dollars."`
	Tasks   int64   `json:"tasks,omitempty" minimum:"0" maximum:"1000000000" doc:"In the whole tree, including its root."`
	Seconds float64 `json:"seconds,omitempty" minimum:"0" maximum:"3153600000" doc:"How long turns may run; waiting does not count."`
}

// Spending is what a task tree has spent, or a team today.
type Spending struct {
	Root    string  `json:"root,omitempty" doc:"The top of the tree; missing for a team."`
	Budget  *Budget `json:"budget,omitempty" doc:"What it may spend; missing if nothing bounds it."`
	Input   int64   `json:"input_tokens" doc:"Tokens that models read."`
	Output  int64   `json:"output_tokens" doc:"Tokens that models wrote."`
	Money   float64 `json:"money" doc:"US dollars; models whose price is not known count as free."`
	Tasks   int64   `json:"tasks,omitempty" doc:"Tasks of the tree."`
	Active  float64 `json:"active_seconds" doc:"How long turns have run."`
	Usage   string  `json:"usage,omitempty" doc:"How much of each bound is spent, in words."`
	Waiting int     `json:"waiting,omitempty" doc:"Tasks that wait for the budget."`
}

// RaiseRequest adds to a budget.
type RaiseRequest struct {
	Add Budget `json:"add" doc:"How much more may be spent."`
}

// BudgetRequest adds to the budget of a task tree, or sets it.
type BudgetRequest struct {
	Add *Budget `json:"add,omitempty" doc:"How much more may be spent; only for bounds that the tree has."`
	Set *Budget `json:"set,omitempty" doc:"What may be spent in all, including what was spent before. Replaces these bounds of the tree, or gives it them if it has none."`
}

// Team is a team.
type Team struct {
	Name   string `json:"name" doc:"The team's name."`
	Paused bool   `json:"paused" doc:"No turn begins or goes on."`
}
