-- Who follows the steps of a team reads them in the order in which they were stored. As
-- of events, that is the order of the transactions; older ones have their time.
ALTER TABLE step ADD COLUMN xid BIGINT NOT NULL DEFAULT 0;
ALTER TABLE step ALTER COLUMN xid SET DEFAULT pg_current_xact_id()::text::bigint + event_base();
CREATE INDEX step_order ON step (xid, at);
