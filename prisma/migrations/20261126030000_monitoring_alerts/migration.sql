-- AlterTable
ALTER TABLE "program" ADD COLUMN     "alert_escalation_minutes" INTEGER NOT NULL DEFAULT 15,
ADD COLUMN     "missed_check_in_hours" INTEGER DEFAULT 24;

-- CreateTable
CREATE TABLE "monitoring_alert" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "gravity" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "program_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "reading_id" BIGINT,
    "check_in_id" BIGINT,
    "item_id" INTEGER,
    "question_key" TEXT,
    "question" TEXT,
    "answer" TEXT,
    "value" DECIMAL(12,3),
    "min_target" DECIMAL(12,3),
    "max_target" DECIMAL(12,3),
    "danger_min" DECIMAL(12,3),
    "danger_max" DECIMAL(12,3),
    "target_source" TEXT,
    "target_condition_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "raised_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "announced" BOOLEAN NOT NULL DEFAULT true,
    "escalate_at" TIMESTAMPTZ(3),
    "escalations" INTEGER NOT NULL DEFAULT 0,
    "patient_text_due" BOOLEAN NOT NULL DEFAULT false,
    "patient_text_id" BIGINT,
    "patient_text_reason" TEXT,
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by_user_id" INTEGER,
    "acknowledged_note" TEXT,
    "closed_at" TIMESTAMPTZ(3),
    "closed_by_user_id" INTEGER,
    "closed_note" TEXT,

    CONSTRAINT "monitoring_alert_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "program_member" (
    "organization_id" INTEGER NOT NULL,
    "program_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "text_alerts" BOOLEAN NOT NULL DEFAULT false,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "program_member_pkey" PRIMARY KEY ("organization_id","program_id","user_id","added_at")
);

-- CreateIndex
CREATE INDEX "monitoring_alert_organization_id_gravity_raised_at_id_idx" ON "monitoring_alert"("organization_id", "gravity", "raised_at", "id");

-- CreateIndex
CREATE INDEX "monitoring_alert_organization_id_raised_at_id_idx" ON "monitoring_alert"("organization_id", "raised_at", "id");

-- CreateIndex
CREATE INDEX "monitoring_alert_organization_id_patient_id_raised_at_idx" ON "monitoring_alert"("organization_id", "patient_id", "raised_at");

-- CreateIndex
CREATE INDEX "monitoring_alert_organization_id_item_id_idx" ON "monitoring_alert"("organization_id", "item_id");

-- CreateIndex
CREATE INDEX "monitoring_alert_organization_id_patient_text_id_idx" ON "monitoring_alert"("organization_id", "patient_text_id");

-- CreateIndex
CREATE INDEX "monitoring_alert_organization_id_acknowledged_by_user_id_idx" ON "monitoring_alert"("organization_id", "acknowledged_by_user_id");

-- CreateIndex
CREATE INDEX "monitoring_alert_organization_id_closed_by_user_id_idx" ON "monitoring_alert"("organization_id", "closed_by_user_id");

-- CreateIndex
CREATE UNIQUE INDEX "monitoring_alert_organization_id_reading_id_key" ON "monitoring_alert"("organization_id", "reading_id");

-- CreateIndex
CREATE UNIQUE INDEX "monitoring_alert_organization_id_check_in_id_question_key_key" ON "monitoring_alert"("organization_id", "check_in_id", "question_key");

-- CreateIndex
CREATE INDEX "program_member_organization_id_user_id_idx" ON "program_member"("organization_id", "user_id");

-- AddForeignKey
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_organization_id_reading_id_fkey" FOREIGN KEY ("organization_id", "reading_id") REFERENCES "reading"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_organization_id_check_in_id_fkey" FOREIGN KEY ("organization_id", "check_in_id") REFERENCES "check_in"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_organization_id_item_id_fkey" FOREIGN KEY ("organization_id", "item_id") REFERENCES "item"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_organization_id_patient_text_id_fkey" FOREIGN KEY ("organization_id", "patient_text_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_organization_id_acknowledged_by_user_id_fkey" FOREIGN KEY ("organization_id", "acknowledged_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_organization_id_closed_by_user_id_fkey" FOREIGN KEY ("organization_id", "closed_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "program_member" ADD CONSTRAINT "program_member_organization_id_program_id_fkey" FOREIGN KEY ("organization_id", "program_id") REFERENCES "program"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "program_member" ADD CONSTRAINT "program_member_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;


-- By hand.
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "program_member" ADD CONSTRAINT "program_member_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "program" ADD CONSTRAINT "program_alert_escalation_minutes_check" CHECK (alert_escalation_minutes BETWEEN 1 AND 1440);
ALTER TABLE "program" ADD CONSTRAINT "program_missed_check_in_hours_check" CHECK (missed_check_in_hours BETWEEN 1 AND 720);
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_kind_check" CHECK (
    (kind IN ('out_of_target', 'danger_value') AND reading_id IS NOT NULL AND item_id IS NOT NULL AND value IS NOT NULL)
    OR (kind = 'urgent_symptom' AND check_in_id IS NOT NULL AND question_key IS NOT NULL)
    OR (kind = 'missed_check_in' AND check_in_id IS NOT NULL));
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_severity_check" CHECK (
    (severity, gravity) IN (('watch', 1), ('urgent', 2), ('danger', 3)));
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_state_check" CHECK (
    state = CASE WHEN closed_at IS NOT NULL THEN 'closed' WHEN acknowledged_at IS NOT NULL THEN 'acknowledged' ELSE 'open' END);
-- Nobody is notified any more of what somebody looks after.
ALTER TABLE "monitoring_alert" ADD CONSTRAINT "monitoring_alert_escalate_check" CHECK (escalate_at IS NULL OR state = 'open');
CREATE UNIQUE INDEX program_member_open_key ON program_member (organization_id, program_id, user_id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX monitoring_alert_missed_key ON monitoring_alert (organization_id, check_in_id) WHERE kind = 'missed_check_in';
-- The open ones, which are few beside those of years.
CREATE INDEX monitoring_alert_open_idx ON monitoring_alert (organization_id, gravity, raised_at, id) WHERE state = 'open';
-- What the jobs look for every few seconds, in all organizations.
CREATE INDEX monitoring_alert_escalate_at_idx ON monitoring_alert (escalate_at) WHERE escalate_at IS NOT NULL;
CREATE INDEX monitoring_alert_patient_text_due_idx ON monitoring_alert (raised_at) WHERE patient_text_due;
CREATE INDEX check_in_unanswered_idx ON check_in (sent_at) WHERE answered_at IS NULL;
