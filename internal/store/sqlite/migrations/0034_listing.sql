-- Ids by their owners, up to a mark of each list: 0 unread mail, 1 what is yet to be
-- fetched, 2 unread mail about tasks, 3 children of tasks, 4 messages in the inboxes of
-- tasks. What came after the mark is
-- kept in memory until there is enough to write in the order of the keys; it is read from
-- delivery and task when the database is opened. While a pass writes, the lists of owners
-- up to owner_id reach to next.
CREATE TABLE listing (
  list     INTEGER NOT NULL,
  owner_id INTEGER NOT NULL,
  id       INTEGER NOT NULL,
  PRIMARY KEY (list, owner_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE listing_mark (
  list     INTEGER PRIMARY KEY,
  upto     INTEGER NOT NULL,
  next     INTEGER NOT NULL,
  owner_id INTEGER NOT NULL
) STRICT;

INSERT INTO listing SELECT 0, recipient_id, message_id FROM delivery WHERE mail = 1 AND seen_at = 0 ORDER BY recipient_id, message_id;
INSERT INTO listing SELECT 1, recipient_id, message_id FROM delivery WHERE pull = 1 AND seen_at = 0 ORDER BY recipient_id, message_id;
INSERT INTO listing SELECT 2, recipient_id, message_id FROM delivery WHERE about_id <> 0 AND seen_at = 0 ORDER BY recipient_id, message_id;
INSERT INTO listing SELECT 3, parent_id, id FROM task WHERE parent_id > 0 ORDER BY parent_id, id;

INSERT INTO listing SELECT 4, task_id, message_id FROM inbox ORDER BY task_id, message_id;

INSERT INTO listing_mark SELECT column1, coalesce((SELECT max(message_id) FROM delivery), 0), coalesce((SELECT max(message_id) FROM delivery), 0), 0
  FROM (VALUES (0), (1), (2));
INSERT INTO listing_mark SELECT 3, coalesce((SELECT max(id) FROM task), 0), coalesce((SELECT max(id) FROM task), 0), 0;

INSERT INTO listing_mark SELECT 4, coalesce(max(message_id), 0), coalesce(max(message_id), 0), 0 FROM inbox;

DROP INDEX delivery_unread;
DROP INDEX delivery_mail;
DROP INDEX delivery_about;
DROP INDEX task_parent;

-- Inboxes in the order in which they are filled; their tasks find them by the list.
ALTER TABLE inbox RENAME TO inbox_before;
CREATE TABLE inbox (
  task_id    INTEGER NOT NULL,
  n          INTEGER NOT NULL,
  message_id INTEGER NOT NULL,
  PRIMARY KEY (message_id, task_id, n)
) STRICT, WITHOUT ROWID;
INSERT INTO inbox SELECT task_id, n, message_id FROM inbox_before ORDER BY message_id, task_id, n;
DROP TABLE inbox_before;
