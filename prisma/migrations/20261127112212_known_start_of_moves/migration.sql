-- AlterTable
ALTER TABLE "visit_message" ADD COLUMN     "known_start" TIMESTAMPTZ(3);
