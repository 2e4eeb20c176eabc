-- CreateEnum
CREATE TYPE "number_registration" AS ENUM ('unknown', 'unregistered', 'pending', 'registered');

-- AlterTable
ALTER TABLE "security_policy" ADD COLUMN     "messaging_service_sid" TEXT;

-- AlterTable
ALTER TABLE "phone_number" ADD COLUMN     "registration" "number_registration" NOT NULL DEFAULT 'unknown',
ADD COLUMN     "registration_due_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "scheduled_check_in" ADD COLUMN     "ends_on" DATE,
ADD COLUMN     "max_runs" INTEGER,
ADD COLUMN     "runs" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "weekdays" INTEGER[] DEFAULT ARRAY[]::INTEGER[];

-- AlterTable
ALTER TABLE "appointment" ADD COLUMN     "rescheduled_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "visit_message_rule" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "appointment_type_id" INTEGER,
    "enabled" BOOLEAN NOT NULL,
    "offsets" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "template_id" INTEGER,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "visit_message_rule_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "visit_message" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "appointment_id" BIGINT NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "lead" TEXT,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT,
    "sms_message_id" BIGINT,
    "mail_message_id" BIGINT,

    CONSTRAINT "visit_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "visit_message_rule_organization_id_template_id_idx" ON "visit_message_rule"("organization_id", "template_id");

-- CreateIndex
CREATE INDEX "visit_message_organization_id_patient_id_idx" ON "visit_message"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "visit_message_organization_id_sms_message_id_idx" ON "visit_message"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "visit_message_organization_id_mail_message_id_idx" ON "visit_message"("organization_id", "mail_message_id");

-- CreateIndex
CREATE UNIQUE INDEX "visit_message_organization_id_appointment_id_patient_id_kin_key" ON "visit_message"("organization_id", "appointment_id", "patient_id", "kind", "lead", "starts_at");

-- AddForeignKey
ALTER TABLE "visit_message_rule" ADD CONSTRAINT "visit_message_rule_organization_id_template_id_fkey" FOREIGN KEY ("organization_id", "template_id") REFERENCES "sms_template"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "visit_message" ADD CONSTRAINT "visit_message_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "visit_message" ADD CONSTRAINT "visit_message_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "visit_message" ADD CONSTRAINT "visit_message_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "visit_message" ADD CONSTRAINT "visit_message_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- By hand: no row is of a practice that does not exist.
ALTER TABLE visit_message_rule ADD CONSTRAINT visit_message_rule_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE visit_message ADD CONSTRAINT visit_message_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
