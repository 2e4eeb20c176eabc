-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "claimed_until" TIMESTAMPTZ(3);
