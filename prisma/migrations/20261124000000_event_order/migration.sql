-- DropIndex
DROP INDEX "event_transaction_id_id_idx";

-- DropIndex
DROP INDEX "event_organization_id_transaction_id_id_idx";

-- AlterTable
ALTER TABLE "event" DROP CONSTRAINT "event_pkey",
ADD CONSTRAINT "event_pkey" PRIMARY KEY ("organization_id", "transaction_id", "id");
