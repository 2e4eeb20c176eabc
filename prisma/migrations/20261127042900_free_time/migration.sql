-- CreateEnum
CREATE TYPE "visit_modality" AS ENUM ('in_person', 'video');

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "decline_frees_slot" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "appointment_type" ADD COLUMN     "bookable_by" TEXT[] DEFAULT ARRAY['staff', 'apps', 'patient']::TEXT[],
ADD COLUMN     "buffer_after" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "buffer_before" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "capacity" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "latest_days" INTEGER,
ADD COLUMN     "lead_minutes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "modality" "visit_modality" NOT NULL DEFAULT 'in_person';

-- AlterTable
ALTER TABLE "appointment" ADD COLUMN     "frozen" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "availability" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "office_id" INTEGER NOT NULL,
    "weekday" INTEGER NOT NULL,
    "from_minute" INTEGER NOT NULL,
    "until_minute" INTEGER NOT NULL,
    "starts_on" DATE,
    "ends_on" DATE,
    "type_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "capacity" INTEGER,
    "bookable_by" TEXT[] DEFAULT ARRAY['staff', 'apps', 'patient']::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "availability_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "availability_exception" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "provider_id" INTEGER,
    "office_id" INTEGER,
    "from_local" TIMESTAMP(3) NOT NULL,
    "until_local" TIMESTAMP(3) NOT NULL,
    "available" BOOLEAN NOT NULL DEFAULT false,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "availability_exception_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "slot" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGINT NOT NULL DEFAULT nextval('appointment_id_seq'),
    "provider_id" INTEGER NOT NULL,
    "office_id" INTEGER NOT NULL,
    "type_id" INTEGER NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "capacity" INTEGER NOT NULL,
    "shown_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slot_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "slot_claim" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "slot_id" BIGINT NOT NULL,
    "seat" INTEGER NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "busy_from" TIMESTAMPTZ(3) NOT NULL,
    "busy_until" TIMESTAMPTZ(3) NOT NULL,
    "holder" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "appointment_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slot_claim_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "availability_organization_id_provider_id_idx" ON "availability"("organization_id", "provider_id");

-- CreateIndex
CREATE INDEX "availability_organization_id_office_id_idx" ON "availability"("organization_id", "office_id");

-- CreateIndex
CREATE INDEX "availability_exception_organization_id_until_local_idx" ON "availability_exception"("organization_id", "until_local");

-- CreateIndex
CREATE INDEX "availability_exception_organization_id_provider_id_idx" ON "availability_exception"("organization_id", "provider_id");

-- CreateIndex
CREATE INDEX "availability_exception_organization_id_office_id_idx" ON "availability_exception"("organization_id", "office_id");

-- CreateIndex
CREATE INDEX "slot_organization_id_office_id_idx" ON "slot"("organization_id", "office_id");

-- CreateIndex
CREATE UNIQUE INDEX "slot_organization_id_provider_id_starts_at_office_id_type_i_key" ON "slot"("organization_id", "provider_id", "starts_at", "office_id", "type_id");

-- CreateIndex
CREATE INDEX "slot_claim_organization_id_appointment_id_idx" ON "slot_claim"("organization_id", "appointment_id");

-- CreateIndex
CREATE UNIQUE INDEX "slot_claim_organization_id_slot_id_seat_key" ON "slot_claim"("organization_id", "slot_id", "seat");

-- AddForeignKey
ALTER TABLE "availability" ADD CONSTRAINT "availability_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "availability" ADD CONSTRAINT "availability_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "availability_exception" ADD CONSTRAINT "availability_exception_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "availability_exception" ADD CONSTRAINT "availability_exception_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot" ADD CONSTRAINT "slot_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot" ADD CONSTRAINT "slot_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot_claim" ADD CONSTRAINT "slot_claim_organization_id_slot_id_fkey" FOREIGN KEY ("organization_id", "slot_id") REFERENCES "slot"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot_claim" ADD CONSTRAINT "slot_claim_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Claims of different slots of one provider never overlap; those of one slot have different seats.
ALTER TABLE "slot_claim" ADD CONSTRAINT "slot_claim_no_overlap" EXCLUDE USING gist (
  organization_id WITH =, provider_id WITH =, slot_id WITH <>, tstzrange(busy_from, busy_until) WITH &&);

-- A visit that no longer takes up its slot frees it. A slot whose id became an appointment's goes with it: the next one has another id.
CREATE FUNCTION appointment_frees_slot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM slot_claim c
   WHERE c.organization_id = NEW.organization_id AND c.appointment_id = NEW.id
     AND (NEW.status IN ('cancelled', 'no_show') OR NOT EXISTS (
       SELECT FROM slot s WHERE s.organization_id = NEW.organization_id AND s.id = c.slot_id
          AND s.starts_at = NEW.starts_at AND s.provider_id = NEW.provider_id));
  DELETE FROM slot s
   WHERE s.organization_id = NEW.organization_id AND s.id = NEW.id
     AND NOT EXISTS (SELECT FROM slot_claim c WHERE c.organization_id = NEW.organization_id AND c.slot_id = s.id);
  RETURN NULL;
END $$;
CREATE TRIGGER appointment_frees_slot AFTER UPDATE OF starts_at, status, provider_id ON appointment
  FOR EACH ROW WHEN (OLD.starts_at IS DISTINCT FROM NEW.starts_at OR OLD.status <> NEW.status OR OLD.provider_id IS DISTINCT FROM NEW.provider_id)
  EXECUTE FUNCTION appointment_frees_slot();

-- Visits of one group are at one time: their seats exclude each other, and not their times.
CREATE OR REPLACE FUNCTION user_appointment_times() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT a.starts_at, a.ends_at, o.double_booking = 'refuse' AND a.status NOT IN ('cancelled', 'no_show') AND NOT EXISTS (
           SELECT FROM slot_claim c JOIN slot s ON s.organization_id = NEW.organization_id AND s.id = c.slot_id
            WHERE c.organization_id = NEW.organization_id AND c.appointment_id = NEW.appointment_id AND s.capacity > 1)
    INTO NEW.starts_at, NEW.ends_at, NEW.exclusive
    FROM appointment a JOIN organization o ON o.id = a.organization_id
   WHERE a.organization_id = NEW.organization_id AND a.id = NEW.appointment_id;
  RETURN NEW;
END $$;
