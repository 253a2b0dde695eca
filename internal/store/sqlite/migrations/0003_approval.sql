-- Calls of turns that wait for a decision, or did. state: 1 pending, 2 approved,
-- 3 denied, 4 expired, 5 withdrawn.

CREATE TABLE approval (
  id         INTEGER PRIMARY KEY,
  team_id    INTEGER NOT NULL,
  task_id    INTEGER NOT NULL,
  turn       INTEGER NOT NULL,
  call       TEXT NOT NULL,
  agent_id   INTEGER NOT NULL,
  tool       TEXT NOT NULL,
  args       TEXT NOT NULL,
  digest     TEXT NOT NULL,
  target_id  INTEGER NOT NULL,
  rule       TEXT NOT NULL,
  reason     TEXT NOT NULL,
  state      INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER NOT NULL DEFAULT 0,
  decided_by INTEGER NOT NULL DEFAULT 0,
  comment    TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX approval_key ON approval (task_id, turn, call);
CREATE INDEX approval_pending ON approval (team_id, id) WHERE state = 1;
CREATE INDEX approval_expiry ON approval (expires_at) WHERE state = 1;

-- How many of a task's approvals are pending.
ALTER TABLE task ADD COLUMN approvals INTEGER NOT NULL DEFAULT 0;
