-- When an appointment got its patient later than it was made, and who gave it that patient; and when it lost its date. What happened
-- before is in the log of events, as far as that is kept. The log is read before the table is locked.
CREATE TEMPORARY TABLE later_booking ON COMMIT DROP AS
SELECT DISTINCT ON (e.organization_id, e.subject_id) e.organization_id, e.subject_id AS id, e.occurred_at,
       CASE split_part(e.actor, ':', 1) WHEN 'user' THEN u.id WHEN 'client' THEN g.user_id END AS user_id
  FROM event e
  LEFT JOIN "user" u ON u.organization_id = e.organization_id AND e.actor = 'user:' || u.id
  LEFT JOIN api_client_grant g ON g.organization_id = e.organization_id AND e.actor = 'client:' || g.client_id
 WHERE e.subject_type = 'appointment' AND e.name IN ('appointment.changed', 'appointment.moved') AND 'patientId' = ANY (e.changed)
 ORDER BY e.organization_id, e.subject_id, e.transaction_id DESC, e.id DESC;

CREATE TEMPORARY TABLE last_move ON COMMIT DROP AS
SELECT DISTINCT ON (e.organization_id, e.subject_id) e.organization_id, e.subject_id AS id, e.occurred_at
  FROM event e
  JOIN appointment a ON a.organization_id = e.organization_id AND a.id = e.subject_id AND a.starts_at IS NULL
 WHERE e.subject_type = 'appointment' AND e.name = 'appointment.moved'
 ORDER BY e.organization_id, e.subject_id, e.transaction_id DESC, e.id DESC;

-- AlterTable
ALTER TABLE "appointment" ADD COLUMN "booked_at" TIMESTAMPTZ(3),
ADD COLUMN "booked_by_user_id" INTEGER,
ADD COLUMN "undated_at" TIMESTAMPTZ(3);

UPDATE appointment a SET booked_at = b.occurred_at, booked_by_user_id = b.user_id
  FROM later_booking b WHERE b.organization_id = a.organization_id AND b.id = a.id AND a.patient_id IS NOT NULL;
-- One that has no date, and moved, had one before.
UPDATE appointment a SET undated_at = m.occurred_at
  FROM last_move m WHERE m.organization_id = a.organization_id AND m.id = a.id AND a.starts_at IS NULL;

-- Few have one: most are booked as they are made.
CREATE INDEX appointment_booked_by_idx ON appointment (organization_id, booked_by_user_id) WHERE booked_by_user_id IS NOT NULL;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_booked_by_user_id_fkey" FOREIGN KEY ("organization_id", "booked_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
