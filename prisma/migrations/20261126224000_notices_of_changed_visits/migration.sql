-- CreateEnum
CREATE TYPE "visit_change_notice" AS ENUM ('none', 'text', 'email');

-- AlterTable
ALTER TABLE "sms_message" ADD COLUMN     "sent_by_user_id" INTEGER;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "visit_change_notice" "visit_change_notice" NOT NULL DEFAULT 'none';
