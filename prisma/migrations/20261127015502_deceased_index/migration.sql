-- Those whose visits no percentage counts are few.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "patient_deceased_idx" ON "patient"("organization_id", "id") WHERE deceased_date IS NOT NULL;
