-- Messages whose text was taken away, by whom and why.
CREATE TABLE redaction (
  message_id INTEGER PRIMARY KEY,
  by_id      INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  reason     TEXT NOT NULL
) STRICT;
