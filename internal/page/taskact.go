package page

import (
	"strconv"
	"strings"
	"time"

	"parley"
)

// What people do about a task. Each of these is a form, which says what came of it.

func (v *visit) cancelTask() (Done, error) {
	id, err := v.taskID()
	if err != nil {
		return Done{}, err
	}
	return Done{Said: id.String() + " is cancelled, with what was open below it."}, v.Contacts.Cancel(v.ctx, v.Caller, id)
}

func (v *visit) retryTask() (Done, error) {
	id, err := v.taskID()
	if err != nil {
		return Done{}, err
	}
	made, err := v.Contacts.Retry(v.ctx, v.Caller, id)
	return Done{Go: "/tasks/" + made.ID.String(), Said: made.ID.String() + " begins " + id.String() + " anew."}, err
}

func (v *visit) resumeTask() (Done, error) {
	id, err := v.taskID()
	if err != nil {
		return Done{}, err
	}
	r, err := v.Contacts.ResumeTask(v.ctx, v.Caller, id)
	said := r.Task.ID.String() + " goes on where " + id.String() + " failed, with " + plural(r.Steps, "step", "steps") + " of it."
	if r.Steps == 0 {
		said = r.Task.ID.String() + " begins anew: nothing is stored of " + id.String() + "."
	}
	return Done{Go: "/tasks/" + r.Task.ID.String(), Said: said}, err
}

// addBudget adds to what a tree may spend.
func (v *visit) addBudget() (Done, error) {
	id, err := v.taskID()
	if err != nil {
		return Done{}, err
	}
	by, err := v.budgetOf()
	if err != nil {
		return Done{}, err
	}
	limit, err := v.Contacts.AddBudget(v.ctx, v.Caller, id, by)
	return Done{Said: "Added " + by.String() + ". The tree may spend " + limit.String() + " in all, and what waited for it goes on."}, err
}

// budgetOf reads the fields of the form.
func (v *visit) budgetOf() (b parley.Budget, err error) {
	ok := true
	field := func(name string, read func(string) bool) {
		if text := strings.TrimSpace(v.r.PostFormValue(name)); text != "" {
			ok = ok && read(text)
		}
	}
	field("money", func(s string) (good bool) { b.Money, good = parley.ParseMoney(s); return good })
	field("tokens", func(s string) (good bool) { b.Tokens, good = parley.ParseTokens(s); return good })
	field("tasks", func(s string) bool {
		b.Tasks, err = strconv.ParseInt(s, 10, 32)
		return err == nil && b.Tasks >= 0
	})
	field("minutes", func(s string) bool {
		n, failed := strconv.ParseUint(s, 10, 24)
		b.Time = time.Duration(n) * time.Minute
		return failed == nil
	})
	if !ok {
		return b, parley.Errorf(parley.Invalid, "That is no budget.").WithHint("Write dollars like 2.50, tokens like 200k, and whole numbers of tasks and minutes.")
	}
	if !b.Set() {
		return b, parley.Errorf(parley.Invalid, "There is nothing to add.").WithHint("Say how many dollars, tokens, tasks or minutes.")
	}
	return b, nil
}
