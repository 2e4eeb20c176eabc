-- CreateTable
CREATE TABLE "appointment_series" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "rule" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "appointment_ids" BIGINT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "appointment_series_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "appointment_series_organization_id_patient_id_idx" ON "appointment_series"("organization_id", "patient_id");

-- AddForeignKey
ALTER TABLE "appointment_series" ADD CONSTRAINT "appointment_series_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

ALTER TABLE appointment_series ADD CONSTRAINT appointment_series_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
