-- CreateTable
CREATE TABLE "retention_policy" (
    "organization_id" INTEGER NOT NULL,
    "draft_days" INTEGER,
    "media_days" INTEGER,
    "text_days" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "retention_policy_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "legal_hold" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER,
    "reason" TEXT NOT NULL,
    "placed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lifted_at" TIMESTAMPTZ(3),

    CONSTRAINT "legal_hold_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "legal_hold_organization_id_patient_id_idx" ON "legal_hold"("organization_id", "patient_id");

-- AddForeignKey
ALTER TABLE "legal_hold" ADD CONSTRAINT "legal_hold_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- By hand.
ALTER TABLE "retention_policy" ADD CONSTRAINT "retention_policy_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "retention_policy" ADD CONSTRAINT "retention_policy_draft_days_check" CHECK (draft_days BETWEEN 1 AND 36500);
ALTER TABLE "retention_policy" ADD CONSTRAINT "retention_policy_media_days_check" CHECK (media_days BETWEEN 30 AND 36500);
ALTER TABLE "retention_policy" ADD CONSTRAINT "retention_policy_text_days_check" CHECK (text_days BETWEEN 90 AND 36500);
ALTER TABLE "legal_hold" ADD CONSTRAINT "legal_hold_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
