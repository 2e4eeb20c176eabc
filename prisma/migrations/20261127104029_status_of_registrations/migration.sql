-- AlterTable
ALTER TABLE "patient_registration" DROP COLUMN "status";
