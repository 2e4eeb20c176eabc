-- Finds the place of an entry by its id: rows lie nearly in the order of their ids, so that a page of this index has hundreds of pages
-- of the table.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_entry_id_idx" ON "audit_entry" USING brin (id) WITH (pages_per_range = 16, autosummarize = on)
