-- What a task tree may spend, 0 where it has no bound, and what it has spent. Money
-- is in millionths of a US dollar, times are microseconds. A tree without a budget
-- has no row.

CREATE TABLE budget (
  root_id    BIGINT PRIMARY KEY,
  team_id    BIGINT NOT NULL,
  max_tokens BIGINT NOT NULL,
  max_money  BIGINT NOT NULL,
  max_tasks  BIGINT NOT NULL,
  max_time   BIGINT NOT NULL,
  input      BIGINT NOT NULL DEFAULT 0,
  output     BIGINT NOT NULL DEFAULT 0,
  money      BIGINT NOT NULL DEFAULT 0,
  active     BIGINT NOT NULL DEFAULT 0,
  tasks      BIGINT NOT NULL DEFAULT 0,
  told       BIGINT NOT NULL DEFAULT 0
);

-- What a team with a cap has spent on a day of UTC, counted from 1970, and what was
-- added to the cap on that day.
CREATE TABLE day (
  team_id      BIGINT NOT NULL,
  day          BIGINT NOT NULL,
  extra_tokens BIGINT NOT NULL DEFAULT 0,
  extra_money  BIGINT NOT NULL DEFAULT 0,
  input        BIGINT NOT NULL DEFAULT 0,
  output       BIGINT NOT NULL DEFAULT 0,
  money        BIGINT NOT NULL DEFAULT 0,
  active       BIGINT NOT NULL DEFAULT 0,
  told         BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, day)
);

-- What a model call under way may spend at most. It counts while its task runs with
-- the same token.
CREATE TABLE reservation (
  task_id BIGINT PRIMARY KEY,
  root_id BIGINT NOT NULL,
  team_id BIGINT NOT NULL,
  token   BIGINT NOT NULL,
  turn    BIGINT NOT NULL,
  n       BIGINT NOT NULL,
  tokens  BIGINT NOT NULL,
  money   BIGINT NOT NULL
);
CREATE INDEX reservation_root ON reservation (root_id);
CREATE INDEX reservation_team ON reservation (team_id);

-- What each step has spent.
ALTER TABLE step ADD COLUMN input BIGINT NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN output BIGINT NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN money BIGINT NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN active BIGINT NOT NULL DEFAULT 0;

-- The root whose budget a task draws on, 0 for none; and which budget it waits for:
-- 0 none, 1 its tree's, 2 the team's of the day.
ALTER TABLE task ADD COLUMN budget_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN waits BIGINT NOT NULL DEFAULT 0;
CREATE INDEX task_waits ON task (waits, budget_id) WHERE waits > 0;

ALTER TABLE team ADD COLUMN paused BIGINT NOT NULL DEFAULT 0;
