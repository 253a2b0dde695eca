-- Mail is what starts no turn of its own: the recipient's next turn shows it. about_id
-- is the task whose running turn shows it between two steps; -1 stands for any.
ALTER TABLE delivery ADD COLUMN mail INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN about_id INTEGER NOT NULL DEFAULT 0;

-- What agents were told and have not seen. Replies are mail only if they came late:
-- those to sent messages are told in the dm a second time.
UPDATE delivery SET mail = 1 WHERE pull = 0 AND seen_at = 0 AND message_id IN (
  SELECT m.id FROM message m LEFT JOIN task t ON t.id = m.task_id
  WHERE m.kind = 'notification'
    OR m.kind IN ('delegation_result', 'delegation_failed') AND t.callback = 0 AND t.pattern <> 'mention'
    OR m.kind = 'reply' AND t.callback = 0 AND t.pattern = 'ask' AND t.result_id = m.id);

-- Nobody wants to read in a turn of today what came more than a week ago.
UPDATE delivery SET
  seen_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000000,
  delivered_at = CASE WHEN delivered_at = 0 THEN CAST(strftime('%s', 'now') AS INTEGER) * 1000000 ELSE delivered_at END
WHERE mail = 1 AND message_id IN (
  SELECT m.id FROM message m WHERE m.at < (CAST(strftime('%s', 'now') AS INTEGER) - 7 * 86400) * 1000000);

CREATE INDEX delivery_unread ON delivery (recipient_id, message_id) WHERE mail = 1 AND seen_at = 0;
CREATE INDEX delivery_about ON delivery (recipient_id, about_id) WHERE about_id <> 0 AND seen_at = 0;
