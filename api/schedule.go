package api

import "time"

// ScheduleList says what agents are asked to do at given times.
type ScheduleList struct {
	Schedules []Schedule `json:"schedules" nullable:"false" doc:"The next one first."`
}

// Schedule is one entry of an agent's schedule.
type Schedule struct {
	Agent   string     `json:"agent" doc:"Who is asked."`
	Name    string     `json:"name" doc:"The entry's name, unique for the agent."`
	Timing  string     `json:"timing" doc:"When it is due: a cron expression with its time zone, or every so often."`
	Zone    string     `json:"zone" doc:"The time zone in which times of day are meant."`
	Message string     `json:"message" doc:"What the agent is asked to do."`
	Channel string     `json:"channel,omitempty" doc:"Where it is asked and answered; missing for the conversation with the owner."`
	Owner   string     `json:"owner" doc:"The person in whose name it is asked."`
	Budget  *Budget    `json:"budget,omitempty" doc:"What each run may spend; missing if the entry says nothing."`
	Missed  string     `json:"missed" enum:"once,skip" doc:"What happens to due times that nobody was there for: the last is made up for once, or all are left out."`
	Paused  bool       `json:"paused" doc:"Nothing is made: somebody has paused the agent's schedule, or the team."`
	Next    time.Time  `json:"next" doc:"The next due time."`
	Last    *time.Time `json:"last,omitempty" doc:"The last due time that work was made for."`
	TaskID  string     `json:"task_id,omitempty" doc:"That work."`
	Skipped int        `json:"missed_count,omitempty" doc:"How many due times no work was made for."`
	Problem string     `json:"problem,omitempty" doc:"Why none was made for the last one; missing if it was."`
}

// RemindRequest asks to be told of a task that is still open later.
type RemindRequest struct {
	After float64 `json:"after_seconds" minimum:"1" maximum:"31622400" doc:"After how many seconds."`
}

// Reminder says when somebody is told that a task is still open.
type Reminder struct {
	TaskID string    `json:"task_id" doc:"The task."`
	At     time.Time `json:"at" doc:"When; nobody is told if the task has ended by then."`
}
