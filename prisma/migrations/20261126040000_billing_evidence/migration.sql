-- CreateEnum
CREATE TYPE "monitoring_service" AS ENUM ('rpm', 'rtm_respiratory', 'rtm_musculoskeletal', 'rtm_cognitive_behavioral');

-- CreateEnum
CREATE TYPE "monitoring_readings" AS ENUM ('device', 'any');

-- CreateEnum
CREATE TYPE "monitoring_period" AS ENUM ('calendar_month', 'thirty_days');

-- AlterTable
ALTER TABLE "program" ADD COLUMN     "service" "monitoring_service" NOT NULL DEFAULT 'rpm';

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "monitoring_period" "monitoring_period" NOT NULL DEFAULT 'calendar_month',
ADD COLUMN     "monitoring_readings" "monitoring_readings" NOT NULL DEFAULT 'device';

-- CreateTable
CREATE TABLE "monitoring_consent" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "given_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked" BOOLEAN NOT NULL DEFAULT false,
    "how" TEXT NOT NULL,
    "given_by" TEXT NOT NULL,
    "note" TEXT,
    "recorded_by_user_id" INTEGER,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "monitoring_consent_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "monitoring_consent_organization_id_patient_id_given_at_id_idx" ON "monitoring_consent"("organization_id", "patient_id", "given_at", "id");

-- CreateIndex
CREATE INDEX "monitoring_consent_organization_id_recorded_by_user_id_idx" ON "monitoring_consent"("organization_id", "recorded_by_user_id");

-- AddForeignKey
ALTER TABLE "monitoring_consent" ADD CONSTRAINT "monitoring_consent_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "monitoring_consent" ADD CONSTRAINT "monitoring_consent_organization_id_recorded_by_user_id_fkey" FOREIGN KEY ("organization_id", "recorded_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

ALTER TABLE monitoring_consent ADD CONSTRAINT monitoring_consent_how_check CHECK (how IN ('verbal', 'written', 'electronic'));

-- The history of consent is evidence: what was recorded stays, and a revocation is an entry of its own.
CREATE TRIGGER monitoring_consent_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON monitoring_consent
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

ALTER TABLE "monitoring_consent" ADD CONSTRAINT "monitoring_consent_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
