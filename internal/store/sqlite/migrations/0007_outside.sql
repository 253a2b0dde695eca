-- A contact that a caller from outside wants to make waits for approval too. It is
-- of no turn: turn is 0, call holds who wants it and its key, and task_id may be 0.

-- The contact that came of it; 0 if none did.
ALTER TABLE approval ADD COLUMN message_id INTEGER NOT NULL DEFAULT 0;
-- Why an approved contact could not be made.
ALTER TABLE approval ADD COLUMN failure TEXT NOT NULL DEFAULT '';

CREATE INDEX approval_message ON approval (message_id) WHERE message_id > 0;
