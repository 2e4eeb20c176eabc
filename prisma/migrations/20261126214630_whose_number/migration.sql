-- AlterTable
ALTER TABLE "sms_message" ADD COLUMN     "own_number" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "scheduled_check_in_recipient" ALTER COLUMN "channel" DROP NOT NULL;
