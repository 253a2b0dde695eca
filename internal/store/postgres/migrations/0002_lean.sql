-- What changes with every contact is kept where many rows share a page: the log
-- holds whole pages.

CREATE TABLE rate (
  agent_id BIGINT PRIMARY KEY,
  start    BIGINT NOT NULL DEFAULT 0,
  count    BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO rate SELECT id, rate_start, rate_count FROM agent;
ALTER TABLE agent DROP COLUMN rate_start;
ALTER TABLE agent DROP COLUMN rate_count;

-- The team's folder that names an agent: another hub on the same database, with
-- another folder, does not remove it.
ALTER TABLE agent ADD COLUMN home TEXT NOT NULL DEFAULT '';

-- a_id is the participant A of a dm; a_read and b_read are how far A and B have
-- read, as message numbers.
ALTER TABLE thread ADD COLUMN a_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE thread ADD COLUMN a_read BIGINT NOT NULL DEFAULT 0;
ALTER TABLE thread ADD COLUMN b_read BIGINT NOT NULL DEFAULT 0;
UPDATE thread SET a_id = (SELECT c.a_id FROM channel c WHERE c.id = thread.channel_id);
UPDATE thread SET
  a_read = coalesce((SELECT r.seen_n FROM reading r WHERE r.thread_id = thread.id AND r.agent_id = thread.a_id), 0),
  b_read = coalesce((SELECT max(r.seen_n) FROM reading r WHERE r.thread_id = thread.id AND r.agent_id <> thread.a_id), 0);
DROP TABLE reading;
