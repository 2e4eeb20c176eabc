-- CreateEnum
CREATE TYPE "change_feed" AS ENUM ('patients', 'appointments', 'providers');

-- CreateTable
CREATE TABLE "change_subscription" (
    "organization_id" INTEGER NOT NULL,
    "client_id" TEXT NOT NULL,
    "feed" "change_feed" NOT NULL,
    "change_names" TEXT[],
    "last_transaction_id" BIGINT NOT NULL,
    "last_event_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "change_subscription_pkey" PRIMARY KEY ("organization_id","client_id","feed")
);

-- CreateTable
CREATE TABLE "changed_record" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "feed" "change_feed" NOT NULL,
    "record_id" BIGINT NOT NULL,
    "handed_out_at" TIMESTAMPTZ(3),

    CONSTRAINT "changed_record_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "changed_record_organization_id_client_id_feed_handed_out_at_idx" ON "changed_record"("organization_id", "client_id", "feed", "handed_out_at", "id");

-- CreateIndex
CREATE INDEX "changed_record_handed_out_at_idx" ON "changed_record"("handed_out_at");

-- AddForeignKey
ALTER TABLE "change_subscription" ADD CONSTRAINT "change_subscription_organization_id_client_id_fkey" FOREIGN KEY ("organization_id", "client_id") REFERENCES "api_client_grant"("organization_id", "client_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "changed_record" ADD CONSTRAINT "changed_record_organization_id_client_id_feed_fkey" FOREIGN KEY ("organization_id", "client_id", "feed") REFERENCES "change_subscription"("organization_id", "client_id", "feed") ON DELETE CASCADE ON UPDATE NO ACTION;

-- A record waits once, however often it changes.
CREATE UNIQUE INDEX changed_record_waiting_key ON changed_record (organization_id, client_id, feed, record_id) WHERE handed_out_at IS NULL;

ALTER TABLE "change_subscription" ADD CONSTRAINT "change_subscription_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "changed_record" ADD CONSTRAINT "changed_record_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
