-- What is written in a visit, who was told that the practice runs late, and notifications of somebody who waits anew.
-- DropIndex
DROP INDEX "notification_organization_id_user_id_kind_subject_type_subj_key";

-- AlterTable
ALTER TABLE "notification" ADD COLUMN     "occasion" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "session_chat_message" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "video_session_id" BIGINT NOT NULL,
    "visit" INTEGER NOT NULL,
    "participant_id" BIGINT NOT NULL,
    "text" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_chat_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "late_notice" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "participant_id" BIGINT,
    "waiting_room_visit_id" BIGINT,
    "minutes" INTEGER NOT NULL,
    "tap_key" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "sms_message_id" BIGINT,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "late_notice_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "session_chat_message_organization_id_video_session_id_visit_idx" ON "session_chat_message"("organization_id", "video_session_id", "visit", "id");

-- CreateIndex
CREATE INDEX "session_chat_message_organization_id_participant_id_idx" ON "session_chat_message"("organization_id", "participant_id");

-- CreateIndex
CREATE INDEX "late_notice_organization_id_participant_id_idx" ON "late_notice"("organization_id", "participant_id");

-- CreateIndex
CREATE INDEX "late_notice_organization_id_waiting_room_visit_id_idx" ON "late_notice"("organization_id", "waiting_room_visit_id");

-- CreateIndex
CREATE INDEX "late_notice_organization_id_user_id_idx" ON "late_notice"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "late_notice_organization_id_sms_message_id_idx" ON "late_notice"("organization_id", "sms_message_id");

-- CreateIndex
CREATE UNIQUE INDEX "late_notice_organization_id_tap_key_key" ON "late_notice"("organization_id", "tap_key");

-- CreateIndex
CREATE UNIQUE INDEX "notification_organization_id_user_id_kind_subject_type_subj_key" ON "notification"("organization_id", "user_id", "kind", "subject_type", "subject_id", "occasion");

-- AddForeignKey
ALTER TABLE "session_chat_message" ADD CONSTRAINT "session_chat_message_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_chat_message" ADD CONSTRAINT "session_chat_message_organization_id_participant_id_fkey" FOREIGN KEY ("organization_id", "participant_id") REFERENCES "session_participant"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "late_notice" ADD CONSTRAINT "late_notice_organization_id_participant_id_fkey" FOREIGN KEY ("organization_id", "participant_id") REFERENCES "session_participant"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "late_notice" ADD CONSTRAINT "late_notice_organization_id_waiting_room_visit_id_fkey" FOREIGN KEY ("organization_id", "waiting_room_visit_id") REFERENCES "waiting_room_visit"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "late_notice" ADD CONSTRAINT "late_notice_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "late_notice" ADD CONSTRAINT "late_notice_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- A notice is for one person: a guest of a session, or a patient in a waiting room.
ALTER TABLE "late_notice" ADD CONSTRAINT "late_notice_person" CHECK (num_nonnulls("participant_id", "waiting_room_visit_id") = 1);

ALTER TABLE "session_chat_message" ADD CONSTRAINT "session_chat_message_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "late_notice" ADD CONSTRAINT "late_notice_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
