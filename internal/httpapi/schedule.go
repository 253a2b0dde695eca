package httpapi

import (
	"context"
	"net/http"
	"time"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/schedule"
)

func (s *Server) registerSchedules() {
	const tag = "Schedules"
	missing := []parley.Kind{parley.NotFound}
	handle(s, operation{id: "list-schedules", method: http.MethodGet, path: "/v1/schedules", tag: tag,
		summary:     "List schedules",
		description: "What agents are asked to do at given times, as their files say, and when each is due next. People see all; an agent sees its own.",
		errors:      missing}, s.listSchedules)
	handle(s, operation{id: "pause-schedule", method: http.MethodPost, path: "/v1/agents/{name}/schedule/pause", tag: tag,
		summary:     "Pause an agent's schedule",
		description: "Nothing is made for due times until it is resumed; they count as missed. Work that was made before goes on. Only a person may do this.",
		errors:      missing}, s.pauseSchedule)
	handle(s, operation{id: "resume-schedule", method: http.MethodPost, path: "/v1/agents/{name}/schedule/resume", tag: tag,
		summary:     "Resume an agent's schedule",
		description: "Lets a paused schedule go on. Only a person may do this.",
		errors:      missing}, s.resumeSchedule)
	handle(s, operation{id: "remind", method: http.MethodPost, path: "/v1/tasks/{id}/remind", tag: "Tasks",
		summary:     "Be reminded of a task",
		description: "You are told after some time if the task is still open: a person in the inbox, an agent by mail. A second reminder of the same task replaces the first.",
		errors:      []parley.Kind{parley.NotFound, parley.Conflict}}, s.remind)
}

// AgentPath names an agent in a path.
type AgentPath struct {
	Name string `path:"name" doc:"The agent."`
}

func (s *Server) listSchedules(ctx context.Context, in *struct {
	Agent string `query:"agent" doc:"Only of this agent."`
}) (api.ScheduleList, error) {
	return s.schedulesOf(ctx, in.Agent)
}

// schedulesOf lists the schedules of an agent, or of all if it is empty.
func (s *Server) schedulesOf(ctx context.Context, agent string) (api.ScheduleList, error) {
	list, err := s.cfg.Schedules.List(ctx, caller(ctx), agent)
	out := api.ScheduleList{Schedules: make([]api.Schedule, 0, len(list))}
	for _, l := range list {
		out.Schedules = append(out.Schedules, scheduleOf(l))
	}
	return out, err
}

func (s *Server) pauseSchedule(ctx context.Context, in *AgentPath) (api.ScheduleList, error) {
	return s.holdSchedule(ctx, in.Name, s.cfg.Schedules.Pause)
}

func (s *Server) resumeSchedule(ctx context.Context, in *AgentPath) (api.ScheduleList, error) {
	return s.holdSchedule(ctx, in.Name, s.cfg.Schedules.Resume)
}

func (s *Server) holdSchedule(ctx context.Context, agent string, do func(context.Context, access.Caller, string) error) (api.ScheduleList, error) {
	if err := do(ctx, caller(ctx), agent); err != nil {
		return api.ScheduleList{}, err
	}
	return s.schedulesOf(ctx, agent)
}

func scheduleOf(l schedule.Listed) api.Schedule {
	e, now := l.Entry, l.State
	out := api.Schedule{Agent: l.Name, Name: e.Entry, Timing: now.Timing, Zone: e.Timing.Zone().String(), Message: e.Message, Owner: l.Owner,
		Missed: "once", Paused: l.Held, Next: instant(now.Next), Last: moment(now.Last), Skipped: now.Missed, Problem: now.Problem}
	if e.Channel != "" {
		out.Channel = "#" + e.Channel
	}
	if e.Skip {
		out.Missed = "skip"
	}
	if e.Budget.Set() {
		out.Budget = encodeBudget(e.Budget)
	}
	if now.Task != 0 {
		out.TaskID = now.Task.String()
	}
	return out
}

func (s *Server) remind(ctx context.Context, in *struct {
	TaskPath
	Body api.RemindRequest
}) (api.Reminder, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Reminder{}, err
	}
	r, err := s.cfg.Contacts.Remind(ctx, caller(ctx), id, time.Duration(in.Body.After*float64(time.Second)))
	if err != nil {
		return api.Reminder{}, err
	}
	return api.Reminder{TaskID: id.String(), At: instant(r.Due)}, nil
}
