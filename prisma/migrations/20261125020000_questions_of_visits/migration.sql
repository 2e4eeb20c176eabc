-- CreateEnum
CREATE TYPE "text_question_state" AS ENUM ('open', 'answered', 'closed');

-- AlterTable
ALTER TABLE "sms_message" ADD COLUMN     "attempted_at" TIMESTAMPTZ(3),
ADD COLUMN     "choice_answer" "confirmation_answer";

-- CreateTable
CREATE TABLE "text_appointment" (
    "organization_id" INTEGER NOT NULL,
    "sms_message_id" BIGINT NOT NULL,
    "appointment_id" BIGINT NOT NULL,
    "patient_id" INTEGER,
    "starts_at" TIMESTAMPTZ(3),
    "question" "text_question_state",
    "position" INTEGER,

    CONSTRAINT "text_appointment_pkey" PRIMARY KEY ("organization_id","sms_message_id","appointment_id")
);

-- CreateIndex
CREATE INDEX "text_appointment_organization_id_appointment_id_idx" ON "text_appointment"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "text_appointment_organization_id_patient_id_idx" ON "text_appointment"("organization_id", "patient_id");

-- AddForeignKey
ALTER TABLE "text_appointment" ADD CONSTRAINT "text_appointment_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "text_appointment" ADD CONSTRAINT "text_appointment_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "text_appointment" ADD CONSTRAINT "text_appointment_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
ALTER TABLE "text_appointment" ADD CONSTRAINT "text_appointment_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);

-- Texts of versions before named the start that their appointment had. Where it was moved after they were queued, that start is not
-- known: their own time stands for it, which no later appointment has, so that their questions are void.
WITH moved AS (
  SELECT organization_id, subject_id, max(occurred_at) AS last_at
    FROM event WHERE subject_type = 'appointment' AND name = 'appointment.moved' GROUP BY organization_id, subject_id)
INSERT INTO text_appointment (organization_id, sms_message_id, appointment_id, patient_id, starts_at, question)
SELECT m.organization_id, m.id, m.appointment_id, m.patient_id,
       CASE WHEN EXISTS (SELECT FROM session_invite i WHERE i.organization_id = m.organization_id AND i.sms_message_id = m.id) THEN NULL
            WHEN moved.last_at > m.queued_at THEN m.queued_at
            ELSE a.starts_at END,
       CASE WHEN NOT coalesce(t.tracks_response, false) OR a.starts_at IS NULL THEN NULL
            WHEN m.answered_at IS NULL THEN 'open' ELSE 'answered' END::text_question_state
  FROM sms_message m
  JOIN appointment a ON a.organization_id = m.organization_id AND a.id = m.appointment_id
  LEFT JOIN sms_template t ON t.organization_id = m.organization_id AND t.id = m.template_id
  LEFT JOIN moved ON moved.organization_id = a.organization_id AND moved.subject_id = a.id
 WHERE m.direction = 'outbound';
UPDATE sms_message SET attempted_at = coalesce(sent_at, queued_at) WHERE direction = 'outbound' AND attempts > 0;

-- AlterTable
ALTER TABLE "sms_message" DROP COLUMN "answered_at";
