-- The search index: for each word of a team the documents that have it, a row for
-- every 2,048 ids. Kind 1 is messages, kind 2 what keepers keep. docs holds two bytes
-- a document; see internal/search.
CREATE TABLE posting (
  team_id BIGINT NOT NULL,
  kind    BIGINT NOT NULL,
  word    TEXT COLLATE "C" NOT NULL,
  chunk   BIGINT NOT NULL,
  n       BIGINT NOT NULL,
  docs    BYTEA NOT NULL,
  PRIMARY KEY (team_id, kind, word, chunk)
) WITH (toast_tuple_target = 8160, fillfactor = 70);
-- A full row has 4 kB and stays with its key: packing it would cost more than it
-- saves.
ALTER TABLE posting ALTER COLUMN docs SET STORAGE EXTERNAL;

-- How far the index has come. removals counts what was taken out of it, so that
-- whoever read before a removal does not write after it.
CREATE TABLE search_mark (
  kind     BIGINT PRIMARY KEY,
  upto     BIGINT NOT NULL,
  removals BIGINT NOT NULL
);
INSERT INTO search_mark (kind, upto, removals) VALUES (1, 0, 0), (2, 0, 0);

-- Ids below the mark that were not there yet when the index came by.
CREATE TABLE search_gap (
  kind     BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  last_id  BIGINT NOT NULL,
  found_at BIGINT NOT NULL,
  PRIMARY KEY (kind, first_id)
);
