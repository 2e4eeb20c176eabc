-- AlterTable
ALTER TABLE "inbox_item" ADD COLUMN     "urgent" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "sms_message" ADD COLUMN     "scheduled_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "mail_message" ADD COLUMN     "not_before" TIMESTAMPTZ(3),
ADD COLUMN     "own_address" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "text_picture" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "sms_message_id" BIGINT NOT NULL,
    "carrier_url" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "attachment_id" BIGINT,

    CONSTRAINT "text_picture_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "link_code" (
    "organization_id" INTEGER NOT NULL,
    "link_hash" BYTEA NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "code_hash" BYTEA,
    "code_expires_at" TIMESTAMPTZ(3),
    "code_sent_to" TEXT,
    "codes_sent_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "wrong_codes" INTEGER NOT NULL DEFAULT 0,
    "wrong_in_all" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "link_code_pkey" PRIMARY KEY ("organization_id","link_hash")
);

-- CreateIndex
CREATE INDEX "text_picture_organization_id_sms_message_id_id_idx" ON "text_picture"("organization_id", "sms_message_id", "id");

-- CreateIndex
CREATE INDEX "text_picture_organization_id_attachment_id_idx" ON "text_picture"("organization_id", "attachment_id");

-- CreateIndex
CREATE INDEX "link_code_organization_id_patient_id_idx" ON "link_code"("organization_id", "patient_id");

-- AddForeignKey
ALTER TABLE "text_picture" ADD CONSTRAINT "text_picture_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "text_picture" ADD CONSTRAINT "text_picture_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "link_code" ADD CONSTRAINT "link_code_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- As all tables of a practice.
ALTER TABLE text_picture ADD CONSTRAINT text_picture_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE link_code ADD CONSTRAINT link_code_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);

-- The pictures that are due to be fetched, in all practices.
CREATE INDEX text_picture_due_at_idx ON text_picture (due_at) WHERE due_at IS NOT NULL;
