-- When the clock looks at a question next: to ask more of the team, or when it expires.
-- Further states of questions: 4 failed. Of routes: 5 passed.
ALTER TABLE question ADD COLUMN next_at INTEGER NOT NULL DEFAULT 0;
UPDATE question SET next_at = expires_at;
DROP INDEX question_expiry;
CREATE INDEX question_next ON question (next_at) WHERE state = 1;
