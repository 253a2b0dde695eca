-- Group channels. Such a channel is no pair's: its a_id is 0 and its b_id its own
-- id. One that is removed keeps its messages and frees its name.

ALTER TABLE channel ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE channel ADD COLUMN folded TEXT NOT NULL DEFAULT '';
ALTER TABLE channel ADD COLUMN topic TEXT NOT NULL DEFAULT '';
ALTER TABLE channel ADD COLUMN home TEXT NOT NULL DEFAULT '';
ALTER TABLE channel ADD COLUMN removed BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX channel_name ON channel (team_id, folded) WHERE kind = 'group' AND removed = 0;

-- read_n is how far a member has read, as a message number.
CREATE TABLE member (
  channel_id BIGINT NOT NULL,
  agent_id   BIGINT NOT NULL,
  read_n     BIGINT NOT NULL,
  joined_at  BIGINT NOT NULL,
  home       TEXT NOT NULL,
  PRIMARY KEY (channel_id, agent_id)
);
CREATE INDEX member_agent ON member (agent_id, channel_id);

-- The task whose turn wrote the mention that asked for this one. Only mentions
-- are in these indexes.
ALTER TABLE task ADD COLUMN cause_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX task_cause ON task (cause_id) WHERE cause_id > 0;
CREATE INDEX task_mention ON task (request_id) WHERE pattern = 'mention';
