-- Few records have one: the others cost the index nothing.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS appointment_external_id_key ON appointment (organization_id, external_id) WHERE external_id IS NOT NULL;
