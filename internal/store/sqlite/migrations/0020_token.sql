-- Tokens are made for others, have a label and an end, and are revoked one by one.
ALTER TABLE token RENAME TO token_before;
CREATE TABLE token (
  id         INTEGER PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE,
  agent_id   INTEGER NOT NULL,
  label      TEXT NOT NULL DEFAULT '',
  created_by INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL DEFAULT 0,
  used_at    INTEGER NOT NULL DEFAULT 0,
  revoked_at INTEGER NOT NULL DEFAULT 0,
  revoked_by INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO token (hash, agent_id, created_at) SELECT hash, agent_id, created_at FROM token_before ORDER BY created_at, hash;
DROP TABLE token_before;
CREATE INDEX token_agent ON token (agent_id);
