-- The search index: for each word of a team the documents that have it, a row for
-- every 2,048 ids. Kind 1 is messages, kind 2 what keepers keep. docs holds two bytes
-- a document; see internal/search.
CREATE TABLE posting (
  team_id INTEGER NOT NULL,
  kind    INTEGER NOT NULL,
  word    TEXT NOT NULL,
  chunk   INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  docs    BLOB NOT NULL,
  PRIMARY KEY (team_id, kind, word, chunk)
) STRICT, WITHOUT ROWID;

-- How far the index has come. removals counts what was taken out of it, so that
-- whoever read before a removal does not write after it.
CREATE TABLE search_mark (
  kind     INTEGER PRIMARY KEY,
  upto     INTEGER NOT NULL,
  removals INTEGER NOT NULL
) STRICT;
INSERT INTO search_mark (kind, upto, removals) VALUES (1, 0, 0), (2, 0, 0);

-- Ids below the mark that were not there yet when the index came by.
CREATE TABLE search_gap (
  kind     INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id  INTEGER NOT NULL,
  found_at INTEGER NOT NULL,
  PRIMARY KEY (kind, first_id)
) STRICT, WITHOUT ROWID;
