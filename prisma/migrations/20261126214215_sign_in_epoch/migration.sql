-- AlterTable
ALTER TABLE "user" ADD COLUMN     "sign_in_epoch" INTEGER NOT NULL DEFAULT 0;
