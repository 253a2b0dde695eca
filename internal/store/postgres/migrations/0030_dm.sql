-- The dms of a team, for people who look at who talks to whom.
CREATE INDEX channel_dm ON channel (team_id) WHERE kind = 'dm';
