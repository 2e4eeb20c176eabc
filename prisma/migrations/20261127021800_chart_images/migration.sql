-- DropIndex
DROP INDEX "insurance_organization_id_patient_id_sequence_number_key";

-- AlterTable
ALTER TABLE "insurance" ADD COLUMN     "cancelled_on" DATE;

-- CreateTable
CREATE TABLE "chart_image" (
    "organization_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "insurance_id" INTEGER NOT NULL,
    "media_type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chart_image_pkey" PRIMARY KEY ("organization_id","patient_id","insurance_id")
);

-- CreateIndex
CREATE INDEX "insurance_organization_id_patient_id_sequence_number_idx" ON "insurance"("organization_id", "patient_id", "sequence_number");

-- CreateIndex
CREATE INDEX "insurance_organization_id_insurance_package_id_idx" ON "insurance"("organization_id", "insurance_package_id");

-- AddForeignKey
ALTER TABLE "chart_image" ADD CONSTRAINT "chart_image_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE chart_image ADD CONSTRAINT chart_image_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);

-- Of the insurances of a patient that are not cancelled, one has a place.
CREATE UNIQUE INDEX insurance_place_key ON insurance (organization_id, patient_id, sequence_number) WHERE cancelled_on IS NULL;
