-- What calls of tools changed in files: what stood at a path before and afterwards.
-- state is 1 as long as nobody knows whether the change was made, 2 when it was, 3 when
-- it was taken back. doubt says why it is not certain what was changed; a path that is
-- empty stands for whatever a command may have changed.
CREATE TABLE file_change (
  id          INTEGER PRIMARY KEY,
  team_id     INTEGER NOT NULL,
  task_id     INTEGER NOT NULL,
  turn        INTEGER NOT NULL,
  call        TEXT NOT NULL,
  agent_id    INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  state       INTEGER NOT NULL,
  home        TEXT NOT NULL,
  place       TEXT NOT NULL,
  path        BLOB NOT NULL,
  before_kind INTEGER NOT NULL,
  before_mode INTEGER NOT NULL,
  before_size INTEGER NOT NULL,
  before_hash TEXT NOT NULL,
  after_kind  INTEGER NOT NULL,
  after_mode  INTEGER NOT NULL,
  after_size  INTEGER NOT NULL,
  after_hash  TEXT NOT NULL,
  command     INTEGER NOT NULL,
  doubt       TEXT NOT NULL,
  undone_by   INTEGER NOT NULL DEFAULT 0,
  undone_at   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX file_change_task ON file_change (task_id, id);
CREATE INDEX file_change_path ON file_change (team_id, place, path, id);

-- The contents, each once for a task.
CREATE TABLE file_content (
  task_id INTEGER NOT NULL,
  hash    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (task_id, hash)
) STRICT;
