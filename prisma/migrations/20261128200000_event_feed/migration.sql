-- AlterTable
ALTER TABLE "security_policy" ADD COLUMN     "event_days" INTEGER NOT NULL DEFAULT 90;

-- CreateTable
CREATE TABLE "event_log_start" (
    "organization_id" INTEGER NOT NULL,
    "transaction_id" BIGINT NOT NULL,
    "event_id" BIGINT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_log_start_pkey" PRIMARY KEY ("organization_id")
);

-- CreateIndex
CREATE INDEX "event_organization_id_subject_type_subject_id_transaction_i_idx" ON "event"("organization_id", "subject_type", "subject_id", "transaction_id", "id");
