-- The name of a post in the chat program. It is random, so that no post of another database,
-- or of one that was restored, has the same. Those that there are keep theirs.
ALTER TABLE bridge_post ADD COLUMN nonce TEXT NOT NULL DEFAULT '';
UPDATE bridge_post SET nonce = 'parley' || id;
