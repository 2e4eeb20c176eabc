-- AlterTable
ALTER TABLE "appointment" ADD COLUMN     "check_in_started_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "appointment_note" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "appointment_id" BIGINT NOT NULL,
    "text" TEXT NOT NULL,
    "display_on_schedule" BOOLEAN NOT NULL DEFAULT false,
    "created_by_user_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "appointment_note_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "recall" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "office_id" INTEGER NOT NULL,
    "provider_id" INTEGER,
    "type_id" INTEGER,
    "approximate_date" DATE NOT NULL,
    "note" TEXT,
    "patient_instructions" TEXT,
    "staff_instructions" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "recall_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "appointment_note_organization_id_appointment_id_id_idx" ON "appointment_note"("organization_id", "appointment_id", "id");

-- CreateIndex
CREATE INDEX "appointment_note_organization_id_created_by_user_id_idx" ON "appointment_note"("organization_id", "created_by_user_id");

-- CreateIndex
CREATE INDEX "recall_organization_id_office_id_approximate_date_id_idx" ON "recall"("organization_id", "office_id", "approximate_date", "id");

-- CreateIndex
CREATE INDEX "recall_organization_id_patient_id_idx" ON "recall"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "recall_organization_id_provider_id_idx" ON "recall"("organization_id", "provider_id");

-- AddForeignKey
ALTER TABLE "appointment_note" ADD CONSTRAINT "appointment_note_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointment_note" ADD CONSTRAINT "appointment_note_organization_id_created_by_user_id_fkey" FOREIGN KEY ("organization_id", "created_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "recall" ADD CONSTRAINT "recall_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "recall" ADD CONSTRAINT "recall_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "recall" ADD CONSTRAINT "recall_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

ALTER TABLE appointment_note ADD CONSTRAINT appointment_note_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE recall ADD CONSTRAINT recall_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
