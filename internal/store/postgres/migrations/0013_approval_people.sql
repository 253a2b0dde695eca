-- Whether only people decide. Nobody but people decides about what waits already:
-- its managers were asked without what a decision takes now.
ALTER TABLE approval ADD COLUMN people_only BIGINT NOT NULL DEFAULT 0;
UPDATE approval SET people_only = 1 WHERE state = 1;

-- The random letters at the end of its id; empty for older ones.
ALTER TABLE approval ADD COLUMN letters TEXT NOT NULL DEFAULT '';

-- The messages that ask managers to decide: few among all.
CREATE INDEX message_approval ON message (key) WHERE kind = 'approval_request';
