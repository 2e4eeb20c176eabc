-- AlterTable
ALTER TABLE "security_policy" ADD COLUMN     "event_days" INTEGER NOT NULL DEFAULT 90;

-- CreateTable
CREATE TABLE "event_log_start" (
    "organization_id" INTEGER NOT NULL,
    "transaction_id" BIGINT NOT NULL,
    "event_id" BIGINT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_log_start_pkey" PRIMARY KEY ("organization_id")
);

-- CreateIndex
CREATE INDEX "event_organization_id_subject_type_subject_id_transaction_i_idx" ON "event"("organization_id", "subject_type", "subject_id", "transaction_id", "id");

ALTER TABLE "security_policy" ADD CONSTRAINT "security_policy_event_days_check" CHECK (event_days BETWEEN 7 AND 3650);

-- Events are changed by nobody, and deleted by age alone: not before they are seven days old, and through this function.
DROP TRIGGER event_append_only ON event;
CREATE TRIGGER event_append_only BEFORE UPDATE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_kept BEFORE DELETE ON event FOR EACH ROW WHEN (OLD.occurred_at > now() - interval '7 days') EXECUTE FUNCTION refuse_change();

-- Deletes the oldest events of a practice that happened before an instant, in the order of the log and up to the first that is kept,
-- and notes where the log begins now. The role of the server may delete no other.
CREATE FUNCTION delete_oldest_events(practice int, last_sealed bigint, before timestamptz, most int) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH oldest AS (
    SELECT transaction_id, id, occurred_at FROM event
     WHERE organization_id = practice AND transaction_id <= last_sealed ORDER BY transaction_id, id LIMIT most
  ), kept AS (
    SELECT transaction_id, id FROM oldest WHERE occurred_at >= before ORDER BY transaction_id, id LIMIT 1
  ), deleted AS (
    DELETE FROM event e USING oldest o
     WHERE e.organization_id = practice AND e.transaction_id = o.transaction_id AND e.id = o.id
       AND NOT EXISTS (SELECT FROM kept k WHERE (o.transaction_id, o.id) >= (k.transaction_id, k.id))
    RETURNING e.transaction_id, e.id
  ), start AS (
    INSERT INTO event_log_start (organization_id, transaction_id, event_id, deleted_at)
    SELECT practice, transaction_id, id, now() FROM deleted ORDER BY transaction_id DESC, id DESC LIMIT 1
    ON CONFLICT (organization_id) DO UPDATE
      SET transaction_id = excluded.transaction_id, event_id = excluded.event_id, deleted_at = excluded.deleted_at
  )
  SELECT count(*) FROM deleted
$$;

ALTER TABLE "event_log_start" ADD CONSTRAINT "event_log_start_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
