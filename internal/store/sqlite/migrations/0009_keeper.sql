-- Chunks of conversations that were put away, to be found again. channel_id says who
-- may read one; 0 is its owner alone. removed keeps the newest number taken.

CREATE TABLE keeper (
  id         INTEGER PRIMARY KEY,
  team_id    INTEGER NOT NULL,
  owner_id   INTEGER NOT NULL,
  channel_id INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL,
  task_id    INTEGER NOT NULL,
  topic      TEXT NOT NULL,
  messages   INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  shared     INTEGER NOT NULL,
  automatic  INTEGER NOT NULL,
  key        TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL DEFAULT 0,
  uses       INTEGER NOT NULL DEFAULT 0,
  removed    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX keeper_team ON keeper (team_id, id);
CREATE UNIQUE INDEX keeper_key ON keeper (owner_id, key) WHERE key <> '';

-- Their messages, n from the oldest on. message_id is the message that one is a
-- copy of, 0 if of none; a private one is for the owner.
CREATE TABLE kept (
  id         INTEGER PRIMARY KEY,
  team_id    INTEGER NOT NULL,
  keeper_id  INTEGER NOT NULL,
  n          INTEGER NOT NULL,
  role       TEXT NOT NULL,
  author_id  INTEGER NOT NULL,
  message_id INTEGER NOT NULL,
  private    INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  text       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX kept_keeper ON kept (keeper_id, n) WHERE keeper_id > 0;
CREATE INDEX kept_message ON kept (message_id) WHERE message_id > 0;
