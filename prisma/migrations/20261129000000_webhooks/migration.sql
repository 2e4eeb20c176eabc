-- No program has written to these two tables so far.
DELETE FROM "webhook_delivery";
DELETE FROM "webhook_endpoint";

-- CreateEnum
CREATE TYPE "webhook_switch_off" AS ENUM ('gone', 'failing');

-- CreateEnum
CREATE TYPE "webhook_delivery_state" AS ENUM ('pending', 'delivered', 'dead');

-- DropIndex
DROP INDEX "webhook_delivery_next_attempt_at_idx";

-- DropIndex
DROP INDEX "webhook_delivery_organization_id_webhook_endpoint_id_event__key";

-- AlterTable
ALTER TABLE "webhook_endpoint" DROP COLUMN "secret",
ADD COLUMN     "client_id" TEXT,
ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "description" TEXT,
ADD COLUMN     "failing_since" TIMESTAMPTZ(3),
ADD COLUMN     "last_sequence" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "switched_off" "webhook_switch_off",
ADD COLUMN     "switched_off_at" TIMESTAMPTZ(3),
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL;

-- AlterTable
ALTER TABLE "webhook_delivery" DROP COLUMN "delivered_at",
ADD COLUMN     "answer" TEXT,
ADD COLUMN     "event_name" TEXT NOT NULL,
ADD COLUMN     "failure" TEXT,
ADD COLUMN     "finished_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_attempt_at" TIMESTAMPTZ(3),
ADD COLUMN     "payload" TEXT NOT NULL,
ADD COLUMN     "replay_id" INTEGER,
ADD COLUMN     "sequence" BIGINT NOT NULL,
ADD COLUMN     "state" "webhook_delivery_state" NOT NULL DEFAULT 'pending',
ADD COLUMN     "subject_id" BIGINT NOT NULL,
ADD COLUMN     "subject_type" TEXT NOT NULL;

-- CreateTable
CREATE TABLE "webhook_secret" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "webhook_endpoint_id" INTEGER NOT NULL,
    "secret" TEXT NOT NULL,
    "signing_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secret_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "webhook_replay" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "webhook_endpoint_id" INTEGER NOT NULL,
    "from_time" TIMESTAMPTZ(3) NOT NULL,
    "to_time" TIMESTAMPTZ(3) NOT NULL,
    "event_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "last_transaction_id" BIGINT NOT NULL DEFAULT 0,
    "last_event_id" BIGINT NOT NULL DEFAULT 0,
    "queued" INTEGER NOT NULL DEFAULT 0,
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_replay_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "webhook_secret_organization_id_webhook_endpoint_id_idx" ON "webhook_secret"("organization_id", "webhook_endpoint_id");

-- CreateIndex
CREATE INDEX "webhook_replay_organization_id_webhook_endpoint_id_idx" ON "webhook_replay"("organization_id", "webhook_endpoint_id");

-- CreateIndex
CREATE INDEX "webhook_endpoint_organization_id_client_id_idx" ON "webhook_endpoint"("organization_id", "client_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_organization_id_webhook_endpoint_id_state__idx" ON "webhook_delivery"("organization_id", "webhook_endpoint_id", "state", "sequence");

-- CreateIndex
CREATE INDEX "webhook_delivery_organization_id_webhook_endpoint_id_create_idx" ON "webhook_delivery"("organization_id", "webhook_endpoint_id", "created_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_finished_at_idx" ON "webhook_delivery"("finished_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_organization_id_webhook_endpoint_id_sequen_key" ON "webhook_delivery"("organization_id", "webhook_endpoint_id", "sequence");

-- AddForeignKey
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_organization_id_client_id_fkey" FOREIGN KEY ("organization_id", "client_id") REFERENCES "api_client_grant"("organization_id", "client_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhook_secret" ADD CONSTRAINT "webhook_secret_organization_id_webhook_endpoint_id_fkey" FOREIGN KEY ("organization_id", "webhook_endpoint_id") REFERENCES "webhook_endpoint"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_organization_id_webhook_endpoint_id_fkey" FOREIGN KEY ("organization_id", "webhook_endpoint_id") REFERENCES "webhook_endpoint"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Of an endpoint, the deliveries that may be attempted, in the order of their time.
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (organization_id, webhook_endpoint_id, next_attempt_at, sequence) WHERE state = 'pending' AND next_attempt_at IS NOT NULL;

-- Of a record, the deliveries that are not done, so that a later one waits for an earlier one.
CREATE INDEX webhook_delivery_subject_idx ON webhook_delivery (organization_id, webhook_endpoint_id, subject_type, subject_id, sequence) WHERE state = 'pending';

CREATE INDEX webhook_endpoint_deleted_idx ON webhook_endpoint (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX webhook_replay_open_idx ON webhook_replay (organization_id, webhook_endpoint_id) WHERE finished_at IS NULL;

ALTER TABLE "webhook_secret" ADD CONSTRAINT "webhook_secret_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
