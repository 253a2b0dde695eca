-- Which provider a task waits for, or has waited for last, and since when; 0 since it
-- has answered.
ALTER TABLE task ADD COLUMN provider TEXT NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN provider_since INTEGER NOT NULL DEFAULT 0;

-- The tasks that wait for a time, to find those whose time has come.
CREATE INDEX task_wait_due ON task (due_at) WHERE state = 3 AND due_at > 0;
