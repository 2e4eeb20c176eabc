-- Whose a call or a voice message is gets decided when it comes in, and no later chart or restriction changes it.
-- AlterTable
ALTER TABLE "incoming_call" ADD COLUMN     "patient_id" INTEGER;

-- AlterTable
ALTER TABLE "voice_pager_message" ADD COLUMN     "patient_id" INTEGER;

-- CreateIndex
CREATE INDEX "incoming_call_organization_id_patient_id_idx" ON "incoming_call"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "voice_pager_message_organization_id_patient_id_idx" ON "voice_pager_message"("organization_id", "patient_id");

-- AddForeignKey
ALTER TABLE "incoming_call" ADD CONSTRAINT "incoming_call_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "voice_pager_message" ADD CONSTRAINT "voice_pager_message_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- Whose the standing rows are. A number that a patient with a restricted chart has is that patient's, so that nothing that was hidden
-- comes to light; else the rule by which these lists named their callers holds.
CREATE FUNCTION owner_of_number(organization int, number text) RETURNS int LANGUAGE sql STABLE AS $$
  SELECT p.id FROM patient p
   WHERE p.organization_id = organization AND (p.mobile_phone = number OR p.home_phone = number) AND p.status <> 'deleted'
   ORDER BY p.restricted DESC, coalesce(p.mobile_phone = number, false) DESC, (p.enterprise_id IS NULL) DESC, (p.status = 'active') DESC, p.id
   LIMIT 1
$$;
UPDATE incoming_call SET patient_id = owner_of_number(organization_id, from_number);
UPDATE voice_pager_message SET patient_id = owner_of_number(organization_id, from_number);

-- Texts have kept their patient since they came in. Those without one are a restricted patient's if the number is; so are those that
-- were taken for a relative's since the restriction, but for answers about an appointment.
UPDATE sms_message m SET patient_id = owner_of_number(m.organization_id, m.from_number)
  FROM (SELECT p.organization_id, n.number, min(r.created_at) AS since
          FROM patient p
         CROSS JOIN LATERAL (VALUES (p.mobile_phone), (p.home_phone)) AS n (number)
          LEFT JOIN privacy_restriction r ON r.organization_id = p.organization_id AND r.patient_id IN (p.id, p.enterprise_id)
               AND r.lifted_at IS NULL AND r.kind IN ('record', 'blocked')
         WHERE p.restricted AND p.status <> 'deleted' AND n.number IS NOT NULL
         GROUP BY p.organization_id, n.number) AS withheld
 WHERE m.organization_id = withheld.organization_id AND m.from_number = withheld.number AND m.direction = 'inbound'
   AND (m.patient_id IS NULL OR m.appointment_id IS NULL AND m.queued_at >= withheld.since
        AND NOT EXISTS (SELECT FROM patient p WHERE p.organization_id = m.organization_id AND p.id = m.patient_id AND p.restricted));

DROP FUNCTION owner_of_number(int, text);
