-- Which model a step has asked, how much of its input came from the provider's cache,
-- and whether what it spent is partly a guess.
ALTER TABLE step ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE step ADD COLUMN cached INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0;

-- What steps have spent that were removed since: the sums of each task, model and
-- quarter of an hour. Days begin at a quarter in every time zone.
CREATE TABLE spent (
  task_id   INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  model     TEXT NOT NULL,
  team_id   INTEGER NOT NULL,
  root_id   INTEGER NOT NULL,
  agent_id  INTEGER NOT NULL,
  calls     INTEGER NOT NULL,
  input     INTEGER NOT NULL,
  output    INTEGER NOT NULL,
  cached    INTEGER NOT NULL,
  money     INTEGER NOT NULL,
  active    INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  PRIMARY KEY (task_id, at, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_team ON spent (team_id, at);
