-- Few records have one: the others cost the index nothing.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS patient_external_id_key ON patient (organization_id, external_id) WHERE external_id IS NOT NULL;
