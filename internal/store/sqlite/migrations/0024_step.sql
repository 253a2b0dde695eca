-- Who follows the steps of a team reads them in the order in which they were stored. The
-- one writer gives each a time of its own.
CREATE INDEX step_at ON step (at, task_id, turn, n);
