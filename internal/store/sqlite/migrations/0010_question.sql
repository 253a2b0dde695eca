-- Questions that are routed to whoever knows. state: 1 open, 2 answered, 3 expired.

CREATE TABLE question (
  id         INTEGER PRIMARY KEY,
  team_id    INTEGER NOT NULL,
  asker_id   INTEGER NOT NULL,
  task_id    INTEGER NOT NULL,
  target_id  INTEGER NOT NULL,
  body       TEXT NOT NULL,
  context    TEXT NOT NULL,
  state      INTEGER NOT NULL,
  hops       INTEGER NOT NULL DEFAULT 0,
  key        TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  closed_at  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX question_key ON question (task_id, asker_id, key) WHERE key IS NOT NULL;
CREATE INDEX question_expiry ON question (expires_at) WHERE state = 1;

-- Whom a question has reached. state: 1 asked, 2 answered, 3 forwarded, 4 failed.
CREATE TABLE question_route (
  question_id INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  agent_id    INTEGER NOT NULL,
  by_id       INTEGER NOT NULL,
  task_id     INTEGER NOT NULL,
  hop         INTEGER NOT NULL,
  enrichment  TEXT NOT NULL,
  state       INTEGER NOT NULL,
  answer_id   INTEGER NOT NULL DEFAULT 0,
  at          INTEGER NOT NULL,
  PRIMARY KEY (question_id, n)
) STRICT, WITHOUT ROWID;

-- Which question a message asks or answers.
ALTER TABLE message ADD COLUMN question_id INTEGER NOT NULL DEFAULT 0;
