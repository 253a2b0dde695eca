-- What calls of tools changed in files: what stood at a path before and afterwards.
-- state is 1 as long as nobody knows whether the change was made, 2 when it was, 3 when
-- it was taken back. doubt says why it is not certain what was changed; a path that is
-- empty stands for whatever a command may have changed.
CREATE TABLE file_change (
  id          BIGINT PRIMARY KEY,
  team_id     BIGINT NOT NULL,
  task_id     BIGINT NOT NULL,
  turn        BIGINT NOT NULL,
  call        TEXT NOT NULL,
  agent_id    BIGINT NOT NULL,
  at          BIGINT NOT NULL,
  state       BIGINT NOT NULL,
  home        TEXT NOT NULL,
  place       TEXT NOT NULL,
  path        BYTEA NOT NULL,
  before_kind BIGINT NOT NULL,
  before_mode BIGINT NOT NULL,
  before_size BIGINT NOT NULL,
  before_hash TEXT NOT NULL,
  after_kind  BIGINT NOT NULL,
  after_mode  BIGINT NOT NULL,
  after_size  BIGINT NOT NULL,
  after_hash  TEXT NOT NULL,
  command     BIGINT NOT NULL,
  doubt       TEXT NOT NULL,
  undone_by   BIGINT NOT NULL DEFAULT 0,
  undone_at   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX file_change_task ON file_change (task_id, id);
CREATE INDEX file_change_path ON file_change (team_id, place, path, id);

-- The contents, each once for a task.
CREATE TABLE file_content (
  task_id BIGINT NOT NULL,
  hash    TEXT NOT NULL,
  at      BIGINT NOT NULL,
  content BYTEA NOT NULL,
  PRIMARY KEY (task_id, hash)
);

CREATE SEQUENCE file_change_id AS BIGINT INCREMENT BY 16;
