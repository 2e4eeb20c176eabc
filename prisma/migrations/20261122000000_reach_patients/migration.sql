-- AlterTable
ALTER TABLE "sms_message" ADD COLUMN     "sealed" TEXT;

-- AlterTable
ALTER TABLE "mail_message" ADD COLUMN     "sealed" TEXT;

-- AlterTable
ALTER TABLE "check_in" ADD COLUMN     "mail_message_id" INTEGER,
ADD COLUMN     "sms_message_id" INTEGER;

-- AlterTable
ALTER TABLE "external_message" ADD COLUMN     "channel" TEXT NOT NULL DEFAULT 'sms',
ADD COLUMN     "code_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "codes_sent" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "mail_message_id" INTEGER,
ADD COLUMN     "sms_message_id" INTEGER;

-- AlterTable
ALTER TABLE "session_invite" ADD COLUMN     "mail_message_id" INTEGER,
ADD COLUMN     "sms_message_id" INTEGER;

-- CreateTable
CREATE TABLE "reading" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "check_in_id" INTEGER NOT NULL,
    "item_id" INTEGER NOT NULL,
    "value" DECIMAL(12,3) NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL,
    "measured_on" DATE NOT NULL,

    CONSTRAINT "reading_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "reading_organization_id_patient_id_measured_on_idx" ON "reading"("organization_id", "patient_id", "measured_on");

-- CreateIndex
CREATE INDEX "reading_organization_id_item_id_idx" ON "reading"("organization_id", "item_id");

-- CreateIndex
CREATE UNIQUE INDEX "reading_organization_id_check_in_id_item_id_key" ON "reading"("organization_id", "check_in_id", "item_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_sms_message_id_idx" ON "check_in"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_mail_message_id_idx" ON "check_in"("organization_id", "mail_message_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_sent_at_id_idx" ON "check_in"("organization_id", "sent_at", "id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_sms_message_id_idx" ON "external_message"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_mail_message_id_idx" ON "external_message"("organization_id", "mail_message_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_sms_message_id_idx" ON "session_invite"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_mail_message_id_idx" ON "session_invite"("organization_id", "mail_message_id");

ALTER TABLE reading ADD CONSTRAINT reading_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_check_in_id_fkey" FOREIGN KEY ("organization_id", "check_in_id") REFERENCES "check_in"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_item_id_fkey" FOREIGN KEY ("organization_id", "item_id") REFERENCES "item"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Messages that stand were sent where their address says.
UPDATE external_message SET channel = CASE WHEN sent_to LIKE '%@%' THEN 'email' ELSE 'sms' END;
ALTER TABLE external_message ALTER COLUMN channel DROP DEFAULT;

-- What numbers were reported before they had a table of their own.
INSERT INTO reading (organization_id, patient_id, check_in_id, item_id, value, measured_at, measured_on)
SELECT DISTINCT ON (c.organization_id, c.id, i.id)
       c.organization_id, c.patient_id, c.id, i.id, (c.answers->>(q->>'key'))::numeric, c.answered_at,
       (c.answered_at AT TIME ZONE o.time_zone)::date
  FROM check_in c
  JOIN organization o ON o.id = c.organization_id
  JOIN survey_type t ON t.organization_id = c.organization_id AND t.id = c.survey_type_id
 CROSS JOIN LATERAL jsonb_array_elements(t.questions) q
  JOIN item i ON i.organization_id = c.organization_id AND i.id = (q->>'itemId')::int
 WHERE c.answered_at IS NOT NULL AND jsonb_typeof(c.answers->(q->>'key')) = 'number'
 ORDER BY c.organization_id, c.id, i.id;
