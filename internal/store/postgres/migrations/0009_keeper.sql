-- Chunks of conversations that were put away, to be found again. channel_id says who
-- may read one; 0 is its owner alone. removed keeps the newest number taken.

CREATE TABLE keeper (
  id         BIGINT PRIMARY KEY,
  team_id    BIGINT NOT NULL,
  owner_id   BIGINT NOT NULL,
  channel_id BIGINT NOT NULL,
  thread_id  BIGINT NOT NULL,
  task_id    BIGINT NOT NULL,
  topic      TEXT NOT NULL,
  messages   BIGINT NOT NULL,
  size       BIGINT NOT NULL,
  shared     BIGINT NOT NULL,
  automatic  BIGINT NOT NULL,
  key        TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at    BIGINT NOT NULL DEFAULT 0,
  uses       BIGINT NOT NULL DEFAULT 0,
  removed    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX keeper_team ON keeper (team_id, id);
CREATE UNIQUE INDEX keeper_key ON keeper (owner_id, key) WHERE key <> '';

-- Their messages, n from the oldest on. message_id is the message that one is a
-- copy of, 0 if of none; a private one is for the owner.
CREATE TABLE kept (
  id         BIGINT PRIMARY KEY,
  team_id    BIGINT NOT NULL,
  keeper_id  BIGINT NOT NULL,
  n          BIGINT NOT NULL,
  role       TEXT NOT NULL,
  author_id  BIGINT NOT NULL,
  message_id BIGINT NOT NULL,
  private    BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  text       TEXT NOT NULL
);
CREATE UNIQUE INDEX kept_keeper ON kept (keeper_id, n) WHERE keeper_id > 0;
CREATE INDEX kept_message ON kept (message_id) WHERE message_id > 0;

CREATE SEQUENCE keeper_id AS BIGINT INCREMENT BY 1;
CREATE SEQUENCE kept_id AS BIGINT INCREMENT BY 64;
