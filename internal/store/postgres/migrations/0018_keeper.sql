-- Whether the hub has put parts of a thread away, so that a turn in any other thread
-- need not look for them.
ALTER TABLE thread ADD COLUMN kept BIGINT NOT NULL DEFAULT 0;
UPDATE thread SET kept = 1 WHERE id IN (SELECT thread_id FROM keeper WHERE automatic = 1 AND removed = 0);
CREATE INDEX keeper_thread ON keeper (thread_id, owner_id, id) WHERE thread_id > 0;

-- Topics are found with the first message of their keeper: the index of what is kept
-- is made anew.
DELETE FROM posting WHERE kind = 2;
DELETE FROM search_gap WHERE kind = 2;
UPDATE search_mark SET upto = 0 WHERE kind = 2;
