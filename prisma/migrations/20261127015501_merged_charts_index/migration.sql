CREATE INDEX CONCURRENTLY IF NOT EXISTS "patient_organization_id_merged_into_id_idx" ON "patient"("organization_id", "merged_into_id") WHERE merged_into_id IS NOT NULL;
