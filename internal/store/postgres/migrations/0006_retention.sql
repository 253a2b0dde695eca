-- Messages whose text was taken away, by whom and why.
CREATE TABLE redaction (
  message_id BIGINT PRIMARY KEY,
  by_id      BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  reason     TEXT NOT NULL
);
