package budget

import "parley"

// Grant is what a budget gives a model call.
type Grant struct {
	Verdict Verdict
	// Output is how long the reply may be, in tokens; 0 is as long as the model likes.
	Output int64
	// Want is what the call may spend, which its caller reserves if it fits.
	Want Want
}

// Allot decides whether a model call may be made, and how long its reply may be.
func (a *Account) Allot(task parley.TaskID, c Call) (Grant, error) {
	tree, day, err := a.used(task)
	if err != nil {
		return Grant{}, err
	}
	var today parley.Budget
	if a.day.Team != 0 {
		today = a.today()
	}
	v, output := allot(a.tree.Limit, today, tree, day, c)
	most := c.want(c.promising())
	switch v {
	case TreeSpent:
		a.told, a.more = Usage(a.tree.Limit, tree.spent, tree.tasks)+upTo(a.tree.Limit, tree, most), lacks(a.tree.Limit, tree, most)
	case DaySpent:
		a.told = Usage(today, day.spent, day.tasks) + upTo(today, day, most)
	}
	g := Grant{Verdict: v, Output: output, Want: most}
	if output > 0 {
		g.Want = c.want(output)
	}
	return g, nil
}

// used reads what counts against the tree and the day, apart from what the task
// itself has reserved.
func (a *Account) used(task parley.TaskID) (tree, day used, err error) {
	tree, day = used{spent: a.tree.Spent, tasks: a.tree.Tasks}, used{spent: a.day.Spent}
	if a.tree.Root != 0 {
		if tree.reserved, err = a.tx.Reserved(a.tree.Root, task); err != nil {
			return tree, day, err
		}
	}
	if a.day.Team != 0 {
		day.reserved, err = a.tx.ReservedToday(a.day.Team, task)
	}
	return tree, day, err
}

// lacks is what has to be added to a budget for something that it does not pay for.
func lacks(limit parley.Budget, u used, w Want) (more parley.Budget) {
	if limit.Tokens > 0 {
		more.Tokens = max(u.spent.Tokens()+w.Tokens-limit.Tokens, 0)
	}
	if limit.Money > 0 && w.Money > 0 {
		more.Money = max(u.spent.Money+w.Money-limit.Money, 0)
	}
	if limit.Tasks > 0 && w.Tasks > 0 {
		more.Tasks = max(u.tasks+w.Tasks-limit.Tasks, 0)
	}
	if limit.Time > 0 && w.call() && u.spent.Active >= limit.Time {
		more.Time = u.spent.Active - limit.Time + 1
	}
	return more
}
