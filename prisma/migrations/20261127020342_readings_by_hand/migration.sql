-- A reading by hand that was entered in error leaves its place to the right one.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS reading_by_hand_valid_key ON reading (organization_id, patient_id, item_id, measured_at, source)
  WHERE device_id IS NULL AND check_in_id IS NULL AND error_at IS NULL;
