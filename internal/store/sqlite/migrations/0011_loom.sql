-- Who works on what. Lines are counted from 1; both are 0 for the whole of it. The
-- rows of what is over are removed by whoever claims next.
CREATE TABLE claim (
  team_id   INTEGER NOT NULL,
  path      TEXT NOT NULL,
  from_line INTEGER NOT NULL,
  to_line   INTEGER NOT NULL,
  agent_id  INTEGER NOT NULL,
  task_id   INTEGER NOT NULL,
  until     INTEGER NOT NULL,
  PRIMARY KEY (team_id, path, from_line, to_line, agent_id, task_id)
) STRICT;

-- What agents have said that they are about to work on. The words are in the
-- messages that told of it.
CREATE TABLE intent (
  team_id  INTEGER NOT NULL,
  path     TEXT NOT NULL,
  agent_id INTEGER NOT NULL,
  task_id  INTEGER NOT NULL,
  until    INTEGER NOT NULL,
  PRIMARY KEY (team_id, path, agent_id, task_id)
) STRICT;

-- The files that tasks are about.
CREATE TABLE task_path (
  task_id INTEGER NOT NULL,
  team_id INTEGER NOT NULL,
  path    TEXT NOT NULL,
  PRIMARY KEY (task_id, path)
) STRICT;
CREATE INDEX task_path_path ON task_path (team_id, path);

-- What a task waits for before it begins; and how many wait for a task's end.
CREATE TABLE task_dependency (
  task_id INTEGER NOT NULL,
  on_id   INTEGER NOT NULL,
  PRIMARY KEY (task_id, on_id)
) STRICT;
ALTER TABLE task ADD COLUMN dependents INTEGER NOT NULL DEFAULT 0;
