package turn

import (
	"parley"
	"parley/internal/model"
)

// FirstStep estimates what an agent's first step on a message costs at most, apart from
// what was said before; false if its model has no price.
func FirstStep(a Agent, message string) (parley.FirstStep, bool) {
	if a.Model == nil {
		return parley.FirstStep{}, false
	}
	t := transcript{}
	r := model.Request{Agent: a.Name, Tools: specs(a.Tools), Messages: []model.Message{{Role: model.User, Text: message}}}
	r.System, r.Marks = t.system(a)
	q := model.QuoteOf(a.Model, r)
	output := q.MaxOutput
	if !q.Firm && (output == 0 || output > usualOutput) {
		output = usualOutput
	}
	first := parley.FirstStep{Model: a.ModelName, Input: q.Input, Output: output, Money: parley.Money(q.Cost(output))}
	return first, first.Money > 0
}
