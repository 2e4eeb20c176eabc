-- CreateEnum
CREATE TYPE "waitlist_priority" AS ENUM ('HIGH', 'NORMAL', 'LOW');

-- CreateEnum
CREATE TYPE "waitlist_status" AS ENUM ('waiting', 'booked', 'ended');

-- CreateEnum
CREATE TYPE "offer_state" AS ENUM ('open', 'accepted', 'declined', 'expired', 'withdrawn');

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "decline_sends_link" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "waitlist_offer_minutes" INTEGER NOT NULL DEFAULT 30;

-- CreateTable
CREATE TABLE "waitlist_entry" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "type_id" INTEGER NOT NULL,
    "provider_id" INTEGER,
    "office_id" INTEGER,
    "priority" "waitlist_priority" NOT NULL DEFAULT 'NORMAL',
    "weekdays" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "from_minute" INTEGER NOT NULL DEFAULT 0,
    "until_minute" INTEGER NOT NULL DEFAULT 1440,
    "earliest" DATE,
    "latest" DATE,
    "waits_until" DATE,
    "channel" TEXT,
    "note" TEXT,
    "appointment_id" BIGINT,
    "status" "waitlist_status" NOT NULL DEFAULT 'waiting',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "waitlist_entry_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "freed_time" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "patient_id" INTEGER,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "freed_time_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "slot_offer" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "entry_id" BIGINT NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "freed_time_id" BIGINT,
    "hold_id" BIGINT NOT NULL,
    "slot_id" BIGINT NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "time_zone" TEXT NOT NULL,
    "state" "offer_state" NOT NULL DEFAULT 'open',
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "answered_at" TIMESTAMPTZ(3),
    "appointment_id" BIGINT,
    "link_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slot_offer_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "booking_link" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "type_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "provider_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "office_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "link_hash" BYTEA NOT NULL,
    "appointment_id" BIGINT,
    "channel" TEXT,
    "due_at" TIMESTAMPTZ(3),
    "sms_message_id" BIGINT,
    "mail_message_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "booking_link_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "waitlist_entry_organization_id_status_priority_created_at_i_idx" ON "waitlist_entry"("organization_id", "status", "priority", "created_at", "id");

-- CreateIndex
CREATE INDEX "waitlist_entry_organization_id_patient_id_idx" ON "waitlist_entry"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "waitlist_entry_organization_id_provider_id_idx" ON "waitlist_entry"("organization_id", "provider_id");

-- CreateIndex
CREATE INDEX "waitlist_entry_organization_id_office_id_idx" ON "waitlist_entry"("organization_id", "office_id");

-- CreateIndex
CREATE INDEX "waitlist_entry_organization_id_appointment_id_idx" ON "waitlist_entry"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "freed_time_due_at_idx" ON "freed_time"("due_at");

-- CreateIndex
CREATE INDEX "freed_time_organization_id_provider_id_idx" ON "freed_time"("organization_id", "provider_id");

-- CreateIndex
CREATE INDEX "freed_time_organization_id_patient_id_idx" ON "freed_time"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "slot_offer_organization_id_entry_id_idx" ON "slot_offer"("organization_id", "entry_id");

-- CreateIndex
CREATE INDEX "slot_offer_organization_id_patient_id_idx" ON "slot_offer"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "slot_offer_organization_id_provider_id_starts_at_idx" ON "slot_offer"("organization_id", "provider_id", "starts_at");

-- CreateIndex
CREATE INDEX "slot_offer_organization_id_freed_time_id_idx" ON "slot_offer"("organization_id", "freed_time_id");

-- CreateIndex
CREATE INDEX "slot_offer_organization_id_appointment_id_idx" ON "slot_offer"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "slot_offer_organization_id_link_id_idx" ON "slot_offer"("organization_id", "link_id");

-- CreateIndex
CREATE INDEX "slot_offer_organization_id_created_at_idx" ON "slot_offer"("organization_id", "created_at");

-- CreateIndex
CREATE INDEX "booking_link_due_at_idx" ON "booking_link"("due_at");

-- CreateIndex
CREATE INDEX "booking_link_organization_id_patient_id_idx" ON "booking_link"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "booking_link_organization_id_appointment_id_idx" ON "booking_link"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "booking_link_organization_id_sms_message_id_idx" ON "booking_link"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "booking_link_organization_id_mail_message_id_idx" ON "booking_link"("organization_id", "mail_message_id");

-- CreateIndex
CREATE UNIQUE INDEX "booking_link_organization_id_link_hash_key" ON "booking_link"("organization_id", "link_hash");

-- AddForeignKey
ALTER TABLE "waitlist_entry" ADD CONSTRAINT "waitlist_entry_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waitlist_entry" ADD CONSTRAINT "waitlist_entry_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waitlist_entry" ADD CONSTRAINT "waitlist_entry_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waitlist_entry" ADD CONSTRAINT "waitlist_entry_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "freed_time" ADD CONSTRAINT "freed_time_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "freed_time" ADD CONSTRAINT "freed_time_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot_offer" ADD CONSTRAINT "slot_offer_organization_id_entry_id_fkey" FOREIGN KEY ("organization_id", "entry_id") REFERENCES "waitlist_entry"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot_offer" ADD CONSTRAINT "slot_offer_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot_offer" ADD CONSTRAINT "slot_offer_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot_offer" ADD CONSTRAINT "slot_offer_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "slot_offer" ADD CONSTRAINT "slot_offer_organization_id_link_id_fkey" FOREIGN KEY ("organization_id", "link_id") REFERENCES "booking_link"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "booking_link" ADD CONSTRAINT "booking_link_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "booking_link" ADD CONSTRAINT "booking_link_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "booking_link" ADD CONSTRAINT "booking_link_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "booking_link" ADD CONSTRAINT "booking_link_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

ALTER TABLE waitlist_entry ADD CONSTRAINT waitlist_entry_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE freed_time ADD CONSTRAINT freed_time_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE slot_offer ADD CONSTRAINT slot_offer_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE booking_link ADD CONSTRAINT booking_link_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);

-- A patient is asked about one time at once, so that a Yes is clear.
CREATE UNIQUE INDEX slot_offer_open ON slot_offer (organization_id, patient_id) WHERE state = 'open';

-- A visit to come that leaves its time, while patients of the practice wait for one.
CREATE FUNCTION appointment_frees_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO freed_time (organization_id, provider_id, patient_id, starts_at, ends_at)
  SELECT OLD.organization_id, OLD.provider_id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.patient_id END, OLD.starts_at, OLD.ends_at
   WHERE EXISTS (SELECT FROM waitlist_entry w WHERE w.organization_id = OLD.organization_id AND w.status = 'waiting')
     AND EXISTS (SELECT FROM provider v WHERE v.organization_id = OLD.organization_id AND v.id = OLD.provider_id);
  RETURN NULL;
END $$;
CREATE TRIGGER appointment_frees_time AFTER UPDATE OF starts_at, ends_at, status, provider_id ON appointment
  FOR EACH ROW WHEN (OLD.status NOT IN ('cancelled', 'no_show') AND OLD.provider_id IS NOT NULL AND OLD.starts_at > now()
    AND (NEW.status IN ('cancelled', 'no_show') OR NEW.starts_at IS DISTINCT FROM OLD.starts_at OR NEW.ends_at IS DISTINCT FROM OLD.ends_at
      OR NEW.provider_id IS DISTINCT FROM OLD.provider_id))
  EXECUTE FUNCTION appointment_frees_time();
CREATE TRIGGER appointment_frees_time_when_deleted AFTER DELETE ON appointment
  FOR EACH ROW WHEN (OLD.status NOT IN ('cancelled', 'no_show') AND OLD.provider_id IS NOT NULL AND OLD.starts_at > now())
  EXECUTE FUNCTION appointment_frees_time();
