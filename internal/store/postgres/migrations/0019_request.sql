-- A change that a caller asked for under a key, so that asking again finds it.
CREATE TABLE request (
  agent_id BIGINT NOT NULL,
  key      TEXT   NOT NULL,
  about    TEXT   NOT NULL,
  made_id  BIGINT NOT NULL DEFAULT 0,
  at       BIGINT NOT NULL,
  PRIMARY KEY (agent_id, key)
);
CREATE INDEX request_at ON request (at);
