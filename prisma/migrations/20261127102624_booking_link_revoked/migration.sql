-- AlterTable
ALTER TABLE "booking_link" ADD COLUMN     "revoked_at" TIMESTAMPTZ(3);
