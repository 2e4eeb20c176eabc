-- AlterTable
ALTER TABLE "import_run" ADD COLUMN     "attempts" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "video_session" ADD COLUMN     "recorded_visit" INTEGER;
