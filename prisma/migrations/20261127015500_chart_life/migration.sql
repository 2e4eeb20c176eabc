-- CreateEnum
CREATE TYPE "visits_of_deceased" AS ENUM ('cancel', 'keep');

-- AlterTable
ALTER TABLE "patient" ADD COLUMN     "language_offer_id" BIGINT,
ADD COLUMN     "merged_into_id" INTEGER;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "visits_of_deceased" "visits_of_deceased" NOT NULL DEFAULT 'cancel';

-- AlterTable
ALTER TABLE "changed_record" ADD COLUMN     "withdrawn" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "patient_merge" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "from_patient_id" INTEGER NOT NULL,
    "from_status" "patient_status" NOT NULL,
    "fields" JSONB NOT NULL,
    "took_record_number" BOOLEAN NOT NULL DEFAULT false,
    "moved" JSONB NOT NULL,
    "merged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "patient_merge_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "patient_merge_organization_id_patient_id_idx" ON "patient_merge"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "patient_merge_organization_id_from_patient_id_idx" ON "patient_merge"("organization_id", "from_patient_id");

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_merged_into_id_fkey" FOREIGN KEY ("organization_id", "merged_into_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_merge" ADD CONSTRAINT "patient_merge_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_merge" ADD CONSTRAINT "patient_merge_organization_id_from_patient_id_fkey" FOREIGN KEY ("organization_id", "from_patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE "patient_merge" ADD CONSTRAINT "patient_merge_organization_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id");
