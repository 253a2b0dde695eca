-- Which model a step has asked, how much of its input came from the provider's cache,
-- and whether what it spent is partly a guess.
ALTER TABLE step ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE step ADD COLUMN cached BIGINT NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN estimated BIGINT NOT NULL DEFAULT 0;

-- What steps have spent that were removed since: the sums of each task, model and
-- quarter of an hour. Days begin at a quarter in every time zone.
CREATE TABLE spent (
  task_id   BIGINT NOT NULL,
  at        BIGINT NOT NULL,
  model     TEXT NOT NULL,
  team_id   BIGINT NOT NULL,
  root_id   BIGINT NOT NULL,
  agent_id  BIGINT NOT NULL,
  calls     BIGINT NOT NULL,
  input     BIGINT NOT NULL,
  output    BIGINT NOT NULL,
  cached    BIGINT NOT NULL,
  money     BIGINT NOT NULL,
  active    BIGINT NOT NULL,
  estimated BIGINT NOT NULL,
  PRIMARY KEY (task_id, at, model)
);
CREATE INDEX spent_team ON spent (team_id, at);
