-- Questions that are routed to whoever knows. state: 1 open, 2 answered, 3 expired.

CREATE TABLE question (
  id         BIGINT PRIMARY KEY,
  team_id    BIGINT NOT NULL,
  asker_id   BIGINT NOT NULL,
  task_id    BIGINT NOT NULL,
  target_id  BIGINT NOT NULL,
  body       TEXT NOT NULL,
  context    TEXT NOT NULL,
  state      BIGINT NOT NULL,
  hops       BIGINT NOT NULL DEFAULT 0,
  key        TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  closed_at  BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX question_key ON question (task_id, asker_id, key) WHERE key IS NOT NULL;
CREATE INDEX question_expiry ON question (expires_at) WHERE state = 1;

-- Whom a question has reached. state: 1 asked, 2 answered, 3 forwarded, 4 failed.
CREATE TABLE question_route (
  question_id BIGINT NOT NULL,
  n           BIGINT NOT NULL,
  agent_id    BIGINT NOT NULL,
  by_id       BIGINT NOT NULL,
  task_id     BIGINT NOT NULL,
  hop         BIGINT NOT NULL,
  enrichment  TEXT NOT NULL,
  state       BIGINT NOT NULL,
  answer_id   BIGINT NOT NULL DEFAULT 0,
  at          BIGINT NOT NULL,
  PRIMARY KEY (question_id, n)
);

-- Which question a message asks or answers.
ALTER TABLE message ADD COLUMN question_id BIGINT NOT NULL DEFAULT 0;

CREATE SEQUENCE question_id AS BIGINT INCREMENT BY 1;
