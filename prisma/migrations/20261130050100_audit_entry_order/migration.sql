-- The order in which the audit is sealed and shown, and from the migration after the next ones on its key.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "audit_entry_order" ON "audit_entry" (organization_id, transaction_id, id)
