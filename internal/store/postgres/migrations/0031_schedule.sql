-- How far each entry of an agent's schedule has come. What an entry asks for is in the
-- agent's file. next_at is the next due time: whoever moves it on makes the work of that
-- time in the same transaction. last_at is the last due time that work was made for, by
-- task_id, and missed counts those for which there was none, the last one because of problem.
CREATE TABLE schedule (
  team_id  BIGINT NOT NULL,
  agent_id BIGINT NOT NULL,
  entry    TEXT NOT NULL,
  timing   TEXT NOT NULL,
  next_at  BIGINT NOT NULL,
  last_at  BIGINT NOT NULL DEFAULT 0,
  task_id  BIGINT NOT NULL DEFAULT 0,
  missed   BIGINT NOT NULL DEFAULT 0,
  problem  TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (team_id, agent_id, entry)
);
-- Agents whose schedules somebody holds.
CREATE TABLE schedule_hold (
  team_id  BIGINT NOT NULL,
  agent_id BIGINT NOT NULL,
  by_id    BIGINT NOT NULL,
  at       BIGINT NOT NULL,
  PRIMARY KEY (team_id, agent_id)
);
-- Who wants to be told if a task is still open at some time.
CREATE TABLE reminder (
  task_id    BIGINT NOT NULL,
  agent_id   BIGINT NOT NULL,
  team_id    BIGINT NOT NULL,
  due_at     BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (task_id, agent_id)
);
CREATE INDEX reminder_due ON reminder (due_at);
-- Tasks without progress, of which the requester was told.
CREATE TABLE nudge (
  task_id BIGINT NOT NULL PRIMARY KEY,
  at      BIGINT NOT NULL
);
