-- Sessions that took place and are not ended are looked at every few seconds. Those that nobody came to are never ended, and would
-- be read each time: the index has none of them.
DROP INDEX video_session_open_idx;
CREATE INDEX video_session_begun_idx ON video_session (organization_id, id) WHERE ended_at IS NULL AND started_at IS NOT NULL;
