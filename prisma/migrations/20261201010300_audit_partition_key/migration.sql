-- The key of a partitioned table contains what it is divided by.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "audit_entry_partition_key" ON "audit_entry" (organization_id, transaction_id, id, at)
