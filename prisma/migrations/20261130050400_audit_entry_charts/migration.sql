-- The charts that entries of several records are about.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_entry_charts_idx" ON "audit_entry" USING gin (resource_ids) WHERE resource = 'patient' AND resource_ids IS NOT NULL
