-- AlterTable
ALTER TABLE "session_image" ADD COLUMN     "body_site" TEXT,
ADD COLUMN     "maker_participant_id" BIGINT,
ADD COLUMN     "maker_user_id" INTEGER,
ADD COLUMN     "patient_id" INTEGER,
ADD COLUMN     "shown_participant_id" BIGINT;

-- AlterTable
ALTER TABLE "session_video" ADD COLUMN     "body_site" TEXT,
ADD COLUMN     "maker_participant_id" BIGINT,
ADD COLUMN     "maker_user_id" INTEGER,
ADD COLUMN     "patient_id" INTEGER,
ADD COLUMN     "playable" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "shown_participant_id" BIGINT;

-- A picture belongs to the only patient of its session, else to nobody; its maker is who uploaded it, else the host of the session.
CREATE TEMPORARY TABLE only_patient ON COMMIT DROP AS
SELECT organization_id, video_session_id, min(patient_id) AS patient_id
  FROM (SELECT organization_id, video_session_id, patient_id FROM session_participant
         UNION SELECT organization_id, video_session_id, patient_id FROM session_invite WHERE withdrawn_at IS NULL
         UNION SELECT organization_id, video_session_id, patient_id FROM telehealth_visit
         UNION SELECT s.organization_id, s.id, a.patient_id
                 FROM video_session s JOIN appointment a ON a.organization_id = s.organization_id AND a.id = s.appointment_id) AS found
 WHERE video_session_id IS NOT NULL AND patient_id IS NOT NULL
 GROUP BY organization_id, video_session_id HAVING count(*) = 1;

UPDATE session_image m SET patient_id = o.patient_id
  FROM only_patient o WHERE o.organization_id = m.organization_id AND o.video_session_id = m.video_session_id;
UPDATE session_video m SET patient_id = o.patient_id
  FROM only_patient o WHERE o.organization_id = m.organization_id AND o.video_session_id = m.video_session_id;
UPDATE session_image m SET maker_user_id = coalesce(u.id, s.host_user_id)
  FROM video_session s, attachment f LEFT JOIN "user" u ON u.organization_id = f.organization_id AND u.id = f.uploaded_by_user_id
 WHERE s.organization_id = m.organization_id AND s.id = m.video_session_id
   AND f.organization_id = m.organization_id AND f.id = m.attachment_id;
UPDATE session_video m SET maker_user_id = coalesce(u.id, s.host_user_id)
  FROM video_session s, attachment f LEFT JOIN "user" u ON u.organization_id = f.organization_id AND u.id = f.uploaded_by_user_id
 WHERE s.organization_id = m.organization_id AND s.id = m.video_session_id
   AND f.organization_id = m.organization_id AND f.id = m.attachment_id;

-- CreateTable
CREATE TABLE "still_request" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "video_session_id" BIGINT NOT NULL,
    "participant_id" BIGINT NOT NULL,
    "host_id" BIGINT NOT NULL,
    "body_site" TEXT,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "refused_at" TIMESTAMPTZ(3),
    "taken_at" TIMESTAMPTZ(3),
    "image_id" BIGINT,

    CONSTRAINT "still_request_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "still_request_organization_id_video_session_id_idx" ON "still_request"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "still_request_organization_id_participant_id_idx" ON "still_request"("organization_id", "participant_id");

-- CreateIndex
CREATE INDEX "still_request_organization_id_host_id_idx" ON "still_request"("organization_id", "host_id");

-- CreateIndex
CREATE INDEX "still_request_organization_id_image_id_idx" ON "still_request"("organization_id", "image_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_patient_id_taken_at_id_idx" ON "session_image"("organization_id", "patient_id", "taken_at", "id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_shown_participant_id_idx" ON "session_image"("organization_id", "shown_participant_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_maker_user_id_idx" ON "session_image"("organization_id", "maker_user_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_maker_participant_id_idx" ON "session_image"("organization_id", "maker_participant_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_patient_id_recorded_at_id_idx" ON "session_video"("organization_id", "patient_id", "recorded_at", "id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_shown_participant_id_idx" ON "session_video"("organization_id", "shown_participant_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_maker_user_id_idx" ON "session_video"("organization_id", "maker_user_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_maker_participant_id_idx" ON "session_video"("organization_id", "maker_participant_id");

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_shown_participant_id_fkey" FOREIGN KEY ("organization_id", "shown_participant_id") REFERENCES "session_participant"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_maker_user_id_fkey" FOREIGN KEY ("organization_id", "maker_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_maker_participant_id_fkey" FOREIGN KEY ("organization_id", "maker_participant_id") REFERENCES "session_participant"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_shown_participant_id_fkey" FOREIGN KEY ("organization_id", "shown_participant_id") REFERENCES "session_participant"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_maker_user_id_fkey" FOREIGN KEY ("organization_id", "maker_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_maker_participant_id_fkey" FOREIGN KEY ("organization_id", "maker_participant_id") REFERENCES "session_participant"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "still_request" ADD CONSTRAINT "still_request_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "still_request" ADD CONSTRAINT "still_request_organization_id_participant_id_fkey" FOREIGN KEY ("organization_id", "participant_id") REFERENCES "session_participant"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "still_request" ADD CONSTRAINT "still_request_organization_id_host_id_fkey" FOREIGN KEY ("organization_id", "host_id") REFERENCES "session_participant"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "still_request" ADD CONSTRAINT "still_request_organization_id_image_id_fkey" FOREIGN KEY ("organization_id", "image_id") REFERENCES "session_image"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- What Prisma's schema cannot express: every row of a practice refers to its organization.
ALTER TABLE still_request ADD CONSTRAINT still_request_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
