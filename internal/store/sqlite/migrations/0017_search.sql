-- What counts as a word has changed: the index is made anew, in the background. Until
-- it is complete, a search reads what is missing as far as there is time.
DELETE FROM posting;
DELETE FROM search_gap;
UPDATE search_mark SET upto = 0;

-- The words of the index, spelled from their last letter: a word that is misspelled at
-- its beginning is compared with those that end like it.
CREATE TABLE search_word (
  team_id  INTEGER NOT NULL,
  kind     INTEGER NOT NULL,
  backward TEXT NOT NULL,
  PRIMARY KEY (team_id, kind, backward)
) STRICT, WITHOUT ROWID;
