-- AlterTable
ALTER TABLE "sms_message" ADD COLUMN     "sealed" TEXT,
ADD COLUMN     "urgent" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "mail_message" ADD COLUMN     "sealed" TEXT;

-- AlterTable
ALTER TABLE "check_in" ADD COLUMN     "mail_message_id" INTEGER,
ADD COLUMN     "sms_message_id" INTEGER;

-- AlterTable
ALTER TABLE "external_message" ADD COLUMN     "channel" TEXT NOT NULL DEFAULT 'sms',
ADD COLUMN     "code_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "mail_message_id" INTEGER,
ADD COLUMN     "sms_message_id" INTEGER;

-- AlterTable
ALTER TABLE "session_invite" ADD COLUMN     "mail_message_id" INTEGER,
ADD COLUMN     "sms_message_id" INTEGER;

-- CreateTable
CREATE TABLE "reading" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "check_in_id" INTEGER NOT NULL,
    "item_id" INTEGER NOT NULL,
    "value" DECIMAL(12,3) NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL,
    "measured_on" DATE NOT NULL,

    CONSTRAINT "reading_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "reading_organization_id_patient_id_measured_on_idx" ON "reading"("organization_id", "patient_id", "measured_on");

-- CreateIndex
CREATE INDEX "reading_organization_id_item_id_idx" ON "reading"("organization_id", "item_id");

-- CreateIndex
CREATE UNIQUE INDEX "reading_organization_id_check_in_id_item_id_key" ON "reading"("organization_id", "check_in_id", "item_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_sms_message_id_idx" ON "check_in"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_mail_message_id_idx" ON "check_in"("organization_id", "mail_message_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_sent_at_id_idx" ON "check_in"("organization_id", "sent_at", "id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_sms_message_id_idx" ON "external_message"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_mail_message_id_idx" ON "external_message"("organization_id", "mail_message_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_sms_message_id_idx" ON "session_invite"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_mail_message_id_idx" ON "session_invite"("organization_id", "mail_message_id");

ALTER TABLE reading ADD CONSTRAINT reading_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_check_in_id_fkey" FOREIGN KEY ("organization_id", "check_in_id") REFERENCES "check_in"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_item_id_fkey" FOREIGN KEY ("organization_id", "item_id") REFERENCES "item"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Messages that stand were sent where their address says.
UPDATE external_message SET channel = CASE WHEN sent_to LIKE '%@%' THEN 'email' ELSE 'sms' END;
ALTER TABLE external_message ALTER COLUMN channel DROP DEFAULT;

-- What numbers were reported before they had a table of their own.
INSERT INTO reading (organization_id, patient_id, check_in_id, item_id, value, measured_at, measured_on)
SELECT DISTINCT ON (c.organization_id, c.id, i.id)
       c.organization_id, c.patient_id, c.id, i.id, (c.answers->>(q->>'key'))::numeric, c.answered_at,
       (c.answered_at AT TIME ZONE o.time_zone)::date
  FROM check_in c
  JOIN organization o ON o.id = c.organization_id
  JOIN survey_type t ON t.organization_id = c.organization_id AND t.id = c.survey_type_id
 CROSS JOIN LATERAL jsonb_array_elements(t.questions) q
  JOIN item i ON i.organization_id = c.organization_id AND i.id = (q->>'itemId')::int
 WHERE c.answered_at IS NOT NULL AND jsonb_typeof(c.answers->(q->>'key')) = 'number'
 ORDER BY c.organization_id, c.id, i.id;

-- Lists of records about patients leave one audit row, with the charts that they show in a column of its own. Only charts
-- are looked up by id: to index each record of each list cost as much as all else that the audit does.
ALTER TABLE audit_entry ADD COLUMN patient_ids INTEGER[];
DROP INDEX audit_entry_resource_ids_idx;
CREATE INDEX audit_entry_patient_idx ON audit_entry USING gin (resource_ids) WHERE resource = 'patient';
CREATE INDEX audit_entry_patient_ids_idx ON audit_entry USING gin (patient_ids) WHERE patient_ids IS NOT NULL;

-- What the local carrier reports of its texts, and recordings that are fetched from the carrier.
ALTER TABLE "carrier_text" ADD COLUMN     "reported_at" TIMESTAMPTZ(3);
CREATE INDEX carrier_text_unreported_idx ON carrier_text (received_at, id) WHERE reported_at IS NULL;
ALTER TABLE "voice_pager_message" ADD COLUMN     "recording_attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "recording_due_at" TIMESTAMPTZ(3);
UPDATE voice_pager_message SET recording_due_at = received_at WHERE recording_url IS NOT NULL AND attachment_id IS NULL;
CREATE INDEX voice_pager_message_recording_due_idx ON voice_pager_message (recording_due_at) WHERE recording_due_at IS NOT NULL;
-- The few that wait to leave: what a new master key renews.
CREATE INDEX sms_message_sealed_idx ON sms_message (organization_id, id) WHERE sealed IS NOT NULL;
CREATE INDEX mail_message_sealed_idx ON mail_message (organization_id, id) WHERE sealed IS NOT NULL;

-- Notifications: who is told of what, and by which devices. No version has stored a subscription before.
DROP INDEX "push_subscription_organization_id_user_id_endpoint_hash_key";

-- AlterTable
ALTER TABLE "push_subscription" ADD COLUMN     "session_id" UUID NOT NULL;

-- AlterTable
ALTER TABLE "check_in_review" ADD COLUMN     "created_by_id" INTEGER;

-- CreateTable
CREATE TABLE "notification" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "transaction_id" BIGINT NOT NULL DEFAULT log_transaction(),
    "user_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "pushed_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "push_delivery" (
    "organization_id" INTEGER NOT NULL,
    "notification_id" INTEGER NOT NULL,
    "subscription_id" INTEGER NOT NULL,
    "delivered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_delivery_pkey" PRIMARY KEY ("organization_id","notification_id","subscription_id")
);

-- CreateTable
CREATE TABLE "push_key" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "public_key" TEXT NOT NULL,
    "private_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "notification_organization_id_user_id_transaction_id_id_idx" ON "notification"("organization_id", "user_id", "transaction_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "notification_organization_id_user_id_kind_subject_type_subj_key" ON "notification"("organization_id", "user_id", "kind", "subject_type", "subject_id");

-- CreateIndex
CREATE INDEX "push_delivery_organization_id_subscription_id_idx" ON "push_delivery"("organization_id", "subscription_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_created_by_id_idx" ON "check_in_review"("organization_id", "created_by_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_started_at_id_idx" ON "check_in_review"("organization_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "push_subscription_organization_id_user_id_idx" ON "push_subscription"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "push_subscription_organization_id_session_id_idx" ON "push_subscription"("organization_id", "session_id");

-- CreateIndex
CREATE UNIQUE INDEX "push_subscription_organization_id_endpoint_hash_key" ON "push_subscription"("organization_id", "endpoint_hash");

-- AddForeignKey
ALTER TABLE "check_in_review" ADD CONSTRAINT "check_in_review_organization_id_created_by_id_fkey" FOREIGN KEY ("organization_id", "created_by_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscription" ADD CONSTRAINT "push_subscription_organization_id_session_id_fkey" FOREIGN KEY ("organization_id", "session_id") REFERENCES "session"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification" ADD CONSTRAINT "notification_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_delivery" ADD CONSTRAINT "push_delivery_organization_id_notification_id_fkey" FOREIGN KEY ("organization_id", "notification_id") REFERENCES "notification"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_delivery" ADD CONSTRAINT "push_delivery_organization_id_subscription_id_fkey" FOREIGN KEY ("organization_id", "subscription_id") REFERENCES "push_subscription"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE notification ADD CONSTRAINT notification_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE push_delivery ADD CONSTRAINT push_delivery_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE push_key ADD CONSTRAINT push_key_is_one CHECK (id = 1);
-- The few that a job still has to see to.
CREATE INDEX notification_unsettled_idx ON notification (created_at) WHERE settled_at IS NULL;
SELECT queue.create_queue('send-push', '{"policy": "standard"}');

-- External messages: where one-time codes went and how many were asked for, when a message was read, what was withdrawn.
-- AlterTable
ALTER TABLE "external_message" ADD COLUMN     "code_sent_to" TEXT,
ADD COLUMN     "codes_sent_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
ADD COLUMN     "last_viewed_at" TIMESTAMPTZ(3),
ADD COLUMN     "withdrawn_at" TIMESTAMPTZ(3),
ADD COLUMN     "wrong_in_all" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "external_message_organization_id_created_at_id_idx" ON "external_message"("organization_id", "created_at", "id");

-- Pictures and recordings of video sessions, reports over sessions and visits, where to review a user.
ALTER TABLE "session_image" ADD COLUMN     "height" INTEGER,
ADD COLUMN     "width" INTEGER;
ALTER TABLE "session_video" ADD COLUMN     "height" INTEGER,
ADD COLUMN     "seekable" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "width" INTEGER;
CREATE INDEX "session_image_organization_id_taken_at_id_idx" ON "session_image"("organization_id", "taken_at", "id");
CREATE INDEX "session_video_organization_id_recorded_at_id_idx" ON "session_video"("organization_id", "recorded_at", "id");
CREATE INDEX "video_session_organization_id_started_at_id_idx" ON "video_session"("organization_id", "started_at", "id");
CREATE INDEX "session_participant_organization_id_patient_id_idx" ON "session_participant"("organization_id", "patient_id");
CREATE INDEX "telehealth_visit_organization_id_started_at_idx" ON "telehealth_visit"("organization_id", "started_at");
CREATE INDEX "waiting_room_visit_organization_id_entered_at_idx" ON "waiting_room_visit"("organization_id", "entered_at");
DROP INDEX "user_review_url_organization_id_user_id_idx";
CREATE UNIQUE INDEX "user_review_url_organization_id_user_id_url_key" ON "user_review_url"("organization_id", "user_id", "url");

-- Rooms: who is in them and since when, one link for a session or a waiting room, and what browsers say to each other.
ALTER TABLE "video_session" ADD COLUMN     "recording_since" TIMESTAMPTZ(3);

ALTER TABLE "session_participant" ADD COLUMN     "connection" UUID,
ADD COLUMN     "invite_id" INTEGER,
ADD COLUMN     "refused_at" TIMESTAMPTZ(3);

ALTER TABLE "session_invite" ADD COLUMN     "appointment_id" INTEGER,
ADD COLUMN     "waiting_room_id" INTEGER,
ALTER COLUMN "video_session_id" DROP NOT NULL;

ALTER TABLE "waiting_room_visit" ADD COLUMN     "connection" UUID,
ADD COLUMN     "invite_id" INTEGER,
ADD COLUMN     "video_session_id" INTEGER;

CREATE UNLOGGED TABLE "session_signal" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "address" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_signal_pkey" PRIMARY KEY ("organization_id","id")
);

CREATE INDEX "session_signal_created_at_idx" ON "session_signal"("created_at");
CREATE UNIQUE INDEX "video_session_organization_id_host_link_hash_key" ON "video_session"("organization_id", "host_link_hash");
CREATE UNIQUE INDEX "video_session_organization_id_guest_link_hash_key" ON "video_session"("organization_id", "guest_link_hash");
CREATE INDEX "session_participant_organization_id_invite_id_idx" ON "session_participant"("organization_id", "invite_id");
CREATE INDEX "session_invite_organization_id_waiting_room_id_idx" ON "session_invite"("organization_id", "waiting_room_id");
CREATE INDEX "session_invite_organization_id_appointment_id_idx" ON "session_invite"("organization_id", "appointment_id");
CREATE INDEX "waiting_room_visit_organization_id_invite_id_idx" ON "waiting_room_visit"("organization_id", "invite_id");
CREATE INDEX "waiting_room_visit_organization_id_video_session_id_idx" ON "waiting_room_visit"("organization_id", "video_session_id");

ALTER TABLE "session_participant" ADD CONSTRAINT "session_participant_organization_id_invite_id_fkey" FOREIGN KEY ("organization_id", "invite_id") REFERENCES "session_invite"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_waiting_room_id_fkey" FOREIGN KEY ("organization_id", "waiting_room_id") REFERENCES "waiting_room"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_invite_id_fkey" FOREIGN KEY ("organization_id", "invite_id") REFERENCES "session_invite"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
-- A link opens one thing.
ALTER TABLE session_invite ADD CONSTRAINT session_invite_opens_one CHECK (num_nonnulls(video_session_id, waiting_room_id) = 1);
-- Nobody is twice in one place at once: at most one visit runs, and none overlaps another.
CREATE UNIQUE INDEX telehealth_visit_running_key ON telehealth_visit (organization_id, video_session_id, patient_id) WHERE ended_at IS NULL;
ALTER TABLE telehealth_visit ADD CONSTRAINT telehealth_visit_no_overlap EXCLUDE USING gist
  (organization_id WITH =, video_session_id WITH =, patient_id WITH =, tstzrange(started_at, ended_at) WITH &&);
CREATE UNIQUE INDEX waiting_room_visit_running_key ON waiting_room_visit (organization_id, waiting_room_id, patient_id) WHERE left_at IS NULL;
ALTER TABLE waiting_room_visit ADD CONSTRAINT waiting_room_visit_no_overlap EXCLUDE USING gist
  (organization_id WITH =, waiting_room_id WITH =, patient_id WITH =, tstzrange(entered_at, left_at) WITH &&);
-- What a look for those who are gone reads.
CREATE INDEX session_participant_present_idx ON session_participant (last_seen_at) WHERE left_at IS NULL;
CREATE INDEX waiting_room_visit_present_idx ON waiting_room_visit (last_seen_at) WHERE left_at IS NULL;
CREATE INDEX video_session_open_idx ON video_session (expires_at) WHERE ended_at IS NULL;

-- Monitoring: which check-ins wait for a review is asked of everyone in a list, and must not take longer with every year.
ALTER TABLE "check_in" ADD COLUMN     "reviewed" BOOLEAN NOT NULL DEFAULT false;
UPDATE check_in c SET reviewed = true WHERE EXISTS (
  SELECT FROM check_in_review r WHERE r.organization_id = c.organization_id AND r.check_in_id = c.id AND r.deleted_at IS NULL);
CREATE INDEX check_in_open_idx ON check_in (organization_id, patient_id, answered_at) WHERE answered_at IS NOT NULL AND NOT reviewed;

CREATE FUNCTION check_in_review_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  review check_in_review := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  -- Two who review at once follow one another: what comes after the wait sees what the other left.
  PERFORM 1 FROM check_in WHERE organization_id = review.organization_id AND id = review.check_in_id FOR NO KEY UPDATE;
  UPDATE check_in c SET reviewed = s.stands
    FROM (SELECT EXISTS (SELECT FROM check_in_review r WHERE r.organization_id = review.organization_id
                            AND r.check_in_id = review.check_in_id AND r.deleted_at IS NULL) AS stands) s
   WHERE c.organization_id = review.organization_id AND c.id = review.check_in_id AND c.reviewed <> s.stands;
  RETURN NULL;
END $$;
CREATE TRIGGER check_in_review_changed AFTER INSERT OR UPDATE OF deleted_at OR DELETE ON check_in_review
  FOR EACH ROW EXECUTE FUNCTION check_in_review_changed();

-- Monitoring: a condition may have its code in the app's lexicon alone; a target that changes stands beside the one before.
DROP INDEX "program_organization_id_name_key";
DROP INDEX "item_organization_id_name_key";
DROP INDEX "patient_flags_idx";
ALTER TABLE "tracked_condition" ALTER COLUMN "icd_code" DROP NOT NULL;
ALTER TABLE "tracked_condition_item" DROP CONSTRAINT "tracked_condition_item_pkey",
ADD COLUMN     "id" SERIAL NOT NULL,
ADD COLUMN     "since" TIMESTAMPTZ(3),
ADD COLUMN     "until" TIMESTAMPTZ(3),
ADD CONSTRAINT "tracked_condition_item_pkey" PRIMARY KEY ("organization_id","id");
CREATE INDEX "tracked_condition_item_organization_id_tracked_condition_id_idx" ON "tracked_condition_item"("organization_id", "tracked_condition_id");

ALTER TABLE tracked_condition ADD CONSTRAINT tracked_condition_code_check CHECK (num_nonnulls(icd_code, icd_lex_code) > 0);
CREATE UNIQUE INDEX tracked_condition_item_now_key ON tracked_condition_item (organization_id, tracked_condition_id, item_id) WHERE until IS NULL;
-- What was ended leaves its name to what takes its place.
CREATE UNIQUE INDEX program_name_key ON program (organization_id, fold(name)) WHERE active;
CREATE UNIQUE INDEX item_name_key ON item (organization_id, fold(name)) WHERE active;
-- Who is monitored, in whichever case the flag was written.
CREATE INDEX patient_monitored_idx ON patient (organization_id, id)
  WHERE flags && '{RPM,RPm,RpM,Rpm,rPM,rPm,rpM,rpm}'::text[];

-- References of appointments: a version for all that a practice's appointments refer to, and one for the global types.
CREATE TABLE "reference_version" (
    "organization_id" INTEGER NOT NULL,
    "version" UUID NOT NULL,

    CONSTRAINT "reference_version_pkey" PRIMARY KEY ("organization_id")
);

CREATE TABLE "global_type_version" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "version" UUID NOT NULL,

    CONSTRAINT "global_type_version_pkey" PRIMARY KEY ("id")
);

ALTER TABLE reference_version ADD CONSTRAINT reference_version_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE global_type_version ADD CONSTRAINT global_type_version_is_one CHECK (id = 1);

-- What is new needs no other version: what is not there is never remembered. Transactions that change references of one
-- practice follow one another from here on: whoever sees a version sees all the changes before it, and no other.
CREATE FUNCTION reference_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reference_version (organization_id, version) VALUES (OLD.organization_id, gen_random_uuid())
  ON CONFLICT (organization_id) DO UPDATE SET version = excluded.version;
  RETURN NULL;
END $$;
CREATE FUNCTION global_type_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO global_type_version (version) VALUES (gen_random_uuid()) ON CONFLICT (id) DO UPDATE SET version = excluded.version;
  RETURN NULL;
END $$;

CREATE TRIGGER office_reference_changed AFTER UPDATE ON office FOR EACH ROW
  WHEN ((OLD.organization_id, OLD.id, OLD.name, OLD.patient_department_name, OLD.time_zone, OLD.phone, OLD.fax, OLD.active,
         OLD.address1, OLD.address2, OLD.city, OLD.state, OLD.zip)
        IS DISTINCT FROM
        (NEW.organization_id, NEW.id, NEW.name, NEW.patient_department_name, NEW.time_zone, NEW.phone, NEW.fax, NEW.active,
         NEW.address1, NEW.address2, NEW.city, NEW.state, NEW.zip))
  EXECUTE FUNCTION reference_changed();
CREATE TRIGGER location_reference_changed AFTER UPDATE ON location FOR EACH ROW
  WHEN ((OLD.organization_id, OLD.id, OLD.name, OLD.phone, OLD.address1, OLD.address2, OLD.city, OLD.state, OLD.zip)
        IS DISTINCT FROM
        (NEW.organization_id, NEW.id, NEW.name, NEW.phone, NEW.address1, NEW.address2, NEW.city, NEW.state, NEW.zip))
  EXECUTE FUNCTION reference_changed();
CREATE TRIGGER waiting_room_reference_changed AFTER UPDATE ON waiting_room FOR EACH ROW
  WHEN ((OLD.organization_id, OLD.id, OLD.name, OLD.user_id) IS DISTINCT FROM (NEW.organization_id, NEW.id, NEW.name, NEW.user_id))
  EXECUTE FUNCTION reference_changed();
-- Not what changes all day long, as when somebody was last seen.
CREATE TRIGGER user_reference_changed AFTER UPDATE ON "user" FOR EACH ROW
  WHEN ((OLD.organization_id, OLD.id, OLD.type, OLD.first_name, OLD.last_name, OLD.email, OLD.phone, OLD.active)
        IS DISTINCT FROM
        (NEW.organization_id, NEW.id, NEW.type, NEW.first_name, NEW.last_name, NEW.email, NEW.phone, NEW.active))
  EXECUTE FUNCTION reference_changed();
CREATE TRIGGER appointment_type_reference_changed AFTER UPDATE ON appointment_type FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION reference_changed();

CREATE TRIGGER office_reference_removed AFTER DELETE ON office FOR EACH ROW EXECUTE FUNCTION reference_changed();
CREATE TRIGGER location_reference_removed AFTER DELETE ON location FOR EACH ROW EXECUTE FUNCTION reference_changed();
CREATE TRIGGER waiting_room_reference_removed AFTER DELETE ON waiting_room FOR EACH ROW EXECUTE FUNCTION reference_changed();
CREATE TRIGGER user_reference_removed AFTER DELETE ON "user" FOR EACH ROW EXECUTE FUNCTION reference_changed();
CREATE TRIGGER appointment_type_reference_removed AFTER DELETE ON appointment_type FOR EACH ROW EXECUTE FUNCTION reference_changed();

-- After those above, which come first by their names: all take the version of the practice before the one that all share.
CREATE TRIGGER appointment_type_shared_changed AFTER UPDATE ON appointment_type FOR EACH ROW
  WHEN (OLD.is_global AND OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION global_type_changed();
CREATE TRIGGER appointment_type_shared_removed AFTER DELETE ON appointment_type FOR EACH ROW
  WHEN (OLD.is_global) EXECUTE FUNCTION global_type_changed();
