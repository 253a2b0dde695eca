-- Browsers in which people have signed in, and the links that sign one in once. Of
-- secrets there is only the SHA-256.
CREATE TABLE session (
  id         INTEGER PRIMARY KEY AUTOINCREMENT, -- a number is not given out again
  hash       TEXT NOT NULL UNIQUE,
  agent_id   INTEGER NOT NULL,
  token_id   INTEGER NOT NULL,
  browser    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX session_agent ON session (agent_id);
CREATE INDEX session_used ON session (used_at);

CREATE TABLE signin_link (
  hash       TEXT NOT NULL PRIMARY KEY,
  agent_id   INTEGER NOT NULL,
  token_id   INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX signin_link_expires ON signin_link (expires_at);
