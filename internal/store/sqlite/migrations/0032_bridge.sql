-- Chat programs. A bridge is a team and a program: how far it has followed the record,
-- and which hub holds the connection.
CREATE TABLE bridge (
  team_id     INTEGER NOT NULL,
  program     TEXT NOT NULL,
  cursor      TEXT NOT NULL,
  holder      TEXT NOT NULL DEFAULT '',
  lease_until INTEGER NOT NULL DEFAULT 0,
  problem     TEXT NOT NULL DEFAULT '',
  repeats     INTEGER NOT NULL DEFAULT 0,
  given_up    INTEGER NOT NULL DEFAULT 0,
  summary_at  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, program)
) STRICT;

-- Who is known: an account of a chat program is one person in one team. conversation is
-- where the person talks with the bot alone.
CREATE TABLE bridge_account (
  program      TEXT NOT NULL,
  account      TEXT NOT NULL,
  agent_id     INTEGER NOT NULL,
  name         TEXT NOT NULL,
  conversation TEXT NOT NULL,
  linked_at    INTEGER NOT NULL,
  PRIMARY KEY (program, account)
) STRICT;
CREATE INDEX bridge_account_agent ON bridge_account (agent_id);

-- Codes that link an account once. Of a code there is only the SHA-256.
CREATE TABLE bridge_code (
  hash       TEXT NOT NULL PRIMARY KEY,
  agent_id   INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_by    TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX bridge_code_expires ON bridge_code (expires_at);

-- Accounts that nobody linked: when they were last told so, and what they tried since.
CREATE TABLE bridge_stranger (
  program TEXT NOT NULL,
  account TEXT NOT NULL,
  told_at INTEGER NOT NULL,
  tries   INTEGER NOT NULL,
  PRIMARY KEY (program, account)
) STRICT;
CREATE INDEX bridge_stranger_told ON bridge_stranger (told_at);

-- What came in and was dealt with. posted is the program's id of a chat message, and
-- message_id what became of it.
CREATE TABLE bridge_event (
  team_id      INTEGER NOT NULL,
  program      TEXT NOT NULL,
  event        TEXT NOT NULL,
  at           INTEGER NOT NULL,
  conversation TEXT NOT NULL,
  posted       TEXT NOT NULL,
  message_id   INTEGER NOT NULL,
  PRIMARY KEY (team_id, program, event)
) STRICT;
CREATE INDEX bridge_event_posted ON bridge_event (team_id, program, conversation, posted);
CREATE INDEX bridge_event_at ON bridge_event (at);

-- How far the history of a conversation was read, for programs that can be asked for it.
CREATE TABLE bridge_position (
  team_id      INTEGER NOT NULL,
  program      TEXT NOT NULL,
  conversation TEXT NOT NULL,
  position     TEXT NOT NULL,
  PRIMARY KEY (team_id, program, conversation)
) STRICT;

-- What goes out. A post has no words of others: it names what it shows, which is read
-- when it is posted. text is what the bridge itself says, and is emptied in the end.
CREATE TABLE bridge_post (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id      INTEGER NOT NULL,
  program      TEXT NOT NULL,
  key          TEXT NOT NULL,
  conversation TEXT NOT NULL,
  thread       TEXT NOT NULL,
  reply_to     TEXT NOT NULL,
  kind         TEXT NOT NULL,
  agent_id     INTEGER NOT NULL,
  message_id   INTEGER NOT NULL,
  task_id      INTEGER NOT NULL,
  approval_id  INTEGER NOT NULL,
  text         TEXT NOT NULL,
  state        INTEGER NOT NULL DEFAULT 0,
  part         INTEGER NOT NULL DEFAULT 0,
  tries        INTEGER NOT NULL DEFAULT 0,
  due_at       INTEGER NOT NULL DEFAULT 0,
  tried_at     INTEGER NOT NULL DEFAULT 0,
  stale        INTEGER NOT NULL DEFAULT 0,
  reason       TEXT NOT NULL DEFAULT '',
  created_at   INTEGER NOT NULL,
  ended_at     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX bridge_post_key ON bridge_post (team_id, program, key);
CREATE INDEX bridge_post_open ON bridge_post (team_id, program, conversation, id) WHERE state < 2;
CREATE INDEX bridge_post_stale ON bridge_post (team_id, program, id) WHERE stale > 0;
CREATE INDEX bridge_post_message ON bridge_post (message_id) WHERE message_id > 0;
CREATE INDEX bridge_post_task ON bridge_post (task_id) WHERE task_id > 0;
CREATE INDEX bridge_post_approval ON bridge_post (approval_id) WHERE approval_id > 0;
CREATE INDEX bridge_post_ended ON bridge_post (ended_at) WHERE ended_at > 0;

-- The program's ids of what was posted, one for each part.
CREATE TABLE bridge_posted (
  team_id      INTEGER NOT NULL,
  program      TEXT NOT NULL,
  conversation TEXT NOT NULL,
  posted       TEXT NOT NULL,
  post_id      INTEGER NOT NULL,
  part         INTEGER NOT NULL,
  PRIMARY KEY (team_id, program, conversation, posted)
) STRICT;
CREATE INDEX bridge_posted_post ON bridge_posted (post_id, part);
