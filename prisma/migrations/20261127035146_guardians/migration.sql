-- AlterTable
ALTER TABLE "sms_message" ADD COLUMN     "to_guardian" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "mail_message" ADD COLUMN     "to_guardian" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "minor_until" INTEGER NOT NULL DEFAULT 18;

-- CreateTable
CREATE TABLE "guardianship" (
    "organization_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "guardian_patient_id" INTEGER,
    "guardian_contact_id" INTEGER,
    "relationship" TEXT,
    "ends_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "guardianship_pkey" PRIMARY KEY ("organization_id","patient_id")
);

-- CreateIndex
CREATE INDEX "guardianship_organization_id_guardian_patient_id_idx" ON "guardianship"("organization_id", "guardian_patient_id");

-- CreateIndex
CREATE INDEX "guardianship_organization_id_guardian_contact_id_idx" ON "guardianship"("organization_id", "guardian_contact_id");

-- AddForeignKey
ALTER TABLE "guardianship" ADD CONSTRAINT "guardianship_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "guardianship" ADD CONSTRAINT "guardianship_organization_id_guardian_patient_id_fkey" FOREIGN KEY ("organization_id", "guardian_patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "guardianship" ADD CONSTRAINT "guardianship_organization_id_guardian_contact_id_fkey" FOREIGN KEY ("organization_id", "guardian_contact_id") REFERENCES "contact"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE "guardianship" ADD CONSTRAINT "guardianship_organization_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id");
