-- The key of a partitioned table contains what it is divided by.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "event_partition_key" ON "event" (organization_id, transaction_id, id, occurred_at)
