-- How far a team's people were told through one target: a command or an address.
-- cursor is the place in the event record; event_id is the event after it that is being
-- told, and told_id the last person who was told of it. The lease keeps several hubs from
-- telling the same.
CREATE TABLE telling (
  team_id     INTEGER NOT NULL,
  target      TEXT NOT NULL,
  cursor      TEXT NOT NULL,
  event_id    INTEGER NOT NULL DEFAULT 0,
  told_id     INTEGER NOT NULL DEFAULT 0,
  tries       INTEGER NOT NULL DEFAULT 0,
  refusals    INTEGER NOT NULL DEFAULT 0,
  due_at      INTEGER NOT NULL DEFAULT 0,
  holder      TEXT NOT NULL DEFAULT '',
  lease_until INTEGER NOT NULL DEFAULT 0,
  problem     TEXT NOT NULL DEFAULT '',
  given_up    INTEGER NOT NULL DEFAULT 0,
  given_up_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, target)
) STRICT;
