-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "public_booking" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "public_booking" (
    "organization_id" INTEGER NOT NULL,
    "link_hash" BYTEA NOT NULL,
    "type_id" INTEGER NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "office_id" INTEGER NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "birth_date" DATE NOT NULL,
    "language" TEXT NOT NULL,
    "code_sent_to" TEXT NOT NULL,
    "code_hash" BYTEA,
    "code_expires_at" TIMESTAMPTZ(3),
    "codes_sent_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "wrong_codes" INTEGER NOT NULL DEFAULT 0,
    "wrong_in_all" INTEGER NOT NULL DEFAULT 0,
    "hold_id" BIGINT,
    "is_proven" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "public_booking_pkey" PRIMARY KEY ("organization_id","link_hash")
);

-- CreateIndex
CREATE INDEX "public_booking_created_at_idx" ON "public_booking"("created_at");

-- AddForeignKey
ALTER TABLE public_booking ADD CONSTRAINT public_booking_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);

-- The time that a visit leaves has its buffers.
CREATE OR REPLACE FUNCTION appointment_frees_time() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  buffers record;
BEGIN
  SELECT max(t.buffer_before) AS before, max(t.buffer_after) AS after INTO buffers FROM appointment_type t
   WHERE t.organization_id = OLD.type_organization_id AND t.id = OLD.type_id;
  INSERT INTO freed_time (organization_id, provider_id, patient_id, starts_at, ends_at)
  SELECT OLD.organization_id, OLD.provider_id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.patient_id END,
         OLD.starts_at - make_interval(mins => coalesce(buffers.before, 0)), OLD.ends_at + make_interval(mins => coalesce(buffers.after, 0))
   WHERE EXISTS (SELECT FROM waitlist_entry w WHERE w.organization_id = OLD.organization_id AND w.status = 'waiting')
     AND EXISTS (SELECT FROM provider v WHERE v.organization_id = OLD.organization_id AND v.id = OLD.provider_id);
  RETURN NULL;
END $$;
