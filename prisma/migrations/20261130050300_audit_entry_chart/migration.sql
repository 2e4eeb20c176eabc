-- The charts that entries of one record are about.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_entry_chart_idx" ON "audit_entry" (organization_id, record_id) WHERE resource = 'patient' AND record_id IS NOT NULL
