-- CreateTable
CREATE TABLE "device_assignment" (
    "organization_id" INTEGER NOT NULL,
    "device_id" BIGINT NOT NULL,
    "serial" TEXT NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "assigned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "device_assignment_pkey" PRIMARY KEY ("organization_id","device_id")
);

-- CreateIndex
CREATE INDEX "device_assignment_organization_id_patient_id_idx" ON "device_assignment"("organization_id", "patient_id");

-- AddForeignKey
ALTER TABLE "device_assignment" ADD CONSTRAINT "device_assignment_organization_id_device_id_fkey" FOREIGN KEY ("organization_id", "device_id") REFERENCES "monitoring_device"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "device_assignment" ADD CONSTRAINT "device_assignment_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE device_assignment ADD CONSTRAINT device_assignment_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);

-- A serial number is with one patient at a time.
CREATE UNIQUE INDEX device_assignment_serial_key ON device_assignment (organization_id, lower(serial));
