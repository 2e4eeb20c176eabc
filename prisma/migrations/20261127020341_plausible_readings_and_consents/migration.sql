-- CreateEnum
CREATE TYPE "item_kind" AS ENUM ('physiologic', 'respiratory', 'musculoskeletal', 'cognitive_behavioral');

-- AlterTable
ALTER TABLE "survey_type" ADD COLUMN     "language" TEXT NOT NULL DEFAULT 'en',
ADD COLUMN     "variants" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "reading" ADD COLUMN     "error_at" TIMESTAMPTZ(3),
ADD COLUMN     "error_by_user_id" INTEGER,
ADD COLUMN     "error_reason" TEXT,
ADD COLUMN     "implausible" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "item" ADD COLUMN     "kind" "item_kind" NOT NULL DEFAULT 'physiologic',
ADD COLUMN     "plausible_max" DECIMAL(12,3),
ADD COLUMN     "plausible_min" DECIMAL(12,3);

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "records_visits" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "video_session" ADD COLUMN     "recording_asked_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "session_participant" ADD COLUMN     "recording_answered_at" TIMESTAMPTZ(3),
ADD COLUMN     "recording_consent" BOOLEAN,
ADD COLUMN     "recording_words" TEXT;
