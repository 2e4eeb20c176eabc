-- AlterTable
ALTER TABLE "user" ADD COLUMN     "charts_open_until" TIMESTAMPTZ(3),
ADD COLUMN     "privacy_officer" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "chart_opening" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "patient_id" INTEGER,
    "reason" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "chart_opening_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "chart_opening_organization_id_user_id_opened_at_idx" ON "chart_opening"("organization_id", "user_id", "opened_at");

-- CreateIndex
CREATE INDEX "chart_opening_organization_id_patient_id_idx" ON "chart_opening"("organization_id", "patient_id");

-- AddForeignKey
ALTER TABLE "chart_opening" ADD CONSTRAINT "chart_opening_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "chart_opening" ADD CONSTRAINT "chart_opening_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- By hand.
ALTER TABLE "chart_opening" ADD CONSTRAINT "chart_opening_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);

-- With the role or the account of a user, the openings of charts end too, whoever changes it.
CREATE FUNCTION close_charts_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chart_opening SET closed_at = now()
   WHERE organization_id = NEW.organization_id AND user_id = NEW.id AND closed_at IS NULL AND ends_at > now();
  RETURN NULL;
END $$;
CREATE TRIGGER user_charts_closed AFTER UPDATE OF type, active ON "user" FOR EACH ROW
  WHEN (OLD.type IS DISTINCT FROM NEW.type OR (OLD.active AND NOT NEW.active)) EXECUTE FUNCTION close_charts_of_user();
