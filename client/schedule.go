package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"parley/api"
)

// Schedules lists what agents are asked to do at given times, or one of them if it is named.
func (c *Client) Schedules(ctx context.Context, agent string) ([]api.Schedule, error) {
	query := url.Values{}
	if agent != "" {
		query.Set("agent", agent)
	}
	var out api.ScheduleList
	err := c.get(ctx, "/v1/schedules", query, &out)
	return out.Schedules, err
}

// PauseSchedule holds the schedule of an agent.
func (c *Client) PauseSchedule(ctx context.Context, agent string) ([]api.Schedule, error) {
	return c.holdSchedule(ctx, agent, "pause")
}

// ResumeSchedule lets the schedule of an agent go on.
func (c *Client) ResumeSchedule(ctx context.Context, agent string) ([]api.Schedule, error) {
	return c.holdSchedule(ctx, agent, "resume")
}

func (c *Client) holdSchedule(ctx context.Context, agent, how string) ([]api.Schedule, error) {
	var out api.ScheduleList
	err := c.send(ctx, http.MethodPost, "/v1/agents/"+url.PathEscape(agent)+"/schedule/"+how, nil, &out)
	return out.Schedules, err
}

// Remind has you told if a task is still open after some time.
func (c *Client) Remind(ctx context.Context, task string, after time.Duration) (api.Reminder, error) {
	var out api.Reminder
	err := c.send(ctx, http.MethodPost, taskPath(task, "/remind"), api.RemindRequest{After: after.Seconds()}, &out)
	return out, err
}
