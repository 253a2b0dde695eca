-- Until when a client agent counts as connected. Its calls renew it; what it was handed
-- is its own until then.
ALTER TABLE agent ADD COLUMN connected_until INTEGER NOT NULL DEFAULT 0;

-- The clients, to find those that are gone.
CREATE INDEX agent_client ON agent (connected_until) WHERE kind = 'client';
