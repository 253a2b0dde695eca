package page

import (
	"parley"
	"parley/internal/reading"
)

// held says why a message that was accepted has not reached its recipient yet, in the
// words of the command line; empty if nothing holds it up.
func (v *visit) held(l reading.Line, d parley.Delivery) string {
	if d.State() != "accepted" {
		return ""
	}
	a, err := v.agentByID(d.Recipient)
	if err != nil || a.Kind == parley.Person { // it has left, or reads when there is time
		return ""
	}
	if a.Kind == parley.Native {
		if team, err := v.Reading.Team(v.ctx, v.Caller); err == nil && team.Paused {
			return "the team is paused"
		}
	}
	task := taskFor(l, d.Recipient)
	return heldBy(a, task, d, v.seat(a).Now, task.WaitText(parley.Micros(v.now.UnixMicro())))
}

// heldBy decides it from how the recipient and its task stand.
func heldBy(a reading.Agent, t parley.Task, d parley.Delivery, now, waits string) string {
	switch {
	case a.Status == parley.StatusOffline:
		return "it is offline"
	case a.Status == parley.StatusSleeping && a.Reason == parley.NotConnected:
		return "it is " + parley.NotConnected
	case a.Status == parley.StatusSleeping:
		return "it " + now
	case waits != "":
		return waits
	case t.ID != 0 && t.State == parley.Queued && a.Open.Running > 0:
		return "queued behind " + plural(a.Open.Running, "task", "tasks") + " that it works on"
	case d.Mail && t.ID == 0:
		return "its next turn shows it"
	}
	return ""
}

// taskFor is the task that a message has opened for a recipient; zero if none.
func taskFor(l reading.Line, recipient parley.AgentID) parley.Task {
	if l.Work.Agent == recipient && l.Work.Request == l.ID {
		return l.Work
	}
	for _, t := range l.Started {
		if t.Agent == recipient {
			return t
		}
	}
	return parley.Task{}
}

// agentByID reads a participant with its status, once for each view.
func (v *visit) agentByID(id parley.AgentID) (reading.Agent, error) {
	if a, ok := v.agents[id]; ok {
		return a, nil
	}
	a, err := v.Reading.Anyone(v.ctx, v.Caller, v.whois(id).Name)
	if err == nil {
		v.agents[id] = a
	}
	return a, err
}
