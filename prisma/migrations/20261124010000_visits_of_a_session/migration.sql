-- AlterTable
ALTER TABLE "video_session" ADD COLUMN     "locked_at" TIMESTAMPTZ(3),
ADD COLUMN     "visit" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "session_participant" ADD COLUMN     "camera" BOOLEAN,
ADD COLUMN     "entries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "microphone" BOOLEAN,
ADD COLUMN     "removed_at" TIMESTAMPTZ(3),
ADD COLUMN     "visit" INTEGER;

-- AlterTable
ALTER TABLE "telehealth_visit" ADD COLUMN     "visit" INTEGER;

-- AlterTable
ALTER TABLE "waiting_room_visit" ADD COLUMN     "camera" BOOLEAN,
ADD COLUMN     "entries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "microphone" BOOLEAN;

-- Until now all who were admitted to a session were in one visit.
UPDATE session_participant SET visit = 1 WHERE role = 'guest' AND admitted_at IS NOT NULL;
UPDATE video_session s SET visit = 1 WHERE EXISTS (
  SELECT FROM session_participant p WHERE p.organization_id = s.organization_id AND p.video_session_id = s.id AND p.visit IS NOT NULL);
UPDATE telehealth_visit SET visit = 1;

-- Nobody left before they joined, and an admitted guest is in a visit.
UPDATE session_participant SET left_at = joined_at WHERE left_at < joined_at;
ALTER TABLE session_participant
  ADD CONSTRAINT session_participant_left_after_joining CHECK (left_at >= joined_at),
  ADD CONSTRAINT session_participant_in_a_visit CHECK (role = 'host' OR admitted_at IS NULL OR visit IS NOT NULL);

-- The visits of a session follow each other: those with different numbers do not overlap.
ALTER TABLE telehealth_visit ADD CONSTRAINT telehealth_visit_one_after_another EXCLUDE USING gist
  (organization_id WITH =, video_session_id WITH =, visit WITH <>, tstzrange(started_at, ended_at) WITH &&);
