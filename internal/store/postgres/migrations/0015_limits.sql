-- A rate is a bucket: when it was drawn on, and how much was missing from it then, in
-- microseconds of refilling. A count of the old windows is at most a tenth of a
-- second of that, so old rows read as full.
ALTER TABLE rate RENAME COLUMN start TO drawn_at;
ALTER TABLE rate RENAME COLUMN count TO debt;

-- The first task of the chain of causes that led to a task: who asked, delegated or
-- mentioned, up to a person. 0, in old rows, is the root. There, how many tasks
-- mentions by agents have made along the chain, and whether it was told that no more
-- are made.
ALTER TABLE task ADD COLUMN chain_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN mentions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN mentions_told BIGINT NOT NULL DEFAULT 0;
