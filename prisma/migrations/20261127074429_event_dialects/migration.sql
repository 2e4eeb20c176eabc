-- CreateEnum
CREATE TYPE "event_dialect" AS ENUM ('integration', 'practice', 'mobile');

-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "dialect" "event_dialect";
