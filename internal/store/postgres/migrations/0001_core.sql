-- The same tables and columns as SQLite's, so that the statements are shared.
-- Integers are BIGINT; times are microseconds since 1970, 0 when not set.
--
-- A row that is updated in place, with no indexed column changed, can stay on
-- its page and touch no index. fillfactor leaves room for that where rows
-- change often: every message updates its thread and its sender's rate. Tasks
-- and deliveries change a column that a partial index looks at when they begin
-- and end, so only their updates in between have that advantage; the room
-- still keeps the new version beside the old one.

CREATE TABLE team (
  id     BIGINT PRIMARY KEY,
  name   TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE
);

CREATE TABLE agent (
  id             BIGINT PRIMARY KEY,
  team_id        BIGINT NOT NULL,
  name           TEXT NOT NULL,
  folded         TEXT NOT NULL,
  kind           TEXT NOT NULL,
  turns          BIGINT NOT NULL,
  removed        BIGINT NOT NULL DEFAULT 0,
  offline        BIGINT NOT NULL DEFAULT 0,
  sleeping_until BIGINT NOT NULL DEFAULT 0,
  rate_start     BIGINT NOT NULL DEFAULT 0,
  rate_count     BIGINT NOT NULL DEFAULT 0,
  UNIQUE (team_id, folded)
) WITH (fillfactor = 50);

CREATE TABLE token (
  hash       TEXT PRIMARY KEY,
  agent_id   BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE channel (
  id          BIGINT PRIMARY KEY,
  team_id     BIGINT NOT NULL,
  kind        TEXT NOT NULL,
  a_id        BIGINT NOT NULL,
  b_id        BIGINT NOT NULL,
  main_thread BIGINT NOT NULL,
  UNIQUE (a_id, b_id)
);
-- SQLite reads an agent's channels by scanning the few there are.
CREATE INDEX channel_b ON channel (b_id);

CREATE TABLE thread (
  id            BIGINT PRIMARY KEY,
  channel_id    BIGINT NOT NULL,
  last_message  BIGINT NOT NULL DEFAULT 0,
  message_count BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX thread_channel ON thread (channel_id, id);

-- How far an agent has read a thread, as a message number.
CREATE TABLE reading (
  thread_id BIGINT NOT NULL,
  agent_id  BIGINT NOT NULL,
  seen_n    BIGINT NOT NULL,
  PRIMARY KEY (thread_id, agent_id)
) WITH (fillfactor = 70);

CREATE TABLE message (
  id        BIGINT PRIMARY KEY,
  team_id   BIGINT NOT NULL,
  thread_id BIGINT NOT NULL,
  n         BIGINT NOT NULL,
  prev_id   BIGINT NOT NULL,
  author_id BIGINT NOT NULL,
  kind      TEXT NOT NULL,
  body      TEXT NOT NULL,
  context   TEXT NOT NULL,
  task_id   BIGINT NOT NULL,
  origin_id BIGINT NOT NULL,
  key       TEXT,
  at        BIGINT NOT NULL,
  priority  BIGINT NOT NULL
);
CREATE UNIQUE INDEX message_key ON message (origin_id, author_id, key) WHERE key IS NOT NULL;

-- The whole of a text that was too long for its message.
CREATE TABLE attachment (
  message_id BIGINT PRIMARY KEY,
  body       TEXT NOT NULL
);

CREATE TABLE delivery (
  message_id   BIGINT NOT NULL,
  recipient_id BIGINT NOT NULL,
  pull         BIGINT NOT NULL,
  delivered_at BIGINT NOT NULL DEFAULT 0,
  seen_at      BIGINT NOT NULL DEFAULT 0,
  answered_at  BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (message_id, recipient_id)
) WITH (fillfactor = 70);
CREATE INDEX delivery_mail ON delivery (recipient_id, message_id) WHERE pull = 1 AND seen_at = 0;

CREATE TABLE task (
  id               BIGINT PRIMARY KEY,
  team_id          BIGINT NOT NULL,
  parent_id        BIGINT NOT NULL,
  root_id          BIGINT NOT NULL,
  retry_of         BIGINT NOT NULL,
  pattern          TEXT NOT NULL,
  requester_id     BIGINT NOT NULL,
  agent_id         BIGINT NOT NULL,
  thread_id        BIGINT NOT NULL,
  request_id       BIGINT NOT NULL,
  title            TEXT NOT NULL,
  priority         BIGINT NOT NULL,
  state            BIGINT NOT NULL,
  callback         BIGINT NOT NULL,
  due_at           BIGINT NOT NULL,
  deadline_at      BIGINT NOT NULL,
  wait_until       BIGINT NOT NULL,
  ask_depth        BIGINT NOT NULL,
  delegation_depth BIGINT NOT NULL,
  open_children    BIGINT NOT NULL DEFAULT 0,
  inbox_count      BIGINT NOT NULL DEFAULT 0,
  inbox_read       BIGINT NOT NULL DEFAULT 0,
  turns            BIGINT NOT NULL DEFAULT 0,
  worker_id        BIGINT NOT NULL DEFAULT 0,
  token            BIGINT NOT NULL DEFAULT 0,
  rescues          BIGINT NOT NULL DEFAULT 0,
  result_id        BIGINT NOT NULL DEFAULT 0,
  error            TEXT NOT NULL DEFAULT '',
  ended_by         BIGINT NOT NULL DEFAULT 0,
  created_at       BIGINT NOT NULL,
  started_at       BIGINT NOT NULL DEFAULT 0,
  ended_at         BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 60);
CREATE INDEX task_open ON task (agent_id, state, due_at, priority DESC, id, deadline_at) WHERE state <= 3;
CREATE INDEX task_due ON task (due_at) WHERE state = 1 AND due_at > 0;
CREATE INDEX task_parent ON task (parent_id) WHERE parent_id > 0;

CREATE TABLE inbox (
  task_id    BIGINT NOT NULL,
  n          BIGINT NOT NULL,
  message_id BIGINT NOT NULL,
  PRIMARY KEY (task_id, n)
);

CREATE TABLE step (
  task_id BIGINT NOT NULL,
  turn    BIGINT NOT NULL,
  n       BIGINT NOT NULL,
  kind    TEXT NOT NULL,
  content TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (task_id, turn, n)
);

-- What is added to the server's transaction numbers. It is 0 until the
-- database is restored from a dump into a server that counts from an earlier
-- number; the next start then raises it above every number on record.
CREATE FUNCTION event_base() RETURNS BIGINT LANGUAGE SQL STABLE PARALLEL SAFE AS 'SELECT 0::bigint';

-- Transactions commit in another order than they draw their numbers. An event
-- carries its transaction's number, and readers stop below the oldest
-- transaction that is still running.
CREATE TABLE event (
  xid        BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint + event_base(),
  id         BIGINT NOT NULL,
  team_id    BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  kind       TEXT NOT NULL,
  actor_id   BIGINT NOT NULL,
  target_id  BIGINT NOT NULL,
  task_id    BIGINT NOT NULL,
  message_id BIGINT NOT NULL,
  detail     TEXT NOT NULL,
  PRIMARY KEY (xid, id)
);

-- A worker is one hub's claim on life: its leases hold until alive_until.
CREATE TABLE worker (
  id          BIGINT PRIMARY KEY,
  name        TEXT NOT NULL,
  alive_until BIGINT NOT NULL
) WITH (fillfactor = 50);

-- Each number drawn stands for a block of ids, as long as the increment.
CREATE SEQUENCE team_id    AS BIGINT INCREMENT BY 1;
CREATE SEQUENCE agent_id   AS BIGINT INCREMENT BY 8;
CREATE SEQUENCE channel_id AS BIGINT INCREMENT BY 16;
CREATE SEQUENCE thread_id  AS BIGINT INCREMENT BY 16;
CREATE SEQUENCE message_id AS BIGINT INCREMENT BY 64;
CREATE SEQUENCE task_id    AS BIGINT INCREMENT BY 16 START WITH 101;
CREATE SEQUENCE event_id   AS BIGINT INCREMENT BY 64;
CREATE SEQUENCE worker_id  AS BIGINT INCREMENT BY 1;
