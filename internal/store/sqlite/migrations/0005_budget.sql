-- What a task tree may spend, 0 where it has no bound, and what it has spent. Money
-- is in millionths of a US dollar, times are microseconds. A tree without a budget
-- has no row.

CREATE TABLE budget (
  root_id    INTEGER PRIMARY KEY,
  team_id    INTEGER NOT NULL,
  max_tokens INTEGER NOT NULL,
  max_money  INTEGER NOT NULL,
  max_tasks  INTEGER NOT NULL,
  max_time   INTEGER NOT NULL,
  input      INTEGER NOT NULL DEFAULT 0,
  output     INTEGER NOT NULL DEFAULT 0,
  money      INTEGER NOT NULL DEFAULT 0,
  active     INTEGER NOT NULL DEFAULT 0,
  tasks      INTEGER NOT NULL DEFAULT 0,
  told       INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What a team with a cap has spent on a day of UTC, counted from 1970, and what was
-- added to the cap on that day.
CREATE TABLE day (
  team_id      INTEGER NOT NULL,
  day          INTEGER NOT NULL,
  extra_tokens INTEGER NOT NULL DEFAULT 0,
  extra_money  INTEGER NOT NULL DEFAULT 0,
  input        INTEGER NOT NULL DEFAULT 0,
  output       INTEGER NOT NULL DEFAULT 0,
  money        INTEGER NOT NULL DEFAULT 0,
  active       INTEGER NOT NULL DEFAULT 0,
  told         INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, day)
) STRICT;

-- What a model call under way may spend at most. It counts while its task runs with
-- the same token.
CREATE TABLE reservation (
  task_id INTEGER PRIMARY KEY,
  root_id INTEGER NOT NULL,
  team_id INTEGER NOT NULL,
  token   INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  tokens  INTEGER NOT NULL,
  money   INTEGER NOT NULL
) STRICT;
CREATE INDEX reservation_root ON reservation (root_id);
CREATE INDEX reservation_team ON reservation (team_id);

-- What each step has spent.
ALTER TABLE step ADD COLUMN input INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN output INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN money INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN active INTEGER NOT NULL DEFAULT 0;

-- The root whose budget a task draws on, 0 for none; and which budget it waits for:
-- 0 none, 1 its tree's, 2 the team's of the day.
ALTER TABLE task ADD COLUMN budget_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
CREATE INDEX task_waits ON task (waits, budget_id) WHERE waits > 0;

ALTER TABLE team ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
