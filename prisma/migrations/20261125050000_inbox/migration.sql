-- AlterTable
ALTER TABLE "chat_member" ADD COLUMN     "text_alerts" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "inbox_escalation_minutes" INTEGER NOT NULL DEFAULT 15;

-- CreateTable
CREATE TABLE "inbox_item" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "chat_id" INTEGER,
    "contact_id" INTEGER,
    "patient_id" INTEGER,
    "number" TEXT,
    "entry_count" INTEGER NOT NULL DEFAULT 1,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "latest_at" TIMESTAMPTZ(3) NOT NULL,
    "assigned_user_id" INTEGER,
    "waiting_entry_id" BIGINT,
    "escalate_at" TIMESTAMPTZ(3),
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by_user_id" INTEGER,
    "closed_at" TIMESTAMPTZ(3),
    "closed_by_user_id" INTEGER,
    "note" TEXT,

    CONSTRAINT "inbox_item_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "inbox_entry" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "inbox_item_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" BIGINT NOT NULL,
    "entered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbox_entry_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "inbox_item_organization_id_latest_at_id_idx" ON "inbox_item"("organization_id", "latest_at", "id");

-- CreateIndex
CREATE INDEX "inbox_item_organization_id_chat_id_latest_at_id_idx" ON "inbox_item"("organization_id", "chat_id", "latest_at", "id");

-- CreateIndex
CREATE INDEX "inbox_item_organization_id_assigned_user_id_latest_at_id_idx" ON "inbox_item"("organization_id", "assigned_user_id", "latest_at", "id");

-- CreateIndex
CREATE INDEX "inbox_item_organization_id_patient_id_idx" ON "inbox_item"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "inbox_item_organization_id_acknowledged_by_user_id_idx" ON "inbox_item"("organization_id", "acknowledged_by_user_id");

-- CreateIndex
CREATE INDEX "inbox_item_organization_id_closed_by_user_id_idx" ON "inbox_item"("organization_id", "closed_by_user_id");

-- CreateIndex
CREATE INDEX "inbox_entry_organization_id_inbox_item_id_id_idx" ON "inbox_entry"("organization_id", "inbox_item_id", "id");

-- AddForeignKey
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_organization_id_chat_id_fkey" FOREIGN KEY ("organization_id", "chat_id") REFERENCES "chat"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_organization_id_assigned_user_id_fkey" FOREIGN KEY ("organization_id", "assigned_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_organization_id_acknowledged_by_user_id_fkey" FOREIGN KEY ("organization_id", "acknowledged_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_organization_id_closed_by_user_id_fkey" FOREIGN KEY ("organization_id", "closed_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inbox_entry" ADD CONSTRAINT "inbox_entry_organization_id_inbox_item_id_fkey" FOREIGN KEY ("organization_id", "inbox_item_id") REFERENCES "inbox_item"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- By hand.
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "inbox_entry" ADD CONSTRAINT "inbox_entry_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "organization" ADD CONSTRAINT "organization_inbox_escalation_minutes_check" CHECK (inbox_escalation_minutes BETWEEN 1 AND 1440);
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_contact_check" CHECK (patient_id = contact_id);
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_waiting_check" CHECK (
    (acknowledged_at IS NULL OR waiting_entry_id IS NULL) AND (escalate_at IS NULL OR (waiting_entry_id IS NOT NULL AND closed_at IS NULL)));
-- One open item a conversation; callers without a number have no conversation.
CREATE UNIQUE INDEX inbox_item_open_key ON inbox_item (organization_id, coalesce(chat_id, 0), contact_id)
    WHERE closed_at IS NULL AND contact_id IS NOT NULL;
-- The open ones, which are few beside those of years.
CREATE INDEX inbox_item_open_idx ON inbox_item (organization_id, latest_at, id) WHERE closed_at IS NULL;
-- What the escalation looks for every few seconds, in all organizations.
CREATE INDEX inbox_item_escalate_at_idx ON inbox_item (escalate_at) WHERE escalate_at IS NOT NULL;
