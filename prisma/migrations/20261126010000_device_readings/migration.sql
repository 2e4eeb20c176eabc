-- AlterTable
ALTER TABLE "reading" ADD COLUMN     "device_id" BIGINT,
ADD COLUMN     "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "recorded_by_user_id" INTEGER,
ADD COLUMN     "source" TEXT NOT NULL DEFAULT 'self',
ALTER COLUMN "check_in_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "monitoring_device" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "identifier" TEXT NOT NULL,
    "make" TEXT,
    "model" TEXT,
    "serial" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "monitoring_device_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "reading_organization_id_patient_id_measured_at_id_idx" ON "reading"("organization_id", "patient_id", "measured_at", "id");

-- CreateIndex
CREATE INDEX "reading_organization_id_recorded_by_user_id_idx" ON "reading"("organization_id", "recorded_by_user_id");

-- CreateIndex
CREATE UNIQUE INDEX "reading_organization_id_device_id_item_id_patient_id_measur_key" ON "reading"("organization_id", "device_id", "item_id", "patient_id", "measured_at");

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_device_id_fkey" FOREIGN KEY ("organization_id", "device_id") REFERENCES "monitoring_device"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_recorded_by_user_id_fkey" FOREIGN KEY ("organization_id", "recorded_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- Readings so far are answers to check-ins, which were received as they were measured.
UPDATE reading SET received_at = measured_at;
ALTER TABLE reading ADD CONSTRAINT reading_source_check CHECK (source IN ('device', 'self', 'staff'));

-- One device of a practice by its identifier, in any case.
CREATE UNIQUE INDEX monitoring_device_identifier_key ON monitoring_device (organization_id, lower(identifier));

-- A person who measures without a device sends a measurement once too.
CREATE UNIQUE INDEX reading_by_hand_key ON reading (organization_id, patient_id, item_id, measured_at, source)
  WHERE device_id IS NULL AND check_in_id IS NULL;

ALTER TABLE "monitoring_device" ADD CONSTRAINT "monitoring_device_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
