-- A rate is a bucket: when it was drawn on, and how much was missing from it then, in
-- microseconds of refilling. A count of the old windows is at most a tenth of a
-- second of that, so old rows read as full.
ALTER TABLE rate RENAME COLUMN start TO drawn_at;
ALTER TABLE rate RENAME COLUMN count TO debt;
