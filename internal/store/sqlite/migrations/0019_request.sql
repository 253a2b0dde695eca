-- A change that a caller asked for under a key, so that asking again finds it.
CREATE TABLE request (
  agent_id INTEGER NOT NULL,
  key      TEXT    NOT NULL,
  about    TEXT    NOT NULL,
  made_id  INTEGER NOT NULL DEFAULT 0,
  at       INTEGER NOT NULL,
  PRIMARY KEY (agent_id, key)
) STRICT;
CREATE INDEX request_at ON request (at);
