-- Keys are integers that grow, so that new rows share pages; nothing but the
-- open tasks and the small tables is indexed out of that order. Times are
-- microseconds since 1970, 0 when not set.

CREATE TABLE team (
  id     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE agent (
  id             INTEGER PRIMARY KEY,
  team_id        INTEGER NOT NULL,
  name           TEXT NOT NULL,
  folded         TEXT NOT NULL,
  kind           TEXT NOT NULL,
  turns          INTEGER NOT NULL,
  removed        INTEGER NOT NULL DEFAULT 0,
  offline        INTEGER NOT NULL DEFAULT 0,
  sleeping_until INTEGER NOT NULL DEFAULT 0,
  rate_start     INTEGER NOT NULL DEFAULT 0,
  rate_count     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (team_id, folded)
) STRICT;

CREATE TABLE token (
  hash       TEXT PRIMARY KEY,
  agent_id   INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (
  id          INTEGER PRIMARY KEY,
  team_id     INTEGER NOT NULL,
  kind        TEXT NOT NULL,
  a_id        INTEGER NOT NULL,
  b_id        INTEGER NOT NULL,
  main_thread INTEGER NOT NULL,
  UNIQUE (a_id, b_id)
) STRICT;

CREATE TABLE thread (
  id            INTEGER PRIMARY KEY,
  channel_id    INTEGER NOT NULL,
  last_message  INTEGER NOT NULL DEFAULT 0,
  message_count INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX thread_channel ON thread (channel_id, id);

-- How far an agent has read a thread, as a message number.
CREATE TABLE reading (
  thread_id INTEGER NOT NULL,
  agent_id  INTEGER NOT NULL,
  seen_n    INTEGER NOT NULL,
  PRIMARY KEY (thread_id, agent_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
  id        INTEGER PRIMARY KEY,
  team_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  n         INTEGER NOT NULL,
  prev_id   INTEGER NOT NULL,
  author_id INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  body      TEXT NOT NULL,
  context   TEXT NOT NULL,
  task_id   INTEGER NOT NULL,
  origin_id INTEGER NOT NULL,
  key       TEXT,
  at        INTEGER NOT NULL,
  priority  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX message_key ON message (origin_id, author_id, key) WHERE key IS NOT NULL;

-- The whole of a text that was too long for its message.
CREATE TABLE attachment (
  message_id INTEGER PRIMARY KEY,
  body       TEXT NOT NULL
) STRICT;

CREATE TABLE delivery (
  message_id   INTEGER NOT NULL,
  recipient_id INTEGER NOT NULL,
  pull         INTEGER NOT NULL,
  delivered_at INTEGER NOT NULL DEFAULT 0,
  seen_at      INTEGER NOT NULL DEFAULT 0,
  answered_at  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (message_id, recipient_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_mail ON delivery (recipient_id, message_id) WHERE pull = 1 AND seen_at = 0;

CREATE TABLE task (
  id               INTEGER PRIMARY KEY,
  team_id          INTEGER NOT NULL,
  parent_id        INTEGER NOT NULL,
  root_id          INTEGER NOT NULL,
  retry_of         INTEGER NOT NULL,
  pattern          TEXT NOT NULL,
  requester_id     INTEGER NOT NULL,
  agent_id         INTEGER NOT NULL,
  thread_id        INTEGER NOT NULL,
  request_id       INTEGER NOT NULL,
  title            TEXT NOT NULL,
  priority         INTEGER NOT NULL,
  state            INTEGER NOT NULL,
  callback         INTEGER NOT NULL,
  due_at           INTEGER NOT NULL,
  deadline_at      INTEGER NOT NULL,
  wait_until       INTEGER NOT NULL,
  ask_depth        INTEGER NOT NULL,
  delegation_depth INTEGER NOT NULL,
  open_children    INTEGER NOT NULL DEFAULT 0,
  inbox_count      INTEGER NOT NULL DEFAULT 0,
  inbox_read       INTEGER NOT NULL DEFAULT 0,
  turns            INTEGER NOT NULL DEFAULT 0,
  worker_id        INTEGER NOT NULL DEFAULT 0,
  token            INTEGER NOT NULL DEFAULT 0,
  rescues          INTEGER NOT NULL DEFAULT 0,
  result_id        INTEGER NOT NULL DEFAULT 0,
  error            TEXT NOT NULL DEFAULT '',
  ended_by         INTEGER NOT NULL DEFAULT 0,
  created_at       INTEGER NOT NULL,
  started_at       INTEGER NOT NULL DEFAULT 0,
  ended_at         INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX task_open ON task (agent_id, state, due_at, priority DESC, id, deadline_at) WHERE state <= 3;
CREATE INDEX task_due ON task (due_at) WHERE state = 1 AND due_at > 0;
CREATE INDEX task_parent ON task (parent_id) WHERE parent_id > 0;

CREATE TABLE inbox (
  task_id    INTEGER NOT NULL,
  n          INTEGER NOT NULL,
  message_id INTEGER NOT NULL,
  PRIMARY KEY (task_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE step (
  task_id INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  content TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (task_id, turn, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  id         INTEGER PRIMARY KEY,
  team_id    INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  actor_id   INTEGER NOT NULL,
  target_id  INTEGER NOT NULL,
  task_id    INTEGER NOT NULL,
  message_id INTEGER NOT NULL,
  detail     TEXT NOT NULL
) STRICT;

-- A worker is one hub's claim on life: its leases hold until alive_until.
CREATE TABLE worker (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL,
  alive_until INTEGER NOT NULL
) STRICT;
